// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/execute/execution_graph.h"
#include "app/engine/execute/execution_metrics.h"
#include "app/engine/execute/piece_maker.h"
#include "app/engine/workers/worker_pool.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// A piece that ran elsewhere than chosen (R187). Always reported, and never done where something is measured.
struct Degradation {
  std::string piece;
  std::string from, to;  // "opencl:0 fused"; `to` is empty where nothing was left
  std::string reason;
};

struct ExecutedUse {
  std::string name;
  std::string operators;  // "MatMul+Add+Gelu"
  std::string ran_on;     // "cpu:0 fused"
  std::string why;        // of the candidate it ran as
  Nanoseconds execution;
  bool first_launch = false;  // of one of its kernels: see ExecutionMetrics::first_launch
  Nanoseconds steady = {};    // of its kernels in later passes over the same buffers; 0: there were none
};

struct ExecutionResult {
  Drawbacks drawbacks;  // that kernels which ran state
  std::vector<ExecutedUse> uses;
  std::vector<Degradation> degradations;
  std::vector<Nanoseconds> passes;       // of all kernels, in later passes over the same buffers; empty: there were none
  std::vector<ExecutionMetrics> stages;  // consecutive pieces that ran on one device, failures included, in order
};

// Production execution: runs a subject piece by piece where it should run, in worker processes, and goes on with the next candidate
// when a device is lost or out of memory, a kernel does not compile, or a worker crashes or hangs (R183-R192). Neighbours on the
// same device run in one request and hand their tensors over there. Compiled kernels are kept for the next run. One run at a time;
// counts() may be called from any thread.
class RuntimeExecutor {
 public:
  RuntimeExecutor(WorkerPool& workers, ResultQueries& kept, std::string level, Nanoseconds launch_timeout, Accepted accepted = {})
      : workers_(workers), maker_(workers, kept, std::move(level), accepted), launch_timeout_(launch_timeout) {}

  // Launches all kernels of a stage that many times more on the same buffers, for their steady times.
  void repeat_launches(int passes) { repeat_ = passes; }

  // `candidates`: of each piece of the graph, best first. `folder` holds a file of each input, and afterwards one of each output:
  // see tensor_file().
  // Fails, when no candidate is left for a piece, with an error that names all that were tried (R188).
  Result<ExecutionResult> run(const ExecutionGraph& graph, const std::vector<std::vector<ExecutionCandidate>>& candidates,
                              const std::filesystem::path& folder, std::stop_token stop);
  std::map<std::string, BackendCounts> counts() const { return counts_.snapshot(); }

  static std::filesystem::path tensor_file(const std::filesystem::path& folder, ValueId value);

 private:
  struct Run;
  struct Stage;
  Result<ExecutablePiece*> made(Run& run, std::size_t piece);
  // Takes the next candidate. Fails when there is none.
  Status degrade(Run& run, std::size_t piece, const Error& why);
  Result<std::size_t> run_stage(Run& run, std::size_t first);
  Result<Stage> gather(Run& run, std::size_t first, ExecutionMetrics& metrics);
  static void name_files(const Run& run, Stage& stage, const std::function<int(ValueId)>& place);
  static void take_launches(const wire::ExecuteReply& reply, ExecutionMetrics& metrics);
  static void take_uses(Run& run, const Stage& stage, const wire::ExecuteReply& reply);
  Status digest_failure(Run& run, const Stage& stage, const wire::ExecuteReply& reply);
  Status lose_device(Run& run, const Stage& stage, const Error& why);

  WorkerPool& workers_;
  PieceMaker maker_;
  Nanoseconds launch_timeout_;
  int repeat_ = 0;
  ExecutionCounts counts_;
};

}  // namespace fuselab::engine
