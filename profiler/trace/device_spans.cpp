// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/device_spans.h"

namespace fuselab::profile {
namespace {

std::string extents(const std::vector<int>& each) {
  std::string text;
  for (const int extent : each) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::string lane_of(const DeviceSpan& span) {
  if (span.kind == "launch") return "launches by the host";
  return span.is_work() ? "stream " + std::to_string(span.stream) : "overhead";
}

}  // namespace

std::vector<TraceSpan> spans_of(const DeviceTrace& trace, const std::string& device, const std::string& trial) {
  std::vector<TraceSpan> spans;
  for (const DeviceSpan& span : trace.spans) {
    TraceSpan& made = spans.emplace_back();
    made.track = {device + " on its own clock", lane_of(span)};
    made.name = span.label;
    made.category = span.kind;
    made.start = {trace.origin_ns + span.start_ns};
    made.duration = {span.duration_ns};
    const auto say = [&](const char* name, std::string value) { made.arguments.emplace_back(name, std::move(value)); };
    if (span.step >= 0 && !trial.empty()) say("trial", trial);
    if (span.run >= 0) say("run", std::to_string(span.run + 1));
    if (span.step >= 0) say("step", std::to_string(span.step + 1));
    if (!span.grid.empty()) say("grid", extents(span.grid));
    if (!span.block.empty()) say("block", extents(span.block));
    if (span.registers > 0) say("registers", std::to_string(span.registers));
    if (span.static_shared + span.dynamic_shared > 0)
      say("shared bytes", std::to_string(span.static_shared) + " + " + std::to_string(span.dynamic_shared));
    if (span.local > 0) say("local bytes", std::to_string(span.local));
    if (span.bytes > 0) say("bytes", std::to_string(span.bytes));
  }
  return spans;
}

}  // namespace fuselab::profile
