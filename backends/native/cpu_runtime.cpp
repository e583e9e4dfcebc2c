// SPDX-License-Identifier: Apache-2.0
#include "backends/native/cpu_runtime.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "backends/host/empty_timings.h"
#include "backends/host/pinned_scope.h"
#include "backends/host/processor.h"
#include "backends/native/ceilings/arithmetic_ceilings.h"
#include "backends/native/ceilings/launch_ceiling.h"
#include "backends/native/ceilings/stream_ceilings.h"
#include "backends/native/threads/loaded_module.h"
#include "backends/native/threads/prepared_inputs.h"
#include "core/platform/system/clock.h"

namespace fuselab::cpu {
namespace {

constexpr std::int64_t kDefaultLastCache = std::int64_t{32} << 20;

class CpuExecutable final : public Executable, public IndexCount {
 public:
  CpuExecutable(CpuRuntime& runtime, LoadedModule module, PreparedInputs prepared, std::int64_t scratch_bytes,
                std::size_t arguments, std::int64_t tasks, int threads)
      : runtime_(runtime),
        module_(std::move(module)),
        prepared_(std::move(prepared)),
        scratch_bytes_(scratch_bytes),
        arguments_(arguments),
        tasks_(tasks),
        threads_(threads) {}

  Status enqueue(std::span<const Buffer> arguments) override {
    const host::PinnedScope pinned(runtime_.pool().first_cpu());
    FL_TRY_VOID(bind(arguments, addresses_));
    if (!std::exchange(launched_, true)) runtime_.scratch().poison(threads_, {scratch_bytes_});
    launch(addresses_);
    return Status();
  }

  Result<WrongIndices> wrong_indices() const override {
    const std::int64_t* const met = module_.wrong_index();
    return met == nullptr ? WrongIndices{} : WrongIndices{met[0], met[1], met[2]};
  }

  // Fills in where the arguments lie. What the kernel prepares from constant inputs is made here, never in launch().
  Status bind(std::span<const Buffer> arguments, std::vector<void*>& addresses) {
    if (arguments.size() != arguments_) {
      return invalid_argument("the kernel takes " + std::to_string(arguments_) + " buffers, got " +
                              std::to_string(arguments.size()));
    }
    addresses.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      FL_TRY(std::byte* const address, runtime_.memory().address_of(arguments[i]));
      addresses[i] = address;
    }
    if (!prepared_.is_needed()) return Status();
    std::vector<std::uint64_t> versions;
    for (const int input : prepared_.inputs()) {
      FL_TRY(const std::uint64_t version, runtime_.memory().version_of(arguments[static_cast<std::size_t>(input)]));
      versions.push_back(version);
    }
    FL_TRY(std::byte* const made, prepared_.of(addresses, versions, runtime_.pool(), threads_));
    addresses.push_back(made);
    return Status();
  }

  // Tasks are handed out in equal runs, the same on every launch: what a thread touched stays in its caches. The runs of a long
  // launch are cut into parts, so that a thread whose processor is shared with somebody leaves the rest of its run to others. A
  // task computes the same whichever run it is in.
  void launch(const std::vector<void*>& addresses) {
    const KernelFunction function = module_.function();
    if (threads_ > 1 && parts_ == 0) {
      launch_measured(function, addresses);
    } else if (parts_ > 1) {
      run_parts(function, addresses, parts_);
    } else {
      runtime_.pool().run(threads_, [&](int thread) {
        const std::int64_t begin = tasks_ * thread / threads_;
        const std::int64_t end = tasks_ * (thread + 1) / threads_;
        if (begin < end) function(addresses.data(), runtime_.scratch().of(thread, {scratch_bytes_}), begin, end);
      });
    }
  }

 private:
  void run_parts(KernelFunction function, const std::vector<void*>& addresses, int parts) {
    runtime_.pool().run_parts(threads_, parts, [&](int thread, int part) {
      const std::int64_t begin = tasks_ * part / parts;
      const std::int64_t end = tasks_ * (part + 1) / parts;
      if (begin < end) function(addresses.data(), runtime_.scratch().of(thread, {scratch_bytes_}), begin, end);
    });
  }

  // The first launches tell how long one takes, and with it into how many parts the later ones are cut.
  void launch_measured(KernelFunction function, const std::vector<void*>& addresses) {
    const Nanoseconds start = platform::monotonic_now();
    run_parts(function, addresses, threads_);
    shortest_ = std::min(shortest_, platform::monotonic_now().count - start.count);
    if (++measured_ < kMeasuredLaunches) return;
    const auto worth = static_cast<std::int64_t>(std::min(shortest_ / kWorthAPart.count, static_cast<double>(kMostParts)));
    // There are as many tasks as threads at least.
    parts_ = worth < 2 ? 1 : static_cast<int>(std::min(threads_ * worth, tasks_));
  }

