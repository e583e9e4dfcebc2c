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
#include "core/measure/ceiling.h"
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

// A kernel that is loaded and can be launched. Dies before its runtime.
class Executable {
 public:
  virtual ~Executable() = default;
  // Launches once, arguments in ABI order; returns when queued. Late errors surface at synchronize().
  virtual Status enqueue(std::span<const Buffer> arguments) = 0;
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
  // Guarded: reading or writing past the end of the size (rounded up to the element) faults or is found by check_guards.
  virtual Result<Buffer> allocate(Bytes size, BufferRole role) = 0;
  virtual Status release(const Buffer& buffer) = 0;
  virtual Status upload(const Buffer& to, std::span<const std::byte> from) = 0;
  virtual Status download(std::span<std::byte> to, const Buffer& from) = 0;
  virtual Result<std::unique_ptr<Executable>> load(const CompiledKernel& kernel) = 0;
  virtual Status synchronize() = 0;
  // Runs `sequence` (kernels back to back) `repetitions` times and times the whole: what a sample is made of.
  virtual Result<Timing> time(std::span<const Launch> sequence, int repetitions) = 0;
};

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. Evicts what the next launches would find in caches.
class CacheControl {
 public:
  virtual ~CacheControl() = default;
  virtual Status flush_caches() = 0;  // queued at least; done where they are the host processor's, which are looked into
};

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. What its timings hold besides what is timed.
class TimerProbe {
 public:
  virtual ~TimerProbe() = default;
  // `times` timings as time() takes them, with nothing between their two readings. Takes milliseconds.
  virtual Result<std::vector<Timing>> time_nothing(int times) = 0;
};

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. Measures the device's own limits with streams written
// independently of the kernel generator, so that a generated kernel cannot be its own judge.
class CeilingProbe {
 public:
  virtual ~CeilingProbe() = default;
  // Bandwidth of `read_streams` + `write_streams` arrays of footprint / (read + write) bytes each, one row per store kind and
  // thread count; never below memcpy measured beside it. Spends about `seconds`.
  virtual Result<std::vector<Ceiling>> measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) = 0;
  // Multiply-add rate, one row per thread count. f32.
  virtual Result<std::vector<Ceiling>> measure_flops(double seconds) = 0;
};

}  // namespace fuselab
