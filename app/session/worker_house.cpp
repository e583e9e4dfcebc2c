// SPDX-License-Identifier: Apache-2.0
#include "app/session/worker_house.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "app/session/block_measurement.h"
#include "app/session/compile_pool.h"
#include "app/session/cpu_gate.h"
#include "app/session/wait_clock.h"
#include "app/session/worker_client.h"
#include "core/measure/canary_watch.h"
#include "core/measure/disturbance.h"
#include "core/platform/directories.h"
#include "core/platform/file_lock.h"
#include "core/platform/turn_lock.h"

namespace fuselab::session {
namespace {

// What a measure worker may take beyond the budget of a ceiling request.
constexpr double kCeilingSlack = 60;
// Opening a device takes the most of it.
constexpr std::chrono::milliseconds kTimerPatience{30'000};

std::filesystem::path lock_folder(const HouseOptions& options) {
  return options.lock_directory.empty() ? platform::device_lock_directory() : options.lock_directory;
}

std::filesystem::path device_lock(const HouseOptions& options, const DeviceInfo& device) {
  return lock_folder(options) / ("device-" + device.silicon().substr(0, 64) + ".lock");
}

// Compilers of all processes share it, a timing on the host's CPUs has it alone.
std::filesystem::path cpu_lock(const HouseOptions& options) {
  return lock_folder(options) / "host-cpus.lock";
}
constexpr std::string_view kCpus = "this machine's CPU";

bool uses_host_cpus(const DeviceInfo& device) {
  return device.type == "cpu";
}

}  // namespace

// The house's inside: one lockable room per device, the pool, the gate.
class WorkerHouse::Rooms {
 public:
  explicit Rooms(HouseOptions given)
      : options(std::move(given)),
        worker_options{options.worker_program, options.cache_directory, {}},
        compilers({options.worker_program, {}, options.compile_address_space}, options.compile_workers) {}

  struct Room {
    std::timed_mutex busy;  // one measurement at a time on a device
    std::unique_ptr<WorkerClient> worker;
    CanaryWatch canaries;

    // What the worker could not know: how fast the processor was for the blocks before this one.
    Result<MeasuredBlock> judged(Result<MeasuredBlock> measured) {
      if (!measured.ok()) return measured;
      MeasuredBlock& block = measured.value();
      block.slow_processor = canaries.judge(block.conditions.canary);
      for (PlanResult& plan : block.plans) note_disturbance(plan, block.slow_processor);
      return measured;
    }
  };

  std::shared_ptr<Room> room_of(const DeviceInfo& device) {
    std::lock_guard const lock(mutex_);
    std::shared_ptr<Room>& room = rooms_[device.id];
    if (room == nullptr) room = std::make_shared<Room>();
    return room;
  }

  Result<std::unique_ptr<WorkerClient>> spawn(WorkerRole role) const { return WorkerClient::spawn(worker_options, role); }

  void tell_wait(const std::string& text) {
    std::lock_guard const lock(mutex_);
    // The same holder takes its locks again and again: only the time differs.
    std::string const who = text.substr(0, text.find(" since "));
    if (who == told_) return;
    told_ = who;
    if (options.on_wait) options.on_wait(text);
  }

  void set_on_wait(std::function<void(const std::string&)> on_wait) {
    std::lock_guard const lock(mutex_);
    options.on_wait = std::move(on_wait);
    told_.clear();
  }

  // Permission to compile beside whatever other processes compile, when none of them times anything on these CPUs.
  Result<platform::TurnLock> compile_turn(std::stop_token stop) {
    WaitClock::Waiting const waiting(waits);
    return platform::TurnLock::share(cpu_lock(options), kCpus, std::move(stop),
                                     [this](const std::string& text) { tell_wait(text + "; compiling waits"); });
  }

  Result<platform::FileLock> device_turn(const DeviceInfo& device, std::stop_token stop) {
    WaitClock::Waiting const waiting(waits);
    return platform::FileLock::acquire(
        device_lock(options, device), device.id, std::move(stop), [this](const std::string& text) { tell_wait(text); },
        platform::LockScope::kMachine);
  }

  // On any free compile worker, while this session times nothing on the host's CPUs.
  Result<wire::Reply> ask_compiler(const wire::Request& request, std::stop_token stop) {
    CpuGate::Beside const beside(gate, stop);
    if (!beside.held()) return Error{ErrorCode::kCancelled, "cancelled"};
    return compilers.call(request, options.compile_timeout, stop);
  }

