// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/chrome_trace.h"

#include <map>
#include <nlohmann/json.hpp>

namespace fuselab {
namespace {

using nlohmann::json;

// Numbers for the tracks, in the order in which they are first seen: a viewer sorts by them.
class Tracks {
 public:
  explicit Tracks(json& events) : events_(events) {}

  std::pair<int, int> numbers_of(const TraceTrack& track) {
    const auto [process, new_process] = processes_.try_emplace(track.process, static_cast<int>(processes_.size()) + 1);
    if (new_process) name("process_name", process->second, 0, track.process);
    const auto [thread, new_thread] = threads_.try_emplace(track, static_cast<int>(threads_.size()) + 1);
    if (new_thread) name("thread_name", process->second, thread->second, track.thread);
    return {process->second, thread->second};
  }

 private:
  void name(const char* what, int process, int thread, const std::string& text) {
    events_.push_back({{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", text}}}});
  }

  json& events_;
  std::map<std::string, int> processes_;
  std::map<TraceTrack, int> threads_;
};

}  // namespace

std::string chrome_trace(std::span<const TraceSpan> spans, std::int64_t lost, const std::string& tool) {
  json events = json::array();
  Tracks tracks(events);
  const double origin = spans.empty() ? 0 : spans.front().start.count;
  for (const TraceSpan& span : spans) {
    const auto [process, thread] = tracks.numbers_of(span.track);
    json event = {{"ph", "X"},
                  {"name", span.name},
                  {"cat", span.category},
                  {"pid", process},
                  {"tid", thread},
                  {"ts", (span.start.count - origin) * 1e-3},
                  {"dur", span.duration.count * 1e-3}};
    for (const auto& [name, value] : span.arguments) event["args"][name] = value;
    events.push_back(std::move(event));
  }
  const json document = {
      {"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}, {"otherData", {{"tool", tool}, {"lost_spans", lost}}}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace fuselab
