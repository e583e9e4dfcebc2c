// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/content_hash.h"
#include "core/cost/cost.h"
#include "core/fields/fields.h"
#include "core/measure/conditions.h"
#include "core/measure/plan.h"
#include "core/measure/protocol.h"
#include "core/store/compared_side.h"
#include "core/store/evidence_key.h"
#include "core/store/run_marks.h"

namespace fuselab {

// The question that a trial answers for its piece.
enum class PlanKind { kFused, kUnfused };  // kUnfused: the backend's own per-operator kernels back to back
std::string_view name_of(PlanKind kind);
Result<PlanKind> parse_plan_kind(std::string_view name);

// Returns the plan key of kernels in order. Stored trials are looked up by it, together with metric and environment.
std::string plan_key_of(const std::vector<std::string>& kernel_keys);

// The way in which a row came into this database.
enum class Origin { kMeasuredHere, kMerged, kImported };

// One stored trial: kernel(s) × metric × environment, and the outcome. Append-only.
struct TrialRecord {
  std::string id;         // UUID, made by the caller
  std::string run_id;     // RunRecord::id
  std::string piece_key;  // graph_key of the piece, hex
  std::string device_id;  // "cpu:0"
  std::string backend;    // "cpu"
  PlanKind kind = PlanKind::kFused;
  std::string config;                    // LaunchConfig text; for unfused plans the configs joined by ';'
  std::vector<std::string> kernel_keys;  // KernelIdentity::key() hex, one per step; empty when never generated
  std::string plan_key;                  // hash over kernel_keys in order: the cache key together with metric and environment
  std::string metric_key;
  std::string environment_key;
  PlanResult result;
  Nanoseconds compile_time;
  double median_ns = 0;            // 0 unless timed
  double low_ns = 0, high_ns = 0;  // 95 % interval of the median
  std::string block_id;            // UUID: trials of one block were interleaved, so their ratio is meaningful
  std::string process_id;          // the worker process that timed it: a fresh one for re-timing
  bool retimed = false;            // a confirmation in a fresh process
  bool synthetic = false;
  Origin origin = Origin::kMeasuredHere;
  std::int64_t created_unix_ms = 0;
  // The conditions of its block, without canaries. They are read with a single trial and with evidence, and stored as BlockRecord.
  std::optional<BlockConditions> conditions;
};

inline EvidenceKey evidence_key_of(const TrialRecord& trial) {
  return {trial.piece_key, trial.device_id, trial.metric_key, trial.environment_key};
}

// The conditions under which the trials of one block were timed.
struct BlockRecord {
  std::string id;  // TrialRecord::block_id
  BlockConditions conditions;
};

// One user-visible action: a bench, a tune, a run.
struct RunRecord {
  std::string id;       // UUID
  std::string verb;     // "tune"
  std::string command;  // as the user typed it: the repro line
  std::string tool_version;
  std::string host;
  std::string state;  // "running", "finished", "interrupted", "failed"
  std::int64_t started_unix_ms = 0;
  std::int64_t finished_unix_ms = 0;
  RunMarks marks = {};  // read with it; StoreBatch::run_marks stores them
};

// A stored piece, which explains its keys.
struct PieceRecord {
  std::string key;             // graph_key hex
  std::string canonical_text;  // concrete
  std::string name;
  std::string pattern;  // never "WholeModel": that is a matter of the use
  Cost cost;
};

// A model's use of its pieces in one run: rows of the model's total.
struct ModelPieceRecord {
  static constexpr int kWholeModel = -1;

  std::string run_id;
  std::string model;    // "resnet50"
  std::string binding;  // "batch=1"
  std::string piece_key;
  std::string name;
  int position = 0;  // kWholeModel (since schema 7): not one of its pieces but all of the model as one graph
  int count = 1;
  std::string reason;  // why the piece is not measured; empty when it is
  std::string level;   // "O2": how it was cut and compiled; empty (unknown) in rows older than this field
  std::string dtype;   // "f32", as requested for a built-in workload; empty where the model itself decides
};

// The reason for a search's configuration: a comparison of the fastest that it found with the one that it began with, by the rule
// of the performance gate (core/stats).
struct TuningDecision {
  std::string baseline;      // LaunchConfig text of the configuration that the search began with
  std::string candidate;     // compared with the baseline; empty: nothing was faster in the confirmation
  std::string verdict;       // name_of(Verdict): only an "improved" candidate replaces the baseline; empty: there is none
  double ratio = 1;          // time of the candidate over the baseline's
  double low = 0, high = 0;  // interval of the true ratio; 0 with too few processes
  int processes = 0;
  std::string reason;                            // why there is no verdict; else empty
  bool open = false;                             // the machine was not fit to compare on; another job decides
  ComparedSide failed = ComparedSide::kNeither;  // whose kernel the reason concerns; a baseline that failed is replaced

  bool is_known() const { return !baseline.empty(); }
};

// A record that the search for one kernel graph on one device has ended, so that a second run need not search again.
struct TuningRecord {
  std::string graph_key;  // key of the piece or of a single operator
  std::string device_id;
  std::string environment_key;
  std::string metric_key;
  std::string generation_key;  // hash of what the search ranged over: generator, compiler, flags, space, level
  std::string strategy;        // "random"; with its seed where that is not the default: "random, seed 9"
  double budget_seconds = 0;   // its equal share of the job's budget
  int budget_trials = 0;
  int trials = 0;           // number evaluated; when its turn never came, by an earlier search
  std::string stopped;      // tuner::StopReason, or "budget of 300 s for 400 searches" when its turn never came, and why
  std::string best_config;  // empty when nothing could be timed
  std::int64_t created_unix_ms = 0;
  TuningDecision decision;  // unknown in rows older than this field
};

// Separates, in TuningRecord::stopped, the budget from the reason why the search was given up before its turn.
inline constexpr std::string_view kGivenUp = "; given up: ";
// Returns that reason; empty where the search was not given up.
std::string given_up_because(const TuningRecord& record);

// The measured choice for one piece on one machine, with its evidence (SetDefaultBackend, stored).
struct DefaultChoiceRecord {
  std::string piece_key;
  std::string environment_key;
  std::string device_id;
  std::string trial_id;
  std::string reason;  // "cpu fused 1.82 ms [1.79, 1.86], 1.43x over unfused; only usable device"
  std::int64_t created_unix_ms = 0;
};

constexpr auto fields_of(const DefaultChoiceRecord*) {
  using fields::field;
  using Choice = DefaultChoiceRecord;
  return fields::list<Choice>(field("piece_key", &Choice::piece_key), field("environment_key", &Choice::environment_key),
                              field("device_id", &Choice::device_id), field("trial_id", &Choice::trial_id),
                              field("reason", &Choice::reason), field("created_unix_ms", &Choice::created_unix_ms));
}

}  // namespace fuselab
