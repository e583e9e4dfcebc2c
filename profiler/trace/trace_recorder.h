// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"

namespace fuselab {

// What one row of a timeline is called: a thread of a process, or what stands for them: ("engine", "job"), ("cpu:0", "worker
// 4711").
struct TraceTrack {
  std::string process;
  std::string thread;
  auto operator<=>(const TraceTrack&) const = default;
};

// A stretch of time in which one thing was done. Texts name models, pieces and kernels; they hold no paths and no users.
struct TraceSpan {
  TraceTrack track;
  std::string name;      // "fuse bert-layer"
  std::string category;  // "import", "fuse", "compile", "verify", "launch", "time", "store", …
  Nanoseconds start;     // of the machine's monotonic clock, which all its processes share
  Nanoseconds duration;
  std::vector<std::pair<std::string, std::string>> arguments = {};  // shown beside a chosen span
};

// Collects the spans of a command. Thread-safe. At most 500,000 spans are kept; what comes after is counted.
class TraceRecorder {
 public:
  void add(TraceSpan span);
  // Counts spans that were overwritten before anybody could read them.
  void add_lost(std::int64_t spans);
  // Returns what was collected so far, in the order of starts.
  std::vector<TraceSpan> spans() const;
  std::int64_t lost() const;

 private:
  mutable std::mutex mutex_;
  std::vector<TraceSpan> spans_;
  std::int64_t lost_ = 0;
};

// Adds the span of a scope; does nothing without a recorder.
class TraceScope {
 public:
  TraceScope(std::shared_ptr<TraceRecorder> recorder, TraceTrack track, std::string name, std::string category)
      : recorder_(std::move(recorder)) {
    if (recorder_ != nullptr) span_ = {std::move(track), std::move(name), std::move(category), now(), {}};
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;
  ~TraceScope() {
    if (recorder_ == nullptr) return;
    span_.duration = {now().count - span_.start.count};
    recorder_->add(std::move(span_));
  }

  // The monotonic clock of the machine (CLOCK_MONOTONIC, which this is on Linux).
  static Nanoseconds now() {
    return {std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count()};
  }

 private:
  std::shared_ptr<TraceRecorder> recorder_;
  TraceSpan span_;
};

}  // namespace fuselab
