// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_runtime.h"

#include <algorithm>
#include <array>

#include "backends/cuda/driver/cuda_executable.h"
#include "core/platform/system/clock.h"

namespace fuselab::cuda {
namespace {

using platform::monotonic_now;

constexpr std::size_t kStagingBytes = std::size_t{4} << 20;
constexpr std::int64_t kDefaultL2 = std::int64_t{64} << 20;
constexpr double kIdleAfter = 1e9;     // ns without work: clocks may have fallen
constexpr double kWakingTime = 100e6;  // ns of work until they have risen

class CudaExecutable final : public Executable, public IndexCount {
 public:
  // A function and how it is launched.
  struct Step {
    abi::Function function;
    LaunchShape shape;
  };
  CudaExecutable(CudaRuntime& runtime, LoadedCubin module, std::vector<Step> steps, std::vector<KernelArgument> arguments)
      : runtime_(runtime),
        module_(std::move(module)),
        counter_(module_.wrong_index()),
        steps_(std::move(steps)),
        arguments_(std::move(arguments)) {}
  CudaExecutable(const CudaExecutable&) = delete;
  CudaExecutable& operator=(const CudaExecutable&) = delete;
  ~CudaExecutable() override { runtime_.forget(identity()); }

  std::uint64_t identity() const { return reinterpret_cast<std::uintptr_t>(this); }

  Status enqueue(std::span<const Buffer> arguments) override {
    FL_TRY(std::vector<abi::DevicePointer> addresses, bind(arguments));
    return enqueue(addresses);
  }

  Result<WrongIndices> wrong_indices() const override {
    std::array<std::int64_t, 3> met{};
    if (counter_) FL_TRY_VOID(runtime_.copy_out(std::as_writable_bytes(std::span(met)), *counter_));
    return WrongIndices{met[0], met[1], met[2]};
  }

  Result<std::vector<abi::DevicePointer>> bind(std::span<const Buffer> arguments) const {
    if (arguments.size() != arguments_.size()) {
      return invalid_argument("the kernel takes " + std::to_string(arguments_.size()) + " buffers, got " +
                              std::to_string(arguments.size()));
    }
    std::vector<abi::DevicePointer> addresses;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      FL_TRY(const abi::DevicePointer address, runtime_.address_of(arguments[i]));
      const auto alignment = static_cast<abi::DevicePointer>(std::max<std::int64_t>(1, arguments_[i].alignment));
      if (address % alignment != 0) {
        return invalid_argument("the buffer of '" + arguments_[i].name + "' is not aligned to " + std::to_string(alignment) +
                                " bytes");
      }
      addresses.push_back(address);
    }
    return addresses;
  }

  Status enqueue(std::vector<abi::DevicePointer>& addresses) {
    std::vector<void*> pointers;
    for (abi::DevicePointer& address : addresses) pointers.push_back(&address);
    runtime_.ran();
    for (const Step& step : steps_) FL_TRY_VOID(launch(runtime_.context(), step.function, step.shape, pointers));
    return {};
  }

 private:
  CudaRuntime& runtime_;
  LoadedCubin module_;
  std::optional<abi::DevicePointer> counter_;
  std::vector<Step> steps_;
  std::vector<KernelArgument> arguments_;
};

// Launches in a row, bound now: the buffers of each are its own.
Result<SequenceTimer::Work> work_of(std::span<const Launch> launches) {
  SequenceTimer::Work work;
  std::vector<std::vector<abi::DevicePointer>> addresses;
  for (const Launch& step : launches) {
    auto& executable = static_cast<CudaExecutable&>(*step.executable);
    FL_TRY(std::vector<abi::DevicePointer> bound, executable.bind(step.arguments));
    work.key.push_back(executable.identity());
    for (const Buffer& buffer : step.arguments) {
      work.key.insert(work.key.end(), {buffer.handle, static_cast<std::uint64_t>(buffer.offset)});
    }
    addresses.push_back(std::move(bound));
  }
  work.nodes = static_cast<int>(launches.size());
  work.enqueue = [launches, addresses = std::move(addresses)]() mutable -> Status {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      FL_TRY_VOID(static_cast<CudaExecutable&>(*launches[i].executable).enqueue(addresses[i]));
    }
    return {};
  };
  return work;
}

}  // namespace

