// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/stream/stream_runtime.h"

#include <algorithm>
#include <array>

#include "backends/gpu/stream/module_work.h"
#include "core/platform/system/clock.h"

namespace fuselab::gpu::stream {
namespace {

using platform::monotonic_now;

constexpr std::size_t kStagingBytes = std::size_t{4} << 20;
constexpr std::int64_t kDefaultL2 = std::int64_t{64} << 20;
constexpr double kIdleAfter = 1e9;     // ns without work: clocks may have fallen
constexpr double kWakingTime = 100e6;  // ns of work until they have risen

class StreamExecutable final : public Executable, public IndexCount {
 public:
  StreamExecutable(StreamRuntime& runtime, std::unique_ptr<StreamWork> work, std::vector<KernelArgument> arguments)
      : runtime_(runtime), work_(std::move(work)), arguments_(std::move(arguments)) {}
  StreamExecutable(const StreamExecutable&) = delete;
  StreamExecutable& operator=(const StreamExecutable&) = delete;
  ~StreamExecutable() override { runtime_.forget(identity()); }

  std::uint64_t identity() const { return reinterpret_cast<std::uintptr_t>(this); }

  Status enqueue(std::span<const Buffer> arguments) override {
    FL_TRY(std::vector<abi::DevicePointer> addresses, bind(arguments));
    return enqueue(addresses);
  }

  int kernels() const { return work_->kernels(); }

  Result<WrongIndices> wrong_indices() const override {
    std::array<std::int64_t, 3> met{};
    if (const auto counter = work_->index_counter()) {
      FL_TRY_VOID(runtime_.copy_out(std::as_writable_bytes(std::span(met)), *counter));
    }
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
    runtime_.ran();
    return work_->enqueue(addresses);
  }

 private:
  StreamRuntime& runtime_;
  std::unique_ptr<StreamWork> work_;
  std::vector<KernelArgument> arguments_;
};

// The most kernels that one of the launches has.
std::size_t most_kernels(std::span<const Launch> launches) {
  int most = 1;
  for (const Launch& each : launches) most = std::max(most, static_cast<StreamExecutable&>(*each.executable).kernels());
  return static_cast<std::size_t>(most);
}

// Launches in a row, bound now: the buffers of each are its own.
Result<SequenceTimer::Work> work_of(std::span<const Launch> launches) {
  SequenceTimer::Work work;
  work.nodes = 0;
  std::vector<std::vector<abi::DevicePointer>> addresses;
  for (const Launch& step : launches) {
    auto& executable = static_cast<StreamExecutable&>(*step.executable);
    FL_TRY(std::vector<abi::DevicePointer> bound, executable.bind(step.arguments));
    work.key.push_back(executable.identity());
    for (const Buffer& buffer : step.arguments) {
      work.key.insert(work.key.end(), {buffer.handle, static_cast<std::uint64_t>(buffer.offset)});
    }
    work.nodes += executable.kernels();
    addresses.push_back(std::move(bound));
  }
  work.enqueue = [launches, addresses = std::move(addresses)]() mutable -> Status {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      FL_TRY_VOID(static_cast<StreamExecutable&>(*launches[i].executable).enqueue(addresses[i]));
    }
    return {};
  };
  return work;
}

}  // namespace

Result<std::unique_ptr<DeviceRuntime>> StreamRuntime::open(std::shared_ptr<const Driver> driver, DeviceInfo info,
                                                           Compiler& compiler, OnLost on_lost, WorkLoader loader,
                                                           OpenCounters counters, OpenTracer tracer) {
  const int ordinal = info.index;
  std::unique_ptr<StreamRuntime> runtime(new StreamRuntime(std::move(info), compiler,
                                                           loader.load ? std::move(loader) : module_loader(driver->vendor()),
                                                           std::move(counters), std::move(tracer)));
  FL_TRY(runtime->context_, DeviceContext::open(std::move(driver), ordinal, std::move(on_lost)));
  FL_TRY(runtime->timer_, SequenceTimer::create(*runtime->context_));
  FL_TRY(PinnedMemory staging, PinnedMemory::create(*runtime->context_, kStagingBytes));
  runtime->staging_ = std::move(staging);
  runtime->note_free_memory();
  return std::unique_ptr<DeviceRuntime>(std::move(runtime));
}

