// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "backends/gpu/rates.h"
#include "backends/gpu/stream/ceiling_kernels.h"
#include "backends/gpu/stream/device_memory.h"
#include "backends/gpu/stream/loaded_module.h"
#include "backends/gpu/stream/sequence_timer.h"
#include "core/backend/backend.h"

namespace fuselab::gpu::stream {

// Measures a device's limits. Where the compiler cannot be used, streams are measured by the driver's own copies alone. Must be
// destroyed before the context and the timer.
class CeilingProbes {
 public:
  CeilingProbes(DeviceContext& context, SequenceTimer& timer, const DeviceInfo& info, Compiler& compiler)
      : context_(context), timer_(timer), info_(info), compiler_(compiler) {}

  // See CeilingProbe::measure_streams; `threads` of a row is the number of a block's threads.
  Result<std::vector<Ceiling>> streams(int reads, int writes, Bytes footprint, double seconds);
  // Measures "flops" and "flops-f64", "launch" and "launch-eager" (launches per second: replayed in a graph, and one by one from
  // the host), "host-to-device" and "device-to-host" (bytes per second, page-locked memory).
  Result<std::vector<Ceiling>> rates(double seconds);

 private:
  using Streams = StreamArrays<DeviceMemory>;

  Result<LoadedModule*> module(const std::string& text, const std::string& entry);
  Result<DeviceMemory> memory(Bytes size) { return DeviceMemory::create(context_, size, Access::kWritten); }
  // Returns the amount per second of work that does `amount` per run; `key` is the key of its graph.
  Result<Rate> sample(double amount, double seconds, std::uint64_t key, const std::function<Status()>& enqueue);
  Result<Rate> sample_eagerly(double amount, double seconds, const std::function<Status()>& enqueue);
  Result<Rate> stream_rate(LoadedModule& module, const StreamProbe& probe, const StreamMix& mix, Streams& streams, unsigned threads,
                           double seconds);
  Result<Rate> copy_rate(const StreamMix& mix, Streams& streams, double seconds);
  Result<Rate> launch_rate(abi::Function function, const LaunchShape& shape, double amount, double seconds, bool eager);
  Result<Rate> host_copy_rate(bool to_device, double seconds);

  DeviceContext& context_;
  SequenceTimer& timer_;
  const DeviceInfo& info_;
  Compiler& compiler_;
  std::map<std::string, LoadedModule> modules_;  // by source text
};

}  // namespace fuselab::gpu::stream
