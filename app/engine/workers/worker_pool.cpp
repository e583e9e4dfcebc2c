// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/worker_pool.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "app/engine/own/own_given.h"
#include "app/engine/workers/block_measurement.h"
#include "app/engine/workers/compile_pool.h"
#include "app/engine/workers/cpu_reservation.h"
#include "app/engine/workers/wait_clock.h"
#include "app/engine/workers/worker_client.h"
#include "core/measure/canary_watch.h"
#include "core/measure/disturbance.h"
#include "core/platform/files/directories.h"
#include "core/platform/files/file_lock.h"
#include "core/platform/machine/machine.h"
#include "core/platform/machine/turn_lock.h"

namespace fuselab::engine {
namespace {

// The seconds that a measure worker may take beyond the budget of a ceiling request.
constexpr double kCeilingSlack = 60;
// The timeout for a timer request; opening a device takes most of it.
constexpr std::chrono::milliseconds kTimerPatience{30'000};
// The timeout for opening and running a bundle.
constexpr std::chrono::milliseconds kBundlePatience{600'000};

std::filesystem::path lock_folder(const WorkerPoolOptions& options) {
  return options.lock_directory.empty() ? platform::device_lock_directory() : options.lock_directory;
}

std::filesystem::path device_lock(const WorkerPoolOptions& options, const DeviceInfo& device) {
  return lock_folder(options) / ("device-" + device.silicon().substr(0, 64) + ".lock");
}

// Returns the lock of the host's CPUs. Compilers of all processes share it; a timing on these CPUs holds it alone.
std::filesystem::path cpu_lock(const WorkerPoolOptions& options) {
  return lock_folder(options) / "host-cpus.lock";
}
constexpr std::string_view kCpus = "this machine's CPU";

bool uses_host_cpus(const DeviceInfo& device) {
  return device.type == "cpu";
}

}  // namespace

// The pool's state: one lockable slot per device, the compilers, the reservation of the processor.
class WorkerPool::Slots {
 public:
  explicit Slots(WorkerPoolOptions given)
      : options(std::move(given)),
        worker_options{options.worker_program, options.cache_directory, {}, options.trace},
        compilers({options.worker_program, {}, options.compile_address_space, options.trace}, options.compile_workers) {}

  struct DeviceSlot {
    std::timed_mutex busy;  // one measurement at a time on a device
    std::unique_ptr<WorkerClient> worker;
    CanaryWatch canaries;

    // Adds to the result what the worker could not know: how fast the processor was for earlier blocks.
    Result<MeasuredBlock> judged(Result<MeasuredBlock> measured) {
      if (!measured.ok()) return measured;
      MeasuredBlock& block = measured.value();
      block.slow_processor = canaries.judge(block.conditions.canary);
      for (PlanResult& plan : block.plans) note_disturbance(plan, block.slow_processor);
      return measured;
    }
  };

  std::shared_ptr<DeviceSlot> slot_of(const DeviceInfo& device) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<DeviceSlot>& slot = slots_[device.id];
    if (slot == nullptr) slot = std::make_shared<DeviceSlot>();
    return slot;
  }

  Result<std::unique_ptr<WorkerClient>> spawn(WorkerRole role) const { return WorkerClient::spawn(worker_options, role); }

  void tell_wait(const std::string& text) {
    const std::lock_guard lock(mutex_);
    // The same holder takes its locks again and again, and only the time in the text differs.
    const std::string who = text.substr(0, text.find(" since "));
    if (who == told_) return;
    told_ = who;
    if (options.on_wait) options.on_wait(text);
  }

  void set_on_wait(std::function<void(const std::string&)> on_wait) {
    const std::lock_guard lock(mutex_);
    options.on_wait = std::move(on_wait);
    told_.clear();
  }

  // Waits for permission to compile, at the same time as other processes' compilers, once no process times anything on these CPUs.
  Result<platform::TurnLock> compile_turn(std::stop_token stop) {
    const WaitClock::Waiting waiting(waits);
    return platform::TurnLock::share(cpu_lock(options), kCpus, std::move(stop),
                                     [this](const std::string& text) { tell_wait(text + "; compiling waits"); });
  }

  Result<platform::FileLock> device_turn(const DeviceInfo& device, std::stop_token stop) {
    const WaitClock::Waiting waiting(waits);
    return platform::FileLock::acquire(
        device_lock(options, device), device.id, std::move(stop), [this](const std::string& text) { tell_wait(text); },
        platform::LockScope::kMachine);
  }

  // Sends a request to any free compile worker, while this engine times nothing on the host's CPUs.
  Result<wire::Reply> ask_compiler(const wire::Request& request, std::stop_token stop) {
    const CpuReservation::Beside beside(reservation, stop);
    if (!beside.held()) return Error{ErrorCode::kCancelled, "cancelled"};
    return compilers.call(request, options.compile_timeout, stop);
  }

  Result<CompiledKernel> ask_for_kernel(const wire::Request& request, std::stop_token stop) {
    const CpuReservation::Beside beside(reservation, stop);
    if (!beside.held()) return Error{ErrorCode::kCancelled, "cancelled"};
    FL_TRY([[maybe_unused]] const platform::TurnLock turn, compile_turn(stop));
    FL_TRY(auto answer, answer_as<wire::CompileReply>(compilers.call(request, options.compile_timeout, stop)));
    return std::move(answer.kernel);
  }

  Result<platform::TurnLock> cpu_turn(std::stop_token stop) {
    const WaitClock::Waiting waiting(waits);
    return platform::TurnLock::take_alone(cpu_lock(options), kCpus, std::move(stop));
  }

  // Runs `work` alone on the device: in this process, on this machine, and with no compiler of any process running on the host's
  // CPUs. The order of the locks is the same everywhere, and the holder of the last one waits for nothing.
  template <typename Work>
  auto alone_on(const DeviceInfo& device, std::stop_token stop, Work work) -> decltype(work(std::declval<DeviceSlot&>())) {
    const std::shared_ptr<DeviceSlot> slot = slot_of(device);
    std::unique_lock<std::timed_mutex> busy(slot->busy, std::defer_lock);
    while (!busy.try_lock_for(std::chrono::milliseconds(20))) {
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled while waiting for " + device.id};
    }
    FL_TRY([[maybe_unused]] const platform::FileLock lock, device_turn(device, stop));
    if (!uses_host_cpus(device)) return work(*slot);
    const CpuReservation::Alone quiet(reservation, stop);
    if (!quiet.held()) return Error{ErrorCode::kCancelled, "cancelled while waiting for compilations to end"};
    FL_TRY([[maybe_unused]] const platform::TurnLock cpus, cpu_turn(stop));
    return work(*slot);
  }

  WorkerPoolOptions options;
  WorkerOptions worker_options;
  CpuReservation reservation;
  CompilePool compilers;
  WaitClock waits;  // time spent waiting for other processes

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<DeviceSlot>> slots_;
  std::string told_;  // the process that on_wait was last called with
};

WorkerPool::WorkerPool(WorkerPoolOptions options) : slots_(std::make_unique<Slots>(std::move(options))) {}

WorkerPool::~WorkerPool() = default;

void WorkerPool::set_on_wait(std::function<void(const std::string&)> on_wait) {
  slots_->set_on_wait(std::move(on_wait));
}

double WorkerPool::waited_seconds() const {
  return slots_->waits.seconds();
}

Result<std::vector<std::string>> WorkerPool::backend_ids() {
  FL_TRY(const std::unique_ptr<WorkerClient> worker, slots_->spawn(WorkerRole::kProbe));
  FL_TRY(auto list, answer_as<wire::ListReply>(worker->call(wire::ListRequest{}, {slots_->options.probe_timeout, {}, {}, {}})));
  return std::move(list.backends);
}

// A probe may compile to see whether the compiler works, so it takes its turn like every compilation.
Result<BackendReport> WorkerPool::probe(const std::string& backend) {
  const CpuReservation::Beside beside(slots_->reservation, {});
  FL_TRY([[maybe_unused]] const platform::TurnLock turn, slots_->compile_turn({}));
  FL_TRY(const std::unique_ptr<WorkerClient> worker, slots_->spawn(WorkerRole::kProbe));
  auto reply = answer_as<wire::ProbeReply>(worker->call(wire::ProbeRequest{backend}, {slots_->options.probe_timeout, {}, {}, {}}));
  if (!reply.ok() && !worker->alive()) {
    BackendReport report;
    report.id = backend;
    report.display_name = backend;
    report.availability = Availability::unavailable("probing it failed: " + reply.error().message);
    report.probe_died = true;
    return report;
  }
  if (!reply.ok()) return reply.error();
  return std::move(reply.value().report);
}

Result<wire::DescribeReply> WorkerPool::describe(const wire::DescribeRequest& request, std::stop_token stop) {
  return answer_as<wire::DescribeReply>(slots_->ask_compiler(request, stop));
}

Result<wire::EmulateReply> WorkerPool::emulate(const wire::EmulateRequest& request, std::stop_token stop) {
  FL_TRY_VOID(check_given(request.graph_text));
  FL_TRY([[maybe_unused]] const platform::TurnLock turn, slots_->compile_turn(stop));
  return answer_as<wire::EmulateReply>(slots_->ask_compiler(request, stop));
}

std::vector<Result<CompiledKernel>> WorkerPool::generate(const wire::GenerateRequest& request, std::stop_token stop) {
  auto reply = answer_as<wire::GenerateReply>(slots_->ask_compiler(request, stop));
  // A configuration that kills the worker must not fail the others, so each is tried by itself.
  if (!reply.ok() && reply.error().code != ErrorCode::kCancelled && request.configs.size() > 1) {
    std::vector<Result<CompiledKernel>> kernels;
    for (const LaunchConfig& config : request.configs) {
      const wire::GenerateRequest one{request.backend, request.target, request.graph_text, {config}, request.level};
      kernels.push_back(generate(one, stop).front());
    }
    return kernels;
  }
  if (!reply.ok()) return {request.configs.size(), Result<CompiledKernel>(reply.error())};
  if (reply.value().kernels.size() != request.configs.size()) {
    const Error why{ErrorCode::kCorrupt, "the worker answered with another number of texts than it was asked for"};
    return {request.configs.size(), Result<CompiledKernel>(why)};
  }
  std::vector<Result<CompiledKernel>> kernels;
  for (wire::GeneratedKernel& each : reply.value().kernels) {
    kernels.push_back(each.made ? Result<CompiledKernel>(std::move(each.kernel)) : std::move(each.error));
  }
  return kernels;
}

Result<CompiledKernel> WorkerPool::compile(const wire::CompileRequest& request, std::stop_token stop) {
  FL_TRY_VOID(check_given(request.graph_text));
  return slots_->ask_for_kernel(request, std::move(stop));
}

Result<CompiledKernel> WorkerPool::recompile(const wire::RecompileRequest& request, std::stop_token stop) {
  return slots_->ask_for_kernel(request, std::move(stop));
}

Result<MeasuredBlock> WorkerPool::measure(const DeviceInfo& device, const Block& block, std::stop_token stop) {
  return slots_->alone_on(device, stop, [&](Slots::DeviceSlot& slot) -> Result<MeasuredBlock> {
    const auto spawn = [this] { return slots_->spawn(WorkerRole::kMeasure); };
    return slot.judged(BlockMeasurement(device.backend, block, spawn, slot.worker).run(stop));
  });
}

Result<MeasuredBlock> WorkerPool::measure_fresh(const DeviceInfo& device, const Block& block, std::stop_token stop,
                                                bool special_inputs) {
  return slots_->alone_on(device, stop, [&](Slots::DeviceSlot& slot) -> Result<MeasuredBlock> {
    const auto spawn = [this] { return slots_->spawn(WorkerRole::kMeasure); };
    FL_TRY(std::unique_ptr<WorkerClient> fresh, spawn());
    slot.worker.reset();  // before the fresh one starts, so that their buffers and thread pools do not exist at the same time
    auto measured = BlockMeasurement(device.backend, block, spawn, fresh, special_inputs).run(stop);
    slot.worker = std::move(fresh);  // as good as any for measurements that are no confirmation, and already started
    return slot.judged(std::move(measured));
  });
}

Result<std::vector<Ceiling>> WorkerPool::ceilings(const DeviceInfo& device, const wire::CeilingRequest& request,
                                                  std::stop_token stop) {
  return slots_->alone_on(device, stop, [&](Slots::DeviceSlot& slot) -> Result<std::vector<Ceiling>> {
    if (slot.worker == nullptr || !slot.worker->alive()) {
      FL_TRY(slot.worker, slots_->spawn(WorkerRole::kMeasure));
    }
    const auto limit = std::chrono::milliseconds(static_cast<long>(1000 * (10 * request.seconds + kCeilingSlack)));
    FL_TRY(auto answer, answer_as<wire::CeilingReply>(slot.worker->call(request, {limit, {}, stop, {}})));
    return std::move(answer.rows);
  });
}

Result<TimerCost> WorkerPool::timer(const DeviceInfo& device, std::stop_token stop) {
  return slots_->alone_on(device, stop, [&](Slots::DeviceSlot& slot) -> Result<TimerCost> {
    if (slot.worker == nullptr || !slot.worker->alive()) {
      FL_TRY(slot.worker, slots_->spawn(WorkerRole::kMeasure));
    }
    const wire::TimerRequest request{device.backend, device.id};
    FL_TRY(auto answer, answer_as<wire::TimerReply>(slot.worker->call(request, {kTimerPatience, {}, stop, {}})));
    return std::move(answer.timer);
  });
}

Result<wire::BundleReply> WorkerPool::run_bundle(const DeviceInfo& device, const wire::BundleRequest& request,
                                                 std::stop_token stop) {
  return slots_->alone_on(device, stop, [&](Slots::DeviceSlot& slot) -> Result<wire::BundleReply> {
    slot.worker.reset();  // its buffers and threads would disturb the loader's
    FL_TRY(const std::unique_ptr<WorkerClient> fresh, slots_->spawn(WorkerRole::kMeasure));
    return answer_as<wire::BundleReply>(fresh->call(request, {kBundlePatience, {}, stop, {}}));
  });
}

Result<wire::ProfileReply> WorkerPool::profile(const DeviceInfo& device, const wire::ProfileRequest& request,
                                               Nanoseconds launch_timeout, std::stop_token stop) {
  return slots_->alone_on(device, stop, [&](Slots::DeviceSlot& slot) -> Result<wire::ProfileReply> {
    slot.worker.reset();  // its threads would be counted by nobody and still take the processor's time
    FL_TRY(const std::unique_ptr<WorkerClient> fresh, slots_->spawn(WorkerRole::kMeasure));
    const auto patience = std::chrono::milliseconds(60'000 + static_cast<long>(10'000 * request.seconds));
    return answer_as<wire::ProfileReply>(fresh->call(request, {patience, launch_timeout, stop, {}}));
  });
}

Result<wire::ExecuteReply> WorkerPool::execute(const DeviceInfo& device, const wire::ExecuteRequest& request,
                                               Nanoseconds launch_timeout, std::stop_token stop) {
  return slots_->alone_on(device, stop, [&](Slots::DeviceSlot& slot) -> Result<wire::ExecuteReply> {
    if (slot.worker == nullptr || !slot.worker->alive()) {
      FL_TRY(slot.worker, slots_->spawn(WorkerRole::kMeasure));
    }
    // The limit allows a minute for copying, which has no limit of its own.
    const double passes = 1 + static_cast<double>(std::max(0, request.repeat));
    const double launches = passes * static_cast<double>(request.steps.size() + 1);
    const auto patience = std::chrono::milliseconds(60'000 + static_cast<long>(launches * launch_timeout.milliseconds()));
    auto reply = slot.worker->call(request, {patience, launch_timeout, stop, {}});
    if (!reply.ok() && reply.error().code == ErrorCode::kCancelled) return reply.error();
    if (!reply.ok()) {
      wire::ExecuteReply failed;
      failed.error = reply.error();
      failed.failed_step = slot.worker->alive() ? -1 : slot.worker->blamed_plan().value_or(-1);
      return failed;
    }
    return answer_as<wire::ExecuteReply>(std::move(reply));
  });
}

Bytes WorkerPool::peak_memory(const DeviceInfo& device) {
  const std::shared_ptr<Slots::DeviceSlot> slot = slots_->slot_of(device);
  const std::unique_lock<std::timed_mutex> free(slot->busy, std::try_to_lock);
  if (!free || slot->worker == nullptr || !slot->worker->alive()) return {};
  return platform::peak_memory(std::to_string(slot->worker->pid()));
}

}  // namespace fuselab::engine