StreamRuntime::~StreamRuntime() = default;

void StreamRuntime::note_free_memory() {
  std::size_t free = 0, total = 0;
  if (context_->calls().memory_info(&free, &total) == abi::kSuccess) info_.free_memory_bytes = static_cast<std::int64_t>(free);
}

Result<Buffer> StreamRuntime::allocate(Bytes size, BufferRole role) {
  FL_TRY(DeviceMemory memory, DeviceMemory::create(*context_, size, access_of(role)));
  const Buffer buffer = buffers_.add(std::move(memory), role);
  note_free_memory();
  return buffer;
}

Status StreamRuntime::release(const Buffer& buffer) {
  Status intact = buffers_.remove(buffer, is_intact());
  note_free_memory();
  return intact;
}

Result<abi::DevicePointer> StreamRuntime::address_of(const Buffer& buffer) {
  FL_TRY(const auto place, buffers_.find(buffer, info_.id));
  return place.memory.address() + static_cast<abi::DevicePointer>(place.offset);
}

Status StreamRuntime::upload(const Buffer& to, std::span<const std::byte> from) {
  FL_TRY(const auto place, buffers_.find_for_upload(to, from, info_.id));
  return copy_to_device(*context_, *staging_, place.memory.address() + static_cast<abi::DevicePointer>(place.offset), from);
}

Status StreamRuntime::download(std::span<std::byte> to, const Buffer& from) {
  FL_TRY(const auto place, buffers_.find_for_download(to, from, info_.id));
  return copy_out(to, place.memory.address() + static_cast<abi::DevicePointer>(place.offset));
}

Result<std::unique_ptr<Executable>> StreamRuntime::load(const CompiledKernel& kernel) {
  if (kernel.binary.format != loader_.format) {
    return Error{ErrorCode::kUnsupported, "a binary of format '" + kernel.binary.format + "' does not run on " + info_.id};
  }
  const auto runs_here = [&](const Target& target) { return target.id == kernel.identity.target; };
  if (!runs_here(info_.target) && std::none_of(info_.other_targets.begin(), info_.other_targets.end(), runs_here)) {
    return Error{ErrorCode::kUnsupported, info_.name + " does not run code for " + kernel.identity.target};
  }
  FL_TRY(std::unique_ptr<StreamWork> work, loader_.load(*context_, info_, kernel));
  return std::unique_ptr<Executable>(std::make_unique<StreamExecutable>(*this, std::move(work), kernel.abi.arguments));
}

Result<CounterCollector*> StreamRuntime::counters() {
  if (!open_counters_) return Error{ErrorCode::kUnavailable, "no collector reads counters of " + info_.id};
  if (counters_ == nullptr) {
    FL_TRY(counters_, open_counters_(context_->context(), info_.index, [this] { return synchronize(); }));
  }
  return counters_.get();
}

Result<CounterPasses> StreamRuntime::plan_passes(std::span<const std::string> metrics) {
  FL_TRY(CounterCollector* const collector, counters());
  return collector->plan_passes(metrics);
}

Result<std::vector<Metric>> StreamRuntime::collect_pass(const std::vector<std::string>& pass, std::span<const Launch> sequence) {
  FL_TRY(CounterCollector* const collector, counters());
  return collector->collect_pass(pass, sequence);
}

Result<DeviceTracer*> StreamRuntime::tracer() {
  if (!open_tracer_) return Error{ErrorCode::kUnavailable, "no profiler records " + info_.id + " over time"};
  if (tracer_ == nullptr) {
    // Guard zones are read by copies, which would be recorded as the plan's: they are looked at once a recording has ended.
    FL_TRY(tracer_, open_tracer_(context_->context(), info_.index, [this] { return context_->synchronize("recording"); }));
  }
  return tracer_.get();
}

template <typename Recorded>
Result<Recorded> StreamRuntime::checked(Result<Recorded> recorded) {
  if (recorded.ok()) FL_TRY_VOID(synchronize());
  return recorded;
}

