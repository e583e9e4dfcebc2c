// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_runtime.h"

#include <algorithm>
#include <cstring>

#include "backends/cpu/cpu_device.h"
#include "backends/cpu/loaded_module.h"
#include "backends/cpu/stream_ceilings.h"
#include "core/platform/clock.h"

namespace fuselab::cpu {
namespace {

constexpr std::int64_t kDefaultLastCache = std::int64_t{32} << 20;

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(CpuRuntime& runtime, LoadedModule module, std::vector<GuardedMemory> scratch, std::size_t arguments,
                std::int64_t tasks, int threads)
      : runtime_(runtime),
        module_(std::move(module)),
        scratch_(std::move(scratch)),
        addresses_(arguments),
        tasks_(tasks),
        threads_(threads) {}

  Status enqueue(std::span<const Buffer> arguments) override {
    FL_TRY_VOID(bind(arguments, addresses_));
    const PinnedScope pinned(runtime_.pool().cpus().front());
    launch(addresses_);
    return Status();
  }

  Status bind(std::span<const Buffer> arguments, std::vector<void*>& addresses) const {
    if (arguments.size() != addresses_.size()) {
      return invalid_argument("the kernel takes " + std::to_string(addresses_.size()) + " buffers, got " +
                              std::to_string(arguments.size()));
    }
    addresses.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      FL_TRY(std::byte* const address, runtime_.address_of(arguments[i]));
      addresses[i] = address;
    }
    return Status();
  }

  // Tasks are handed out in equal runs, the same on every launch: what a thread touched stays in its caches.
  void launch(const std::vector<void*>& addresses) {
    const KernelFunction function = module_.function();
    runtime_.pool().run(threads_, [&](int thread) {
      const std::int64_t begin = tasks_ * thread / threads_;
      const std::int64_t end = tasks_ * (thread + 1) / threads_;
      if (begin < end) function(addresses.data(), scratch_[static_cast<std::size_t>(thread)].data(), begin, end);
    });
  }

 private:
  CpuRuntime& runtime_;
  LoadedModule module_;
  std::vector<GuardedMemory> scratch_;  // one per thread
  std::vector<void*> addresses_;
  std::int64_t tasks_;
  int threads_;
};

Result<std::vector<GuardedMemory>> make_scratch(std::int64_t bytes, int threads) {
  std::vector<GuardedMemory> scratch;
  for (int i = 0; i < threads; ++i) {
    FL_TRY(GuardedMemory memory, GuardedMemory::create({bytes}));
    // Poison: a kernel that reads scratch before it wrote it computes NaN.
    std::memset(memory.data(), 0xFF, memory.size());
    scratch.push_back(std::move(memory));
  }
  return scratch;
}

}  // namespace

Result<Buffer> CpuRuntime::allocate(Bytes size, BufferRole role) {
  FL_TRY(GuardedMemory memory, GuardedMemory::create(size));
  const std::uint64_t handle = ++last_handle_;
  allocations_.emplace(handle, Allocation{std::move(memory), role});
  return Buffer{handle, size, 0, 64, role};
}

Status CpuRuntime::release(const Buffer& buffer) {
  if (allocations_.erase(buffer.handle) == 0) return Error{ErrorCode::kNotFound, "no such buffer: it was released before"};
  return Status();
}

Result<std::byte*> CpuRuntime::address_of(const Buffer& buffer) const {
  const auto found = allocations_.find(buffer.handle);
  if (found == allocations_.end()) return Error{ErrorCode::kNotFound, "no such buffer on " + info_.id};
  const auto room = static_cast<std::int64_t>(found->second.memory.size());
  if (buffer.offset < 0 || buffer.offset + buffer.size.count > room) {
    return invalid_argument("the buffer reaches past its allocation of " + format_bytes({room}));
  }
  return found->second.memory.data() + buffer.offset;
}

Status CpuRuntime::upload(const Buffer& to, std::span<const std::byte> from) {
  FL_TRY(std::byte* const address, address_of(to));
  if (static_cast<std::int64_t>(from.size()) > to.size.count) return invalid_argument("upload is larger than its buffer");
  std::copy(from.begin(), from.end(), address);
  return Status();
}

Status CpuRuntime::download(std::span<std::byte> to, const Buffer& from) {
  FL_TRY(const std::byte* const address, address_of(from));
  if (static_cast<std::int64_t>(to.size()) > from.size.count) return invalid_argument("download is larger than its buffer");
  std::copy(address, address + to.size(), to.begin());
  return Status();
}

