// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/trace_recorder.h"

#include <algorithm>

namespace fuselab {
namespace {

constexpr std::size_t kMostSpans = 500'000;

}  // namespace

void TraceRecorder::add(TraceSpan span) {
  const std::lock_guard lock(mutex_);
  if (spans_.size() < kMostSpans) {
    spans_.push_back(std::move(span));
  } else {
    ++lost_;
  }
}

void TraceRecorder::add_lost(std::int64_t spans) {
  const std::lock_guard lock(mutex_);
  lost_ += spans;
}

std::vector<TraceSpan> TraceRecorder::spans() const {
  std::vector<TraceSpan> sorted;
  {
    const std::lock_guard lock(mutex_);
    sorted = spans_;
  }
  // The longer one of two that start together is around the other.
  std::stable_sort(sorted.begin(), sorted.end(), [](const TraceSpan& a, const TraceSpan& b) {
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  });
  return sorted;
}

std::int64_t TraceRecorder::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace fuselab
