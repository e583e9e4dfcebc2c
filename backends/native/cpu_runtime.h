// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backends/host/host_memory.h"
#include "backends/native/threads/thread_pool.h"
#include "backends/native/threads/thread_scratch.h"
#include "core/backend/device_runtime.h"

namespace fuselab::cpu {

// This process's processor as an opened device: guarded buffers, a pinned pool, wall-clock timing. Denormals are kept in
// every launch. A buffer whose fence was overwritten is reported by synchronize(), naming its role.
class CpuRuntime final : public DeviceRuntime, public CacheControl, public CeilingProbe, public TimerProbe {
 public:
  CpuRuntime(DeviceInfo info, std::vector<int> cpus) : info_(std::move(info)), pool_(std::move(cpus)), memory_(info_.id) {}

  const DeviceInfo& info() const override { return info_; }
  Result<Buffer> allocate(Bytes size, BufferRole role) override { return memory_.allocate(size, role); }
  Status release(const Buffer& buffer) override { return memory_.release(buffer); }
  Status upload(const Buffer& to, std::span<const std::byte> from) override { return memory_.upload(to, from); }
  Status download(std::span<std::byte> to, const Buffer& from) override { return memory_.download(to, from); }
  Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) override;
  Status synchronize() override { return memory_.check_fences(); }
  Result<Timing> time(std::span<const Launch> sequence, int repetitions) override;

  Status flush_caches() override;

  Result<std::vector<Ceiling>> measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) override;
  Result<std::vector<Ceiling>> measure_flops(double seconds) override;
  Result<std::vector<Timing>> time_nothing(int times) override;

  const host::HostMemory& memory() const { return memory_; }  // for executables
  ThreadPool& pool() { return pool_; }
  const ThreadScratch& scratch() const { return scratch_; }

 private:
  DeviceInfo info_;
  ThreadPool pool_;
  host::HostMemory memory_;
  ThreadScratch scratch_;
  std::vector<std::byte> evictor_;  // larger than the last cache; made on first use
};

Result<std::unique_ptr<DeviceRuntime>> open_cpu(const DeviceInfo& device);

}  // namespace fuselab::cpu