Result<std::unique_ptr<DeviceRuntime>> CudaRuntime::open(std::shared_ptr<const CudaDriver> driver, DeviceInfo info,
                                                         Compiler& compiler, OnLost on_lost) {
  const int ordinal = info.index;
  std::unique_ptr<CudaRuntime> runtime(new CudaRuntime(std::move(info), compiler));
  FL_TRY(runtime->context_, CudaContext::open(std::move(driver), ordinal, std::move(on_lost)));
  FL_TRY(runtime->timer_, SequenceTimer::create(*runtime->context_));
  FL_TRY(PinnedMemory staging, PinnedMemory::create(*runtime->context_, kStagingBytes));
  runtime->staging_ = std::move(staging);
  runtime->note_free_memory();
  return std::unique_ptr<DeviceRuntime>(std::move(runtime));
}

CudaRuntime::~CudaRuntime() = default;

void CudaRuntime::note_free_memory() {
  std::size_t free = 0, total = 0;
  if (context_->calls().memory_info(&free, &total) == abi::kSuccess) info_.free_memory_bytes = static_cast<std::int64_t>(free);
}

Result<Buffer> CudaRuntime::allocate(Bytes size, BufferRole role) {
  FL_TRY(DeviceMemory memory, DeviceMemory::create(*context_, size, gpu::access_of(role)));
  const Buffer buffer = buffers_.add(std::move(memory), role);
  note_free_memory();
  return buffer;
}

Status CudaRuntime::release(const Buffer& buffer) {
  Status intact = buffers_.remove(buffer, is_intact());
  note_free_memory();
  return intact;
}

Result<abi::DevicePointer> CudaRuntime::address_of(const Buffer& buffer) {
  FL_TRY(const auto place, buffers_.find(buffer, info_.id));
  return place.memory.address() + static_cast<abi::DevicePointer>(place.offset);
}

Status CudaRuntime::upload(const Buffer& to, std::span<const std::byte> from) {
  FL_TRY(const auto place, buffers_.find_for_upload(to, from, info_.id));
  return copy_to_device(*context_, *staging_, place.memory.address() + static_cast<abi::DevicePointer>(place.offset), from);
}

Status CudaRuntime::download(std::span<std::byte> to, const Buffer& from) {
  FL_TRY(const auto place, buffers_.find_for_download(to, from, info_.id));
  return copy_out(to, place.memory.address() + static_cast<abi::DevicePointer>(place.offset));
}

Result<std::unique_ptr<Executable>> CudaRuntime::load(const CompiledKernel& kernel) {
  if (kernel.binary.format != "cubin") {
    return Error{ErrorCode::kUnsupported, "a binary of format '" + kernel.binary.format + "' does not run on " + info_.id};
  }
  const auto runs_here = [&](const Target& target) { return target.id == kernel.identity.target; };
  if (!runs_here(info_.target) && std::none_of(info_.other_targets.begin(), info_.other_targets.end(), runs_here)) {
    return Error{ErrorCode::kUnsupported, info_.name + " does not run code for " + kernel.identity.target};
  }
  FL_TRY(const LaunchShape shape, shape_of(kernel, info_));
  FL_TRY(LoadedCubin module, LoadedCubin::load(*context_, kernel.binary));
  FL_TRY(const abi::Function function, module.function(kernel.abi.entry));
  const auto& calls = context_->calls();
  if (shape.dynamic_shared > 0) {
    FL_TRY_VOID(context_->check(
        calls.set_function_attribute(function, abi::kFunctionMaxDynamicSharedBytes, static_cast<int>(shape.dynamic_shared)),
        "asking for " + format_bytes({shape.dynamic_shared}) + " of shared memory"));
  }
  int blocks = 0;
  FL_TRY_VOID(context_->check(calls.occupancy(&blocks, function, static_cast<int>(shape.threads()), shape.dynamic_shared),
                              "asking for the kernel's occupancy"));
  if (blocks < 1) return Error{ErrorCode::kUnsupported, "not one block of the kernel fits a multiprocessor of " + info_.name};
  std::vector<CudaExecutable::Step> steps = {{function, shape}};
  FL_TRY(const std::optional<Follower> follower, follower_of(kernel, info_));
  if (follower) {
    FL_TRY(const abi::Function then, module.function(follower->entry));
    steps.push_back({then, follower->shape});
  }
  return std::unique_ptr<Executable>(
      std::make_unique<CudaExecutable>(*this, std::move(module), std::move(steps), kernel.abi.arguments));
}

