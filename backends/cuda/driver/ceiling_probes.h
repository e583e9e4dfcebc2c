// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "backends/cuda/driver/ceiling_kernels.h"
#include "backends/cuda/driver/cuda_executable.h"
#include "backends/cuda/driver/device_memory.h"
#include "backends/cuda/driver/sequence_timer.h"
#include "backends/gpu/rates.h"
#include "core/backend/backend.h"

namespace fuselab::cuda {

// Measures a device's limits. Where the compiler cannot be used, streams are measured by the driver's own copies alone. Must be
// destroyed before the context and the timer.
class CeilingProbes {
 public:
  CeilingProbes(CudaContext& context, SequenceTimer& timer, const DeviceInfo& info, Compiler& compiler)
      : context_(context), timer_(timer), info_(info), compiler_(compiler) {}

  // See CeilingProbe::measure_streams; `threads` of a row is the number of a block's threads.
  Result<std::vector<Ceiling>> streams(int reads, int writes, Bytes footprint, double seconds);
  // Measures "flops" and "flops-f64", "launch" and "launch-eager" (launches per second: replayed in a graph, and one by one from
  // the host), "host-to-device" and "device-to-host" (bytes per second, page-locked memory).
  Result<std::vector<Ceiling>> rates(double seconds);

 private:
  using Rate = gpu::Rate;
  using Streams = gpu::StreamArrays<DeviceMemory>;

  Result<LoadedCubin*> module(const std::string& text, const std::string& entry);
  Result<DeviceMemory> memory(Bytes size) { return DeviceMemory::create(context_, size, gpu::Access::kWritten); }
  // Returns the amount per second of work that does `amount` per run; `key` is the key of its graph.
  Result<Rate> sample(double amount, double seconds, std::uint64_t key, const std::function<Status()>& enqueue);
  Result<Rate> sample_eagerly(double amount, double seconds, const std::function<Status()>& enqueue);
  Result<Rate> stream_rate(LoadedCubin& module, const StreamProbe& probe, const gpu::StreamMix& mix, Streams& streams,
                           unsigned threads, double seconds);
  Result<Rate> copy_rate(const gpu::StreamMix& mix, Streams& streams, double seconds);
  Result<Rate> launch_rate(abi::Function function, const LaunchShape& shape, double amount, double seconds, bool eager);
  Result<Rate> host_copy_rate(bool to_device, double seconds);

  CudaContext& context_;
  SequenceTimer& timer_;
  const DeviceInfo& info_;
  Compiler& compiler_;
  std::map<std::string, LoadedCubin> modules_;  // by source text
};

}  // namespace fuselab::cuda
