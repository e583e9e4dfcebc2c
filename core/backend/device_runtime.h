// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/measure/timing.h"

namespace fuselab {

// Memory of a device: an opaque handle, never a pointer outside the runtime that made it.
struct Buffer {
  std::uint64_t handle = 0;
  Bytes size;
  std::int64_t offset = 0;
  std::int64_t alignment = 64;
  BufferRole role = BufferRole::kIn;
};

// A kernel that is loaded and can be launched. It must be destroyed before its runtime.
class Executable {
 public:
  virtual ~Executable() = default;
  // Launches the kernel once, with arguments in ABI order, and returns when it is queued. Later errors surface at synchronize().
  virtual Status enqueue(std::span<const Buffer> arguments) = 0;
};

// The indices that an executable met out of range.
struct WrongIndices {
  std::int64_t count = 0;               // how often it met one
  std::int64_t index = 0, entries = 0;  // an example, and how many there are of what it names
};

// Optional ability of an executable: dynamic_cast from Executable. An index out of range is counted, and the nearest entry is
// taken.
class IndexCount {
 public:
  virtual ~IndexCount() = default;
  // Returns what it met since it was loaded; of a kernel without an index nothing. To be called when no launch is under way.
  virtual Result<WrongIndices> wrong_indices() const = 0;
};

// One step of a plan, bound to buffers.
struct Launch {
  Executable* executable = nullptr;
  std::vector<Buffer> arguments;
};

// One opened device. Used by one thread of a measure worker, owned by one job.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  virtual const DeviceInfo& info() const = 0;
  // Allocates guarded memory: reading or writing past the end of the size (rounded up to the element) faults or is found by
  // looking after the guards.
  virtual Result<Buffer> allocate(Bytes size, BufferRole role) = 0;
  virtual Status release(const Buffer& buffer) = 0;
  virtual Status upload(const Buffer& to, std::span<const std::byte> from) = 0;
  virtual Status download(std::span<std::byte> to, const Buffer& from) = 0;
  virtual Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) = 0;
  virtual Status synchronize() = 0;
  // Runs `sequence` (kernels back to back) `repetitions` times and times the whole. One sample consists of such timings.
  virtual Result<Timing> time(std::span<const Launch> sequence, int repetitions) = 0;
};

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. Evicts what the next launches would find in caches.
class CacheControl {
 public:
  virtual ~CacheControl() = default;
  // Evicts the caches. The eviction is at least queued on return; for the host processor's caches, whose state is checked, it is
  // complete.
  virtual Status flush_caches() = 0;
};

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. Measures the overhead that its timings contain.
class TimerProbe {
 public:
  virtual ~TimerProbe() = default;
  // Returns `times` timings taken as time() takes them, with nothing between their two readings. Takes milliseconds.
  virtual Result<std::vector<Timing>> time_nothing(int times) = 0;
};

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. Measures the device's own limits with streams written
// independently of the kernel generator, so that a generated kernel cannot be its own judge.
class CeilingProbe {
 public:
  virtual ~CeilingProbe() = default;
  // Measures the bandwidth of `read_streams` + `write_streams` arrays of footprint / (read + write) bytes each, one row per store
  // kind and thread count; never below memcpy measured beside it. Spends about `seconds`.
  virtual Result<std::vector<Ceiling>> measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) = 0;
  // Measures the rate of f32 multiply-adds, one row per thread count.
  virtual Result<std::vector<Ceiling>> measure_flops(double seconds) = 0;
};

}  // namespace fuselab
