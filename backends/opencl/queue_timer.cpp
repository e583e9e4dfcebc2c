// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/queue_timer.h"

#include "core/platform/system/clock.h"

namespace fuselab::opencl {
namespace {

using platform::monotonic_now;

// Events of one timed run, released with the scope.
class EventPair {
 public:
  explicit EventPair(const OpenClContext& context) : context_(context) {}
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;
  ~EventPair() {
    if (first != nullptr) context_.calls().release_event(first);
    if (last != nullptr) context_.calls().release_event(last);
  }
  // Returns the time from the first's start to the last's end.
  Result<Nanoseconds> span() const {
    std::uint64_t start = 0, end = 0;
    const abi::Event ending = last != nullptr ? last : first;
    const auto& calls = context_.calls();
    FL_TRY_VOID(context_.check(calls.profiling(first, abi::kProfilingCommandStart, sizeof start, &start, nullptr),
                               "reading the device's clock"));
    FL_TRY_VOID(context_.check(calls.profiling(ending, abi::kProfilingCommandEnd, sizeof end, &end, nullptr),
                               "reading the device's clock"));
    if (end <= start) return Error{ErrorCode::kLaunchFailed, "the device's clock runs backwards"};
    return Nanoseconds{static_cast<double>(end - start)};
  }

  abi::Event first = nullptr, last = nullptr;

 private:
  const OpenClContext& context_;
};

}  // namespace

Result<Timing> time_queued(OpenClContext& context, TimingSource clock, std::int64_t count, const QueueOne& queue_one) {
  const bool events = clock == TimingSource::kDeviceEvents;
  EventPair pair(context);
  FL_TRY_VOID(context.finish("waiting for what was queued before"));
  const Nanoseconds start = monotonic_now();
  for (std::int64_t i = 0; i < count; ++i) {
    abi::Event* const event = !events ? nullptr : i == 0 ? &pair.first : i == count - 1 ? &pair.last : nullptr;
    FL_TRY_VOID(queue_one(i, event));
  }
  FL_TRY_VOID(context.finish("running what is timed"));
  const Nanoseconds end = monotonic_now();
  if (!events) return Timing{{end.count - start.count}, TimingSource::kHostWall};
  FL_TRY(const Nanoseconds span, pair.span());
  return Timing{span, TimingSource::kDeviceEvents};
}

}  // namespace fuselab::opencl
