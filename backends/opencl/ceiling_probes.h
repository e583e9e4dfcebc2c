// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/gpu/rates.h"
#include "backends/opencl/device_memory.h"
#include "backends/opencl/opencl_context.h"
#include "core/backend/device_info.h"
#include "core/measure/timing.h"

namespace fuselab::opencl {

// Measures a device's limits with the clock that its kernels are timed by. Must be destroyed before the context.
class CeilingProbes {
 public:
  CeilingProbes(OpenClContext& context, const DeviceInfo& info, TimingSource clock)
      : context_(context), info_(info), clock_(clock) {}

  // See CeilingProbe::measure_streams; `threads` of a row is the size of a work-group.
  Result<std::vector<Ceiling>> streams(int reads, int writes, Bytes footprint, double seconds);
  // Measures "flops", and "flops-f64" where there are doubles; "launch" (launches of an empty kernel per second, queued back to
  // back); "host-to-device" and "device-to-host" (bytes per second) where the device has memory of its own.
  Result<std::vector<Ceiling>> rates(double seconds);

 private:
  using Rate = gpu::Rate;
  using Streams = gpu::StreamArrays<DeviceMemory>;
  // Queues one command of what is measured.
  using Queue = std::function<Status(abi::Event*)>;

  Result<const BuiltProgram*> program(const std::string& text);
  Result<DeviceMemory> memory(Bytes size) { return DeviceMemory::create(context_, size, gpu::Access::kWritten); }
  // Returns the amount per second of a command that does `amount`.
  Result<Rate> sample(double amount, double seconds, TimingSource clock, const Queue& queue);
  Result<Rate> stream_rate(const BuiltProgram& program, int width, const gpu::StreamMix& mix, Streams& streams, std::size_t group,
                           double seconds);
  Result<Rate> copy_rate(const gpu::StreamMix& mix, Streams& streams, double seconds);
  Result<Rate> arithmetic_rate(const std::string& type, double seconds);
  Result<Rate> launch_rate(double seconds);
  Result<Rate> host_copy_rate(bool to_device, double seconds);
  std::size_t units() const;

  OpenClContext& context_;
  const DeviceInfo& info_;
  TimingSource clock_;
  std::map<std::string, BuiltProgram> programs_;  // by source text
};

}  // namespace fuselab::opencl