Result<std::unique_ptr<Executable>> CpuRuntime::load(const CompiledKernel& kernel) {
  if (kernel.binary.format != "elf-so") {
    return Error{ErrorCode::kUnsupported, "a binary of format '" + kernel.binary.format + "' does not run on " + info_.id};
  }
  const auto runs_here = [&](const Target& target) { return target.id == kernel.identity.target; };
  if (!runs_here(info_.target) && std::none_of(info_.other_targets.begin(), info_.other_targets.end(), runs_here)) {
    return Error{ErrorCode::kUnsupported, info_.name + " does not run code for " + kernel.identity.target};
  }
  FL_TRY(LoadedModule module, LoadedModule::load(kernel.binary.data, kernel.abi.entry));
  FL_TRY(const std::int64_t tasks, kernel.abi.grid_x.evaluate({}));
  FL_TRY(const std::int64_t scratch_bytes, kernel.abi.shared_bytes.evaluate({}));
  const auto wanted = static_cast<int>(kernel.config.integer("threads", 1));
  const int threads = std::clamp(wanted, 1, pool_.size());
  if (threads != wanted) {
    return Error{ErrorCode::kUnsupported, "the configuration wants " + std::to_string(wanted) + " threads, " + info_.id + " has " +
                                              std::to_string(pool_.size())};
  }
  FL_TRY(std::vector<GuardedMemory> scratch, make_scratch(scratch_bytes, threads));
  return std::unique_ptr<Executable>(
      std::make_unique<CpuExecutable>(*this, std::move(module), std::move(scratch), kernel.abi.arguments.size(), tasks, threads));
}

Status CpuRuntime::synchronize() {
  for (const auto& [handle, allocation] : allocations_) {
    if (allocation.memory.intact()) continue;
    return Error{ErrorCode::kLaunchFailed, "a kernel wrote outside the '" + std::string(name_of(allocation.role)) + "' buffer of " +
                                               format_bytes({static_cast<std::int64_t>(allocation.memory.size())})};
  }
  return Status();
}

Result<Timing> CpuRuntime::time(std::span<const Launch> sequence, int repetitions) {
  std::vector<std::vector<void*>> addresses(sequence.size());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    auto& executable = static_cast<CpuExecutable&>(*sequence[i].executable);
    FL_TRY_VOID(executable.bind(sequence[i].arguments, addresses[i]));
  }
  const PinnedScope pinned(pool_.cpus().front());
  const Nanoseconds start = platform::monotonic_now();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      static_cast<CpuExecutable&>(*sequence[i].executable).launch(addresses[i]);
    }
  }
  const Nanoseconds end = platform::monotonic_now();
  return Timing{{end.count - start.count}, TimingSource::kHostWall};
}

Status CpuRuntime::flush_caches() {
  if (evictor_.empty()) {
    const auto last = info_.target.limits.find("l3_bytes");
    evictor_.resize(static_cast<std::size_t>(4 * (last == info_.target.limits.end() ? kDefaultLastCache : last->second)));
  }
  // Written, not read: every line must be owned by this buffer afterwards. All threads, because upper caches are their own: the
  // calling one's are those of the processor that it will time on.
  const PinnedScope pinned(pool_.cpus().front());
  const int threads = pool_.size();
  pool_.run(threads, [&](int thread) {
    const std::size_t begin = evictor_.size() * static_cast<std::size_t>(thread) / static_cast<std::size_t>(threads);
    const std::size_t end = evictor_.size() * static_cast<std::size_t>(thread + 1) / static_cast<std::size_t>(threads);
    for (std::size_t i = begin; i < end; i += 64) evictor_[i] = static_cast<std::byte>(static_cast<unsigned>(evictor_[i]) + 1U);
  });
  return Status();
}

Result<std::vector<Ceiling>> CpuRuntime::measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) {
  return measure_stream_ceilings(pool_, read_streams, write_streams, footprint, seconds);
}

Result<std::vector<Ceiling>> CpuRuntime::measure_flops(double seconds) {
  return measure_flop_ceilings(pool_, seconds);
}

Result<std::unique_ptr<DeviceRuntime>> open_cpu(const DeviceInfo& device) {
  const DeviceInfo here = describe_cpu();
  if (device.id != here.id) return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': this machine has cpu:0"};
  return std::unique_ptr<DeviceRuntime>(std::make_unique<CpuRuntime>(here, usable_cpus()));
}

}  // namespace fuselab::cpu