  Result<CompiledKernel> ask_for_kernel(const wire::Request& request, std::stop_token stop) {
    CpuGate::Beside const beside(gate, stop);
    if (!beside.held()) return Error{ErrorCode::kCancelled, "cancelled"};
    FL_TRY([[maybe_unused]] platform::TurnLock const turn, compile_turn(stop));
    FL_TRY(auto answer, answer_as<wire::CompileReply>(compilers.call(request, options.compile_timeout, stop)));
    return std::move(answer.kernel);
  }

  Result<platform::TurnLock> cpu_turn(std::stop_token stop) {
    WaitClock::Waiting const waiting(waits);
    return platform::TurnLock::take_alone(cpu_lock(options), kCpus, std::move(stop));
  }

  // Runs `work` alone on the device: in this process, on this machine, and with no compiler beside it on the host's CPUs, whoever's
  // it is. The order of the locks is the same everywhere, and who has the last one waits for nobody.
  template <typename Work>
  auto alone_on(const DeviceInfo& device, std::stop_token stop, Work work) -> decltype(work(std::declval<Room&>())) {
    std::shared_ptr<Room> const room = room_of(device);
    std::unique_lock<std::timed_mutex> busy(room->busy, std::defer_lock);
    while (!busy.try_lock_for(std::chrono::milliseconds(20))) {
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled while waiting for " + device.id};
    }
    FL_TRY([[maybe_unused]] platform::FileLock const lock, device_turn(device, stop));
    if (!uses_host_cpus(device)) return work(*room);
    CpuGate::Alone const quiet(gate, stop);
    if (!quiet.held()) return Error{ErrorCode::kCancelled, "cancelled while waiting for compilations to end"};
    FL_TRY([[maybe_unused]] platform::TurnLock const cpus, cpu_turn(stop));
    return work(*room);
  }

