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
#include "core/measure/ceilings/ceiling.h"
#include "core/measure/conditions.h"
#include "core/measure/plan.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::engine {

struct WorkerPoolOptions {
  std::filesystem::path worker_program;
  std::filesystem::path cache_directory;  // reference results
  std::filesystem::path lock_directory;   // empty: the machine's own, the same for all users
  int compile_workers = 0;                // 0: one per CPU
  Bytes compile_address_space;            // 0: no limit
  std::shared_ptr<TraceRecorder> trace = {};
  std::chrono::milliseconds probe_timeout{30'000};
  std::chrono::milliseconds compile_timeout{120'000};
  // Called with the name of the process that is waited for, once per process: one that holds a device, or that times something
  // while this process wants to compile. Called from the thread that waits.
  std::function<void(const std::string&)> on_wait;
};

// A block's results, and the worker process that ended each (TrialRecord::process_id); one per plan, in order.
struct MeasuredBlock {
  std::vector<PlanResult> plans;
  std::vector<std::string> process_ids;
  BlockConditions conditions;  // of the process that ended the block; empty where none did
  std::string slow_processor;  // the canary's finding against earlier blocks on the device; empty: none
};

// Owns the worker processes of an engine: short-lived probes, a pool of compilers, one measurer per device. All calls are
// thread-safe and block; a stop request ends them soon. Compilations wait while a device of type "cpu" is being
// measured by this or another process of the machine, so that no compiler runs beside a timing on the same CPUs.
class WorkerPool {
 public:
  explicit WorkerPool(WorkerPoolOptions options);
  ~WorkerPool();  // ends all workers

  // Replaces WorkerPoolOptions::on_wait; returns when no thread is inside the former one any more.
  void set_on_wait(std::function<void(const std::string&)> on_wait);
  // Returns the time spent so far waiting for other processes of the machine. It is not charged to any search.
  double waited_seconds() const;

  // Returns the ids of all backends that the worker program was built with or knows of, usable or not.
  Result<std::vector<std::string>> backend_ids();
  // Probes a backend, in a fresh process each time. A probe that crashes or hangs yields a report of an unusable backend with that
  // reason.
  Result<BackendReport> probe(const std::string& backend);
  Result<wire::DescribeReply> describe(const wire::DescribeRequest& request, std::stop_token stop);
  // Matches a piece on its backend's emulator, in seconds; waits while another process measures.
  Result<wire::EmulateReply> emulate(const wire::EmulateRequest& request, std::stop_token stop);
  // Returns source and identity, one per configuration in order; waits for no other process, since text takes a millisecond or two.
  std::vector<Result<CompiledKernel>> generate(const wire::GenerateRequest& request, std::stop_token stop);
  // Fails with kCompileFailed and the compiler's message; with kCrashed or kTimeout when the compile worker died of it.
  Result<CompiledKernel> compile(const wire::CompileRequest& request, std::stop_token stop);
  // Compiles a kept source with its kept flags for another target than it was compiled for; the caller vouches for that source.
  Result<CompiledKernel> recompile(const wire::RecompileRequest& request, std::stop_token stop);

  // Measures the block on the device, holding the device's machine-wide lock. Whatever a plan does is its outcome: a crash or a
  // hang is blamed on exactly the plan that was running, the worker is replaced and the other plans go on. After a stop request
  // every plan that has not ended is kCancelled.
  // Fails only when the block could not be measured at all (no such device, no worker).
  Result<MeasuredBlock> measure(const DeviceInfo& device, const Block& block, std::stop_token stop);
  // Does the same in a process that never ran anything else. With `special_inputs`, as needed to confirm a figure, it also verifies
  // the plans with large, special and denormal inputs first.
  Result<MeasuredBlock> measure_fresh(const DeviceInfo& device, const Block& block, std::stop_token stop,
                                      bool special_inputs = true);
  // Returns the device's own ceilings. Fails with kUnsupported when its runtime cannot measure them.
  Result<std::vector<Ceiling>> ceilings(const DeviceInfo& device, const wire::CeilingRequest& request, std::stop_token stop);

  // Measures what the device's timer costs; unknown, with the reason, where the device cannot time nothing.
  Result<TimerCost> timer(const DeviceInfo& device, std::stop_token stop);

  // Runs the steps once in the device's worker, holding the device's lock. Whatever they do is in the reply: a worker that died or
  // hung is reported as kCrashed or kTimeout of the step it was at, and replaced.
  // Fails only when the steps could not be tried (cancelled, no worker).
  Result<wire::ExecuteReply> execute(const DeviceInfo& device, const wire::ExecuteRequest& request, Nanoseconds launch_timeout,
                                     std::stop_token stop);
  // Returns the most memory that the device's worker process has had resident so far; 0: there is none now, or it is busy.
  Bytes peak_memory(const DeviceInfo& device);

  // Opens an exported bundle with the production loader and runs its models, in a process of their own, holding the device's lock.
  // Fails in the loader's words, or with kCrashed or kTimeout where its code takes the process along.
  Result<wire::BundleReply> run_bundle(const DeviceInfo& device, const wire::BundleRequest& request, std::stop_token stop);

  // Launches a plan under the device's counters, in a process of its own that measures nothing afterwards, holding the device's
  // lock. Fails with kCrashed or kTimeout where the plan takes the process along or hangs.
  Result<wire::ProfileReply> profile(const DeviceInfo& device, const wire::ProfileRequest& request, Nanoseconds launch_timeout,
                                     std::stop_token stop);

 private:
  class Slots;
  std::unique_ptr<Slots> slots_;
};

}  // namespace fuselab::engine
