// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backends/gpu/buffer_table.h"
#include "backends/opencl/ceiling_probes.h"
#include "backends/opencl/device_memory.h"
#include "backends/opencl/opencl_device.h"
#include "core/backend/device_runtime.h"

namespace fuselab::opencl {

// Returns the clock that a device's samples are read from.
TimingSource clock_of(const DeviceInfo& info);

// An opened OpenCL device. Buffers lie between zones of a pattern, which synchronize() and release() check. Used by the thread that
// opened it. For a GPU whose vendor's library is known it is a DeviceMonitor as well.
class OpenClRuntime : public DeviceRuntime, public CacheControl, public CeilingProbe, public TimerProbe {
 public:
  static Result<std::unique_ptr<DeviceRuntime>> open(std::shared_ptr<const OpenClLibrary> library, const OpenClDevice& device,
                                                     OnLost on_lost = gpu::end_process);

  const DeviceInfo& info() const override { return info_; }
  Result<Buffer> allocate(Bytes size, BufferRole role) override;
  Status release(const Buffer& buffer) override;
  Status upload(const Buffer& to, std::span<const std::byte> from) override;
  Status download(std::span<std::byte> to, const Buffer& from) override;
  Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) override;
  Status synchronize() override;
  // Times from before the first launch is queued to after the last one ended (host clock), or from where the first began to where
  // the last ended (device events), depending on clock_of().
  Result<Timing> time(std::span<const Launch> sequence, int repetitions) override;

  Status flush_caches() override;
  Result<std::vector<Ceiling>> measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) override;
  Result<std::vector<Ceiling>> measure_flops(double seconds) override;
  // Times with the host's clock, including the wait for an empty queue.
  // Fails with kUnsupported with device events, which only a launch has.
  Result<std::vector<Timing>> time_nothing(int times) override;

  // These are for executables.
  OpenClContext& context() { return *context_; }
  Result<abi::Memory> memory_of(const Buffer& buffer);
  void ran() { buffers_.set_checked(false); }

 protected:
  explicit OpenClRuntime(DeviceInfo info) : info_(std::move(info)) {}

 private:
  Status room_for(Bytes size) const;
  Status make_evictor();
  CeilingProbes& probes();

  DeviceInfo info_;
  std::unique_ptr<OpenClContext> context_;  // outlives all that follows
  gpu::BufferTable<DeviceMemory> buffers_;
  struct Evictor;
  struct EvictorDeleter {
    void operator()(Evictor* evictor) const;
  };
  std::unique_ptr<Evictor, EvictorDeleter> evictor_;
  std::unique_ptr<CeilingProbes> probes_;
};

}  // namespace fuselab::opencl