  HouseOptions options;
  WorkerOptions worker_options;
  CpuGate gate;
  CompilePool compilers;
  WaitClock waits;  // for other processes

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Room>> rooms_;
  std::string told_;  // who on_wait last heard of
};

WorkerHouse::WorkerHouse(HouseOptions options) : rooms_(std::make_unique<Rooms>(std::move(options))) {}

WorkerHouse::~WorkerHouse() = default;

void WorkerHouse::set_on_wait(std::function<void(const std::string&)> on_wait) {
  rooms_->set_on_wait(std::move(on_wait));
}

double WorkerHouse::waited_seconds() const {
  return rooms_->waits.seconds();
}

Result<std::vector<std::string>> WorkerHouse::backend_ids() {
  FL_TRY(std::unique_ptr<WorkerClient> const worker, rooms_->spawn(WorkerRole::kProbe));
  FL_TRY(auto list, answer_as<wire::ListReply>(worker->call(wire::ListRequest{}, {rooms_->options.probe_timeout, {}, {}, {}})));
  return std::move(list.backends);
}

// A probe may compile to see whether the compiler works, so it takes its turn like every compilation.
Result<BackendReport> WorkerHouse::probe(const std::string& backend) {
  CpuGate::Beside const beside(rooms_->gate, {});
  FL_TRY([[maybe_unused]] platform::TurnLock const turn, rooms_->compile_turn({}));
  FL_TRY(std::unique_ptr<WorkerClient> const worker, rooms_->spawn(WorkerRole::kProbe));
  auto reply = answer_as<wire::ProbeReply>(worker->call(wire::ProbeRequest{backend}, {rooms_->options.probe_timeout, {}, {}, {}}));
  if (!reply.ok() && !worker->alive()) {
    BackendReport report;
    report.id = backend;
    report.display_name = backend;
    report.availability = Availability::unavailable("probing it failed: " + reply.error().message);
    return report;
  }
  if (!reply.ok()) return reply.error();
  return std::move(reply.value().report);
}

Result<wire::DescribeReply> WorkerHouse::describe(const wire::DescribeRequest& request, std::stop_token stop) {
  return answer_as<wire::DescribeReply>(rooms_->ask_compiler(request, stop));
}

std::vector<Result<CompiledKernel>> WorkerHouse::generate(const wire::GenerateRequest& request, std::stop_token stop) {
  auto reply = answer_as<wire::GenerateReply>(rooms_->ask_compiler(request, stop));
  // Who kills the worker takes nobody along.
  if (!reply.ok() && reply.error().code != ErrorCode::kCancelled && request.configs.size() > 1) {
    std::vector<Result<CompiledKernel>> kernels;
    for (const LaunchConfig& config : request.configs) {
      wire::GenerateRequest const one{request.backend, request.target, request.graph_text, {config}, request.level};
      kernels.push_back(generate(one, stop).front());
    }
    return kernels;
  }
  if (!reply.ok()) return {request.configs.size(), Result<CompiledKernel>(reply.error())};
  if (reply.value().kernels.size() != request.configs.size()) {
    Error const why{ErrorCode::kCorrupt, "the worker answered with another number of texts than it was asked for"};
    return {request.configs.size(), Result<CompiledKernel>(why)};
  }
  std::vector<Result<CompiledKernel>> kernels;
  for (wire::GeneratedKernel& each : reply.value().kernels) {
    kernels.push_back(each.made ? Result<CompiledKernel>(std::move(each.kernel)) : std::move(each.error));
  }
  return kernels;
}

Result<CompiledKernel> WorkerHouse::compile(const wire::CompileRequest& request, std::stop_token stop) {
  return rooms_->ask_for_kernel(request, std::move(stop));
}

Result<CompiledKernel> WorkerHouse::recompile(const wire::RecompileRequest& request, std::stop_token stop) {
  return rooms_->ask_for_kernel(request, std::move(stop));
}

Result<MeasuredBlock> WorkerHouse::measure(const DeviceInfo& device, const Block& block, std::stop_token stop) {
  return rooms_->alone_on(device, stop, [&](Rooms::Room& room) -> Result<MeasuredBlock> {
    auto const spawn = [this] { return rooms_->spawn(WorkerRole::kMeasure); };
    return room.judged(BlockMeasurement(device.backend, block, spawn, room.worker).run(stop));
  });
}

Result<MeasuredBlock> WorkerHouse::measure_fresh(const DeviceInfo& device, const Block& block, std::stop_token stop,
                                                 bool special_inputs) {
  return rooms_->alone_on(device, stop, [&](Rooms::Room& room) -> Result<MeasuredBlock> {
    auto const spawn = [this] { return rooms_->spawn(WorkerRole::kMeasure); };
    FL_TRY(std::unique_ptr<WorkerClient> fresh, spawn());
    room.worker.reset();  // while the fresh one starts; its buffers and its thread pool must not stand beside that one's
    auto measured = BlockMeasurement(device.backend, block, spawn, fresh, special_inputs).run(stop);
    room.worker = std::move(fresh);  // as good as any for what is no confirmation, and already started
    return room.judged(std::move(measured));
  });
}

Result<std::vector<Ceiling>> WorkerHouse::ceilings(const DeviceInfo& device, const wire::CeilingRequest& request,
                                                   std::stop_token stop) {
  return rooms_->alone_on(device, stop, [&](Rooms::Room& room) -> Result<std::vector<Ceiling>> {
    if (room.worker == nullptr || !room.worker->alive()) {
      FL_TRY(room.worker, rooms_->spawn(WorkerRole::kMeasure));
    }
    auto const limit = std::chrono::milliseconds(static_cast<long>(1000 * (10 * request.seconds + kCeilingSlack)));
    FL_TRY(auto answer, answer_as<wire::CeilingReply>(room.worker->call(request, {limit, {}, stop, {}})));
    return std::move(answer.rows);
  });
}

Result<TimerCost> WorkerHouse::timer(const DeviceInfo& device, std::stop_token stop) {
  return rooms_->alone_on(device, stop, [&](Rooms::Room& room) -> Result<TimerCost> {
    if (room.worker == nullptr || !room.worker->alive()) {
      FL_TRY(room.worker, rooms_->spawn(WorkerRole::kMeasure));
    }
    wire::TimerRequest const request{device.backend, device.id};
    FL_TRY(auto answer, answer_as<wire::TimerReply>(room.worker->call(request, {kTimerPatience, {}, stop, {}})));
    return std::move(answer.timer);
  });
}

Result<wire::ExecuteReply> WorkerHouse::execute(const DeviceInfo& device, const wire::ExecuteRequest& request,
                                                Nanoseconds launch_timeout, std::stop_token stop) {
  return rooms_->alone_on(device, stop, [&](Rooms::Room& room) -> Result<wire::ExecuteReply> {
    if (room.worker == nullptr || !room.worker->alive()) {
      FL_TRY(room.worker, rooms_->spawn(WorkerRole::kMeasure));
    }
    // Copying has no limit of its own.
    auto const launches = static_cast<double>(request.steps.size() + 1);
    auto const patience = std::chrono::milliseconds(60'000 + static_cast<long>(launches * launch_timeout.milliseconds()));
    auto reply = room.worker->call(request, {patience, launch_timeout, stop, {}});
    if (!reply.ok() && reply.error().code == ErrorCode::kCancelled) return reply.error();
    if (!reply.ok()) {
      wire::ExecuteReply failed;
      failed.error = reply.error();
      failed.failed_step = room.worker->alive() ? -1 : room.worker->blamed_plan().value_or(-1);
      return failed;
    }
    return answer_as<wire::ExecuteReply>(std::move(reply));
  });
}

}  // namespace fuselab::session
