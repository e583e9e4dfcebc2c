// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <utility>

#include "app/engine/execute/nearest_config.h"
#include "app/engine/subject/piece.h"
#include "app/engine/workers/worker_pool.h"
#include "app/views/snapshots.h"
#include "core/backend/device_info.h"
#include "core/measure/plan.h"
#include "core/store/result_store.h"
#include "core/store/trial_record.h"

namespace fuselab::engine {

// One way to run a piece: a device, a plan and its configurations.
struct ExecutionCandidate {
  DeviceInfo device;
  PlanKind kind = PlanKind::kFused;
  std::string configs;                  // as a figure names them, joined by ';' for an unfused plan; empty: the backend's defaults
  std::string why;                      // why the candidate has its place in the order
  std::string text(bool single) const;  // "cpu:0 fused"
};

// A piece's kernels for one candidate.
struct ExecutablePiece {
  Plan plan;
  Nanoseconds compilation;  // wall time; 0 when all kernels were kept, and after it was counted
  bool kept = false;        // from an earlier run, or from the store
  std::string note = {};    // "in the configuration of …, the nearest size that was tuned"; empty: as the candidate says
  // Returns the compilation time once; from then on the piece counts as kept.
  Nanoseconds count_compilation() {
    kept = true;
    return std::exchange(compilation, Nanoseconds{});
  }
};

// Makes the kernels of pieces: from memory, from the store where a trusted binary of exactly this kernel is kept, else by
// compiling. Makes no kernel with a drawback that is not accepted. Used by one thread.
class PieceMaker {
 public:
  enum class Untuned { kNearestSize, kDefault };

  PieceMaker(WorkerPool& workers, ResultQueries& kept, std::string level, Accepted accepted,
             Untuned untuned = Untuned::kNearestSize)
      : workers_(workers), kept_(kept), nearest_(kept), level_(std::move(level)), accepted_(accepted), untuned_(untuned) {}

  // A candidate without configurations gets that of the nearest size which was tuned on its device, unless the default is asked for
  // or there is no such size; then the backend's default.
  // The pointer stays valid for the lifetime of this object.
  Result<ExecutablePiece*> make(const Piece& piece, const ExecutionCandidate& candidate, std::stop_token stop);

 private:
  Result<ExecutablePiece> make_anew(const Piece& piece, const ExecutionCandidate& candidate, std::stop_token stop);
  Result<CompiledKernel> kernel(const Graph& graph, const ExecutionCandidate& candidate, const std::string& config,
                                ExecutablePiece& made, std::stop_token stop);
  Result<CompiledKernel> kernel_of(const Graph& graph, const ExecutionCandidate& candidate, const std::string& config,
                                   ExecutablePiece& made, Untuned untuned, std::stop_token stop);

  WorkerPool& workers_;
  ResultQueries& kept_;
  NearestConfigs nearest_;
  std::string level_;
  Accepted accepted_;
  Untuned untuned_;
  std::map<std::string, ExecutablePiece> made_;
};

}  // namespace fuselab::engine