  // A part that is shorter costs more than it saves; more parts than these save nothing.
  static constexpr Nanoseconds kWorthAPart{50'000};
  static constexpr int kMostParts = 8;  // for each thread
  static constexpr int kMeasuredLaunches = 3;

  CpuRuntime& runtime_;
  LoadedModule module_;
  PreparedInputs prepared_;
  std::int64_t scratch_bytes_;  // per thread
  std::size_t arguments_;
  std::vector<void*> addresses_;
  std::int64_t tasks_;
  int threads_;
  bool launched_ = false;
  int parts_ = 0;  // that threads take; 1: equal shares instead; 0: not known yet
  int measured_ = 0;
  double shortest_ = std::numeric_limits<double>::infinity();  // ns, of the measured launches
};

}  // namespace

Result<std::unique_ptr<Executable>> CpuRuntime::load(const CompiledKernel& kernel) {
  if (kernel.binary.format != "elf-so") {
    return Error{ErrorCode::kUnsupported, "a binary of format '" + kernel.binary.format + "' does not run on " + info_.id};
  }
  const auto runs_here = [&](const Target& target) { return target.id == kernel.identity.target; };
  if (!runs_here(info_.target) && std::none_of(info_.other_targets.begin(), info_.other_targets.end(), runs_here)) {
    return Error{ErrorCode::kUnsupported, info_.name + " does not run code for " + kernel.identity.target};
  }
  if (kernel.config.choice("dot", "") == "vnni" && !info_.target.limits.contains("dot_bytes"))
    return Error{ErrorCode::kUnsupported, info_.name + " has no AVX512-VNNI, which the kernel uses"};
  FL_TRY(LoadedModule module, LoadedModule::load(kernel.binary.data, kernel.abi.entry));
  FL_TRY(PreparedInputs prepared, PreparedInputs::create(module, kernel.abi.preparation));
  for (const int input : prepared.inputs()) {
    if (input < 0 || static_cast<std::size_t>(input) >= kernel.abi.arguments.size()) {
      return Error{ErrorCode::kCorrupt, "the kernel prepares an argument that it does not have"};
    }
  }
  FL_TRY(const std::int64_t tasks, kernel.abi.grid_x.evaluate({}));
  FL_TRY(const std::int64_t scratch_bytes, kernel.abi.shared_bytes.evaluate({}));
  const std::int64_t wanted = kernel.config.integer("threads", 1);
  if (wanted < 1 || wanted > pool_.size()) {
    return Error{ErrorCode::kUnsupported, "the configuration wants " + std::to_string(wanted) + " threads, " + info_.id + " has " +
                                              std::to_string(pool_.size())};
  }
  // More threads than tasks would be woken for nothing.
  const auto threads = static_cast<int>(std::clamp(wanted, std::int64_t{1}, std::max(tasks, std::int64_t{1})));
  FL_TRY_VOID(scratch_.provide(threads, {scratch_bytes}));
  return std::unique_ptr<Executable>(std::make_unique<CpuExecutable>(*this, std::move(module), std::move(prepared), scratch_bytes,
                                                                     kernel.abi.arguments.size(), tasks, threads));
}

Result<Timing> CpuRuntime::time(std::span<const Launch> sequence, int repetitions) {
  const host::PinnedScope pinned(pool_.first_cpu());
  std::vector<std::vector<void*>> addresses(sequence.size());
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    auto& executable = static_cast<CpuExecutable&>(*sequence[i].executable);
    FL_TRY_VOID(executable.bind(sequence[i].arguments, addresses[i]));
  }
  const Nanoseconds start = platform::monotonic_now();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      static_cast<CpuExecutable&>(*sequence[i].executable).launch(addresses[i]);
    }
  }
  const Nanoseconds end = platform::monotonic_now();
  return Timing{{end.count - start.count}, TimingSource::kHostWall};
}

Result<std::vector<Timing>> CpuRuntime::time_nothing(int times) {
  const host::PinnedScope pinned(pool_.first_cpu());
  return host::time_nothing(times);
}

Status CpuRuntime::flush_caches() {
  if (evictor_.empty()) {
    const auto last = info_.target.limits.find("l3_bytes");
    evictor_.resize(static_cast<std::size_t>(4 * (last == info_.target.limits.end() ? kDefaultLastCache : last->second)));
  }
  // Written, not read: every line must be owned by this buffer afterwards. All threads, because upper caches are their own: the
  // calling one's are those of the processor that it will time on.
  const host::PinnedScope pinned(pool_.first_cpu());
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
  constexpr double kShareOfLaunches = 0.2;  // an empty kernel takes few samples
  std::vector<Ceiling> rows = measure_arithmetic_ceilings(pool_, (1 - kShareOfLaunches) * seconds);
  for (Ceiling& launches : measure_launch_ceilings(pool_, kShareOfLaunches * seconds)) rows.push_back(std::move(launches));
  return rows;
}

Result<std::unique_ptr<DeviceRuntime>> open_cpu(const DeviceInfo& device) {
  const DeviceInfo here = host::describe_cpu();
  if (device.id != here.id) return Error{ErrorCode::kNotFound, "there is no device '" + device.id + "': this machine has cpu:0"};
  return std::unique_ptr<DeviceRuntime>(std::make_unique<CpuRuntime>(here, host::usable_cpus()));
}

}  // namespace fuselab::cpu