Result<DeviceTrace> StreamRuntime::trace(std::span<const Launch> sequence, int runs) {
  FL_TRY(DeviceTracer* const opened, tracer());
  return checked(opened->trace(sequence, runs));
}

Result<DeviceSeries> StreamRuntime::sample_counters(std::span<const Launch> sequence, double run_ns) {
  FL_TRY(DeviceTracer* const opened, tracer());
  return checked(opened->sample_counters(sequence, run_ns));
}

Result<DeviceSamples> StreamRuntime::sample_code(std::span<const Launch> sequence, std::span<const SampledCode> code) {
  FL_TRY(DeviceTracer* const opened, tracer());
  return checked(opened->sample_code(sequence, code));
}

Status StreamRuntime::synchronize() {
  FL_TRY_VOID(context_->synchronize("running a kernel"));
  if (buffers_.checked()) return {};
  FL_TRY_VOID(buffers_.check(is_intact()));
  buffers_.set_checked(true);
  return {};
}

Result<Timing> StreamRuntime::time(std::span<const Launch> sequence, int repetitions) {
  if (repetitions < 1) return invalid_argument("what is timed runs at least once");
  if (sequence.empty()) return invalid_argument("nothing is to be timed");
  FL_TRY_VOID(wake());
  std::vector<SequenceTimer::Work> works;
  const std::size_t most = SequenceTimer::kMostNodes / most_kernels(sequence);
  for (std::size_t begin = 0; begin < sequence.size(); begin += most) {
    const auto part = sequence.subspan(begin, std::min(most, sequence.size() - begin));
    FL_TRY(SequenceTimer::Work work, work_of(part));
    works.push_back(std::move(work));
  }
  FL_TRY(const Nanoseconds duration, timer_->time(works, repetitions));
  last_busy_ns_ = monotonic_now().count;
  return Timing{duration, TimingSource::kDeviceEvents};
}

Status StreamRuntime::fill_evictor() {
  if (!evictor_) {
    const auto l2 = info_.target.limits.find("l2_bytes");
    FL_TRY(DeviceMemory memory,
           DeviceMemory::create(*context_, {2 * (l2 == info_.target.limits.end() || l2->second <= 0 ? kDefaultL2 : l2->second)},
                                Access::kWritten));
    evictor_ = std::move(memory);
  }
  return evictor_->fill(++evictions_, "emptying the caches");
}

Status StreamRuntime::wake() {
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
Status StreamRuntime::flush_caches() {
  FL_TRY_VOID(wake());
  FL_TRY_VOID(fill_evictor());
  last_busy_ns_ = monotonic_now().count;
  return {};
}

Result<CeilingProbes*> StreamRuntime::probes() {
  FL_TRY_VOID(wake());
  if (probes_ == nullptr) probes_ = std::make_unique<CeilingProbes>(*context_, *timer_, info_, compiler_);
  return probes_.get();
}

Result<std::vector<Ceiling>> StreamRuntime::measure_streams(int read_streams, int write_streams, Bytes footprint, double seconds) {
  FL_TRY(CeilingProbes* const ready, probes());
  auto rows = ready->streams(read_streams, write_streams, footprint, seconds);
  last_busy_ns_ = monotonic_now().count;
  return rows;
}

Result<std::vector<Ceiling>> StreamRuntime::measure_flops(double seconds) {
  FL_TRY(CeilingProbes* const ready, probes());
  auto rows = ready->rates(seconds);
  last_busy_ns_ = monotonic_now().count;
  return rows;
}

Result<std::vector<Timing>> StreamRuntime::time_nothing(int times) {
  FL_TRY_VOID(wake());
  std::vector<Timing> timings;
  for (int i = 0; i < times; ++i) {
    FL_TRY(const Nanoseconds duration, timer_->time_nothing());
    timings.push_back({duration, TimingSource::kDeviceEvents});
  }
  last_busy_ns_ = monotonic_now().count;
  return timings;
}

Result<DeviceState> StreamRuntime::state() {
  return sensors_.state();
}

std::string StreamRuntime::driver_version() {
  return sensors_.driver_version();
}

}  // namespace fuselab::gpu::stream
