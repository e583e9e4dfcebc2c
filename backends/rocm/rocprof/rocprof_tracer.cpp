// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/rocprof/rocprof_tracer.h"

#include <algorithm>
#include <array>

#include "core/platform/system/clock.h"

namespace fuselab::hip {
namespace {

using namespace abi;

// Source: fwd.h of rocprofiler-sdk 1.0, rocprofiler_memory_copy_operation_t.
constexpr std::array kDirections = {"between other places", "host to host", "host to device", "device to host", "device to device"};

std::vector<int> blocks_of(const RocprofDispatch& dispatch) {
  std::vector<int> blocks;
  for (int i = 0; i < 3; ++i)
    blocks.push_back(static_cast<int>((dispatch.grid[i] + dispatch.group[i] - 1) / std::max(1U, dispatch.group[i])));
  return blocks;
}

class RocprofTracer final : public DeviceTracer {
 public:
  RocprofTracer(std::shared_ptr<RocprofSession> session, std::function<Status()> synchronize)
      : session_(std::move(session)), synchronize_(std::move(synchronize)) {}

  Result<DeviceTrace> trace(std::span<const Launch> sequence, int runs) override {
    DeviceTrace trace;
    trace.profiler = session_->name() + ", dispatch records";
    trace.runs = runs;
    FL_TRY(const std::uint64_t origin, now());
    trace.origin_ns = platform::monotonic_now().count;
    const int steps = static_cast<int>(sequence.size());
    const auto run_all = [&]() -> Status {
      for (int run = 0; run < runs; ++run) {
        for (int step = 0; step < steps; ++step)
          FL_TRY_VOID(launch(sequence[static_cast<std::size_t>(step)], run, step, steps, origin, trace));
        FL_TRY_VOID(synchronize_());
      }
      return {};
    };
    FL_TRY(const RocprofSession::Recorded recorded, session_->record(run_all, static_cast<std::size_t>(runs * steps)));
    trace.dropped = recorded.dropped;
    for (const DeviceWork& work : recorded.work) {
      if (work.start == 0 || work.end < work.start)
        ++trace.untimed;
      else
        trace.spans.push_back(span_of(work, origin, steps));
    }
    std::ranges::stable_sort(trace.spans, {}, &DeviceSpan::start_ns);
    return trace;
  }
  Result<DeviceSeries> sample_counters(std::span<const Launch>, double) override {
    return Error{ErrorCode::kUnavailable, "counters over time are not taken of AMD's GPUs"};
  }
  Result<DeviceSamples> sample_code(std::span<const Launch>, std::span<const SampledCode>) override {
    return Error{ErrorCode::kUnavailable, "the program counter is not sampled on AMD's GPUs"};
  }

 private:
  Result<std::uint64_t> now() const {
    std::uint64_t time = 0;
    FL_TRY_VOID(check_rocprof(session_->calls().time(&time), "the time"));
    return time;
  }

  // The number of a launch begins at 1: rocprofiler's own is 0.
  Status launch(const Launch& launched, int run, int step, int steps, std::uint64_t origin, DeviceTrace& trace) const {
    FL_TRY(const std::uint64_t start, now());
    FL_TRY_VOID(session_->join(static_cast<std::uint64_t>(run * steps + step + 1),
                               [&] { return launched.executable->enqueue(launched.arguments); }));
    FL_TRY(const std::uint64_t end, now());
    trace.spans.push_back(span("launch", "the host's launch", start, end, origin));
    trace.spans.back().run = run;
    trace.spans.back().step = step;
    return {};
  }

  static DeviceSpan span(const char* kind, std::string label, std::uint64_t start, std::uint64_t end, std::uint64_t origin) {
    DeviceSpan made;
    made.kind = kind;
    made.label = std::move(label);
    made.start_ns = static_cast<double>(static_cast<std::int64_t>(start - origin));
    made.duration_ns = static_cast<double>(end - start);
    return made;
  }

  DeviceSpan span_of(const DeviceWork& work, std::uint64_t origin, int steps) const {
    const LoadedKernel kernel = session_->kernel(work.dispatch.kernel);
    const auto direction = static_cast<std::size_t>(work.copy);
    DeviceSpan made = span(work.copy == 0 ? "kernel" : "copy",
                           work.copy == 0 ? kernel.name : kDirections[direction < kDirections.size() ? direction : 0], work.start,
                           work.end, origin);
    if (work.id != 0) {
      made.run = (static_cast<int>(work.id) - 1) / steps;
      made.step = (static_cast<int>(work.id) - 1) % steps;
    }
    made.bytes = work.bytes;
    if (work.copy != 0) return made;
    const RocprofDispatch& dispatch = work.dispatch;
    made.stream = static_cast<std::int64_t>(dispatch.queue);
    made.grid = blocks_of(dispatch);
    made.block.assign(std::begin(dispatch.group), std::end(dispatch.group));
    made.registers = kernel.registers;
    made.static_shared = kernel.group_bytes;
    made.dynamic_shared = std::max<std::int64_t>(0, dispatch.group_bytes - kernel.group_bytes);
    made.local = dispatch.private_bytes;
    return made;
  }

  std::shared_ptr<RocprofSession> session_;
  std::function<Status()> synchronize_;
};

}  // namespace

std::unique_ptr<DeviceTracer> make_rocprof_tracer(std::shared_ptr<RocprofSession> session, std::function<Status()> synchronize) {
  return std::make_unique<RocprofTracer>(std::move(session), std::move(synchronize));
}

}  // namespace fuselab::hip