Status CudaRuntime::synchronize() {
  FL_TRY_VOID(context_->synchronize("running a kernel"));
  if (buffers_.checked()) return {};
  FL_TRY_VOID(buffers_.check(is_intact()));
  buffers_.set_checked(true);
  return {};
}

Result<Timing> CudaRuntime::time(std::span<const Launch> sequence, int repetitions) {
  if (repetitions < 1) return invalid_argument("what is timed runs at least once");
  if (sequence.empty()) return invalid_argument("nothing is to be timed");
  FL_TRY_VOID(wake());
  std::vector<SequenceTimer::Work> works;
  for (std::size_t begin = 0; begin < sequence.size(); begin += SequenceTimer::kMostNodes) {
    const auto part = sequence.subspan(begin, std::min<std::size_t>(SequenceTimer::kMostNodes, sequence.size() - begin));
    FL_TRY(SequenceTimer::Work work, work_of(part));
    works.push_back(std::move(work));
  }
  FL_TRY(const Nanoseconds duration, timer_->time(works, repetitions));
  last_busy_ns_ = monotonic_now().count;
  return Timing{duration, TimingSource::kDeviceEvents};
}

Status CudaRuntime::fill_evictor() {
  if (!evictor_) {
    const auto l2 = info_.target.limits.find("l2_bytes");
    FL_TRY(DeviceMemory memory,
           DeviceMemory::create(*context_, {2 * (l2 == info_.target.limits.end() || l2->second <= 0 ? kDefaultL2 : l2->second)},
                                Access::kWritten));
    evictor_ = std::move(memory);
  }
  return evictor_->fill(++evictions_, "emptying the caches");
}

Status CudaRuntime::wake() {
  const double start = monotonic_now().count;
  if (start - last_busy_ns_ < kIdleAfter) return {};
  while (monotonic_now().count - start < kWakingTime) {
    for (int i = 0; i < 8; ++i) FL_TRY_VOID(fill_evictor());
    FL_TRY_VOID(context_->synchronize("waking the device"));
  }
  last_busy_ns_ = monotonic_now().count;
  return {};
}

// Queued, not awaited: the device is still at it while the host queues what comes next.
Status CudaRuntime::flush_caches() {
  FL_TRY_VOID(wake());
  FL_TRY_VOID(fill_evictor());
  last_busy_ns_ = monotonic_now().count;
  return {};
}

Result<CeilingProbes*> CudaRuntime::probes() {
  FL_TRY_VOID(wake());
  if (probes_ == nullptr) probes_ = std::make_unique<CeilingProbes>(*context_, *timer_, info_, compiler_);
  return probes_.get();
}

Result<std::vector<Ceiling>> CudaRuntime::measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) {
  FL_TRY(CeilingProbes* const ready, probes());
  auto rows = ready->streams(read_streams, write_streams, footprint, seconds);
  last_busy_ns_ = monotonic_now().count;
  return rows;
}

Result<std::vector<Ceiling>> CudaRuntime::measure_flops(double seconds) {
  FL_TRY(CeilingProbes* const ready, probes());
  auto rows = ready->rates(seconds);
  last_busy_ns_ = monotonic_now().count;
  return rows;
}

Result<std::vector<Timing>> CudaRuntime::time_nothing(int times) {
  FL_TRY_VOID(wake());
  std::vector<Timing> timings;
  for (int i = 0; i < times; ++i) {
    FL_TRY(const Nanoseconds duration, timer_->time_nothing());
    timings.push_back({duration, TimingSource::kDeviceEvents});
  }
  last_busy_ns_ = monotonic_now().count;
  return timings;
}

Result<DeviceState> CudaRuntime::state() {
  return sensors_.state();
}

std::string CudaRuntime::driver_version() {
  return sensors_.driver_version();
}

}  // namespace fuselab::cuda
