// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/host/host_memory.h"
#include "backends/host/processor.h"
#include "backends/library/host/host_library.h"
#include "core/backend/device_runtime.h"

namespace fuselab::library {

// This process's processor as a library drives it: guarded buffers, and the same wall-clock timing as the cpu backend's, so that
// the two can be compared. Used by the thread that opened it.
class PlanRuntime final : public DeviceRuntime, public CacheControl, public TimerProbe {
 public:
  PlanRuntime(std::shared_ptr<HostLibrary> library, DeviceInfo info)
      : library_(std::move(library)), info_(std::move(info)), memory_(info_.id) {}

  const DeviceInfo& info() const override { return info_; }
  Result<Buffer> allocate(Bytes size, BufferRole role) override { return memory_.allocate(size, role); }
  Status release(const Buffer& buffer) override { return memory_.release(buffer); }
  Status upload(const Buffer& to, std::span<const std::byte> from) override { return memory_.upload(to, from); }
  Status download(std::span<std::byte> to, const Buffer& from) override { return memory_.download(to, from); }
  Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) override;
  Status synchronize() override { return memory_.check_fences(); }
  // Binds every launch before the clock starts.
  Result<Timing> time(std::span<const Launch> sequence, int repetitions) override;

  Status flush_caches() override;
  Result<std::vector<Timing>> time_nothing(int times) override;

  // These are for executables.
  Result<Places> locate(std::span<const Buffer> arguments) const;
  HostLibrary& library() { return *library_; }

 private:
  std::shared_ptr<HostLibrary> library_;
  DeviceInfo info_;
  host::HostMemory memory_;
  // Those of the process, before a library keeps the calling thread on some of them.
  std::vector<int> cpus_ = host::usable_cpus();
  std::vector<std::byte> evictor_;  // larger than the last cache; made on first use
};

}  // namespace fuselab::library
