// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/xla/library/pjrt_library.h"
#include "core/backend/device_runtime.h"

namespace fuselab::xla {

// The memory of one buffer: what the host wrote last, or what XLA holds, which then is the newer. XLA gives its memory a type; a
// buffer that holds results of several types in turn has memory for each.
struct XlaMemory {
  Bytes size;
  std::vector<std::byte> host;
  struct OnDevice {
    DeviceBuffer buffer;
    DType dtype = DType::kF32;
    std::int64_t elements = 0;
    int threads = 0;  // of its client: a program of another client cannot read it

    bool holds(DType type, std::int64_t count, int client) const { return dtype == type && elements == count && threads == client; }
  };
  std::optional<OnDevice> device;
  std::vector<OnDevice> spare;
};

// This process's processor as XLA drives it. Buffers cannot be guarded: XLA owns the memory that its programs work in. Used by the
// thread that opened it.
class XlaRuntime final : public DeviceRuntime, public CacheControl, public TimerProbe {
 public:
  XlaRuntime(std::shared_ptr<PjrtLibrary> library, DeviceInfo info) : library_(std::move(library)), info_(std::move(info)) {}

  const DeviceInfo& info() const override { return info_; }
  Result<Buffer> allocate(Bytes size, BufferRole role) override;
  Status release(const Buffer& buffer) override;
  Status upload(const Buffer& to, std::span<const std::byte> from) override;
  Status download(std::span<std::byte> to, const Buffer& from) override;
  Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) override;
  Status synchronize() override { return {}; }  // enqueue() has waited
  // Inputs are copied to XLA, and memory for outputs is allocated, before the clock starts: a launch gives XLA the memory of its
  // outputs, which a user of XLA donates. What lies inside: memory that XLA needs within a program, and waiting for all outputs at
  // the end of each repetition.
  Result<Timing> time(std::span<const Launch> sequence, int repetitions) override;

  Status flush_caches() override;
  Result<std::vector<Timing>> time_nothing(int times) override;

  // For executables.
  PjrtLibrary& library() { return *library_; }
  Result<XlaMemory*> memory_of(const Buffer& buffer);
  // Returns XLA's buffer with this type for a client, copying where it does not hold it.
  Result<abi::PjrtBuffer*> input(const Buffer& buffer, DType dtype, std::int64_t elements, int threads);
  // Returns memory of this type for a client that a launch may overwrite. What the host wrote last is in it, or what an earlier
  // launch of this type did: the launch writes all of it.
  Result<abi::PjrtBuffer*> output(const Buffer& buffer, DType dtype, std::int64_t elements, int threads);

 private:
  Status read_back(XlaMemory& memory) const;

  std::shared_ptr<PjrtLibrary> library_;
  DeviceInfo info_;
  std::map<std::pair<std::uint64_t, std::int64_t>, XlaMemory> memory_;  // by handle and offset: a part is memory of its own
  std::uint64_t last_handle_ = 0;
  std::vector<std::byte> evictor_;  // larger than the last cache; made on first use
};

}  // namespace fuselab::xla
