// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_trouble.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "backends/null/null_tracer.h"
#include "core/backend/device_monitor.h"

namespace fuselab::null {
namespace {

constexpr int kExitCode = 70;  // as the backends of real devices end a process whose device is lost

class ThrottledRuntime final : public NullRuntime, public DeviceMonitor {
 public:
  using NullRuntime::NullRuntime;
  Result<DeviceState> state() override {
    DeviceState state;
    state.throttle = kHardwareThermal;
    return state;
  }
  std::string driver_version() override { return "scripted"; }
};

class BackwardsRuntime final : public NullRuntime {
 public:
  using NullRuntime::NullRuntime;
  Result<Timing> time(std::span<const Launch> sequence, int repetitions) override {
    FL_TRY(Timing timing, NullRuntime::time(sequence, repetitions));
    constexpr int kEvery = 7;
    if (++timings_ % kEvery == 0) timing.duration.count = -timing.duration.count;
    return timing;
  }

 private:
  int timings_ = 0;
};

class LostExecutable final : public Executable {
 public:
  Status enqueue(std::span<const Buffer>) override {
    std::fputs("scripted: the device is lost\n", stderr);
    std::fflush(stderr);
    std::_Exit(kExitCode);
  }
};

class LostRuntime final : public NullRuntime {
 public:
  using NullRuntime::NullRuntime;
  Result<std::unique_ptr<Executable>> load(const CompiledKernel&) override {
    return std::unique_ptr<Executable>(std::make_unique<LostExecutable>());
  }
};

}  // namespace

std::unique_ptr<DeviceRuntime> make_runtime(const DeviceInfo& device) {
  const char* const set = std::getenv("FUSELAB_NULL_TROUBLE");
  const std::string_view trouble = set != nullptr ? set : "";
  if (trouble == "throttled") return std::make_unique<ThrottledRuntime>(device);
  if (trouble == "clock") return std::make_unique<BackwardsRuntime>(device);
  if (trouble == "lost") return std::make_unique<LostRuntime>(device);
  CounterTrouble counters = CounterTrouble::kNone;
  if (trouble == "counters-denied") counters = CounterTrouble::kDenied;
  if (trouble == "counters-crash") counters = CounterTrouble::kCrash;
  if (trouble == "counters-hang") counters = CounterTrouble::kHang;
  if (trouble == "counters-fail") counters = CounterTrouble::kFailingPass;
  TraceTrouble traces = TraceTrouble::kNone;
  if (trouble == "trace-denied") traces = TraceTrouble::kDenied;
  if (trouble == "trace-crash") traces = TraceTrouble::kCrash;
  if (trouble == "trace-hang") traces = TraceTrouble::kHang;
  if (trouble == "trace-dropped") traces = TraceTrouble::kDropped;
  return std::make_unique<TracingRuntime>(device, counters, traces);
}

}  // namespace fuselab::null
