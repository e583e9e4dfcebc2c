// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "app/wire/messages.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"
#include "core/measure/ceiling.h"
#include "core/measure/conditions.h"
#include "core/measure/plan.h"

namespace fuselab::engine {

struct WorkerPoolOptions {
  std::filesystem::path worker_program;
  std::filesystem::path cache_directory;  // reference results
  std::filesystem::path lock_directory;   // empty: the machine's own, the same for all users
  int compile_workers = 0;                // 0: one per CPU
  Bytes compile_address_space;            // 0: no limit
  std::chrono::milliseconds probe_timeout{30'000};
  std::chrono::milliseconds compile_timeout{120'000};
  // Told which process is waited for, once per process: one that holds a device, or that times something while this one wants to
  // compile. Called from whatever thread waits.
  std::function<void(const std::string&)> on_wait;
};

// A block's results, and which worker process ended each (TrialRecord::process_id); one per plan, in order.
struct MeasuredBlock {
  std::vector<PlanResult> plans;
  std::vector<std::string> process_ids;
  BlockConditions conditions;  // of the process that ended it; empty where none did
  std::string slow_processor;  // what the canary says beside earlier blocks on the device; empty: nothing
};

// Owns the worker processes of an engine: short-lived probes, a pool of compilers, one measurer per device. All calls are
// thread-safe and block; a stop request ends them within 100 ms. Compilations wait while a device of type "cpu" is being
// measured by this or another process of the machine, so that no compiler runs beside a timing on the same CPUs.
class WorkerPool {
 public:
  explicit WorkerPool(WorkerPoolOptions options);
  ~WorkerPool();  // ends all workers

  // Replaces WorkerPoolOptions::on_wait; returns when nobody is inside the former one any more.
  void set_on_wait(std::function<void(const std::string&)> on_wait);
  // For other processes of the machine, so far: no search pays for it.
  double waited_seconds() const;

  // Ids of all backends that the worker program was built with or knows of, usable or not.
  Result<std::vector<std::string>> backend_ids();
  // In a fresh process each time. A probe that crashes or hangs is a report of an unusable backend with that reason.
  Result<BackendReport> probe(const std::string& backend);
  Result<wire::DescribeReply> describe(const wire::DescribeRequest& request, std::stop_token stop);
  // Source and identity, one per configuration in order; waits for no other process, since text takes a millisecond or two.
  std::vector<Result<CompiledKernel>> generate(const wire::GenerateRequest& request, std::stop_token stop);
  // kCompileFailed with the compiler's message; kCrashed or kTimeout when the compile worker died of it.
  Result<CompiledKernel> compile(const wire::CompileRequest& request, std::stop_token stop);
  // A kept source with its kept flags, for another target than it was compiled for: the caller vouches for that text.
  Result<CompiledKernel> recompile(const wire::RecompileRequest& request, std::stop_token stop);

  // Measures the block on the device, holding the device's machine-wide lock. Whatever a plan does is its outcome: a crash or a
  // hang is blamed on exactly the plan that was running, the worker is replaced and the other plans go on. After a stop request
  // what has not ended is kCancelled. An Error means the block could not be measured at all (no such device, no worker).
  Result<MeasuredBlock> measure(const DeviceInfo& device, const Block& block, std::stop_token stop);
  // The same in a process that never ran anything else; with `special_inputs`, which is how to confirm a figure, it is also
  // verified with large, special and denormal inputs first.
  Result<MeasuredBlock> measure_fresh(const DeviceInfo& device, const Block& block, std::stop_token stop,
                                      bool special_inputs = true);
  // The device's own limits; kUnsupported when its runtime cannot measure them.
  Result<std::vector<Ceiling>> ceilings(const DeviceInfo& device, const wire::CeilingRequest& request, std::stop_token stop);

  // What its timer costs, measured anew; unknown with the reason where the device cannot time nothing.
  Result<TimerCost> timer(const DeviceInfo& device, std::stop_token stop);

  // Runs the steps once, holding the device's lock, in the device's worker. Whatever they do is in the reply: a worker that died or
  // hung is kCrashed or kTimeout of the step it was at, and replaced. An Error means that it could not be tried (cancelled, no
  // worker).
  Result<wire::ExecuteReply> execute(const DeviceInfo& device, const wire::ExecuteRequest& request, Nanoseconds launch_timeout,
                                     std::stop_token stop);

 private:
  class Slots;
  std::unique_ptr<Slots> slots_;
};

}  // namespace fuselab::engine
