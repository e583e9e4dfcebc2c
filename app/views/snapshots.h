// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/backend/device_info.h"
#include "core/fusion/match/fusion_types.h"
#include "core/kernel/drawback.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/measure/ceilings/paired_ceiling.h"
#include "core/measure/protocol.h"
#include "core/stats/statistics.h"
#include "core/store/result_store.h"
#include "core/store/trial_record.h"

// Immutable snapshots of the engine's state, which the CLI, the GUI and the reports show. They have no behaviour and no handles.
namespace fuselab::engine {

// One measured figure with its interval; absent cells print "…" (not measured yet) or their reason.
struct Figure {
  double median_ns = 0;
  Interval interval;
  std::string trial_id;
  std::string config;
  bool confirmed = false;      // re-timed in a fresh process
  double compile_ns = 0;       // time to compile all its kernels; not part of the median
  double first_launch_ns = 0;  // the very first run in that process; not part of the median
  std::string disturbance;     // other load seen while it was timed; empty when there was none
  PlanDrawbacks drawbacks = {};
  std::optional<PairedShare> of_ceiling = {};  // by ceilings that were timed in turns with it; nothing where none were
  std::int64_t measured_unix_ms = 0;           // 0: not known
  bool is_choosable() const { return !drawbacks.is_withheld(); }
};

// Drawbacks that the user accepts in a plan; without that such a plan is never chosen.
using Accepted = Drawbacks;

// kExcluded: not measured (a barrier, views alone, which no kernel runs, or a whole model that is slow to verify).
// kWithheld: it ran and its results are right, but it is faster than its device's ceiling allows; or its pair is withheld.
enum class CellState { kPending, kMeasured, kFailed, kExcluded, kWithheld };

struct Cell {
  CellState state = CellState::kPending;
  std::optional<Figure> figure;
  std::string reason;         // why there is no figure
  std::string failed_config;  // the launch configuration that failed, of a plan of one kernel; empty where not known
  // The figure of a withheld plan. It is shown, and never chosen, summed or ranked: whatever does that looks at `figure`.
  std::optional<Figure> withheld = std::nullopt;
  double share_of_ceiling = 0;  // of the withheld figure, as far as a ceiling is known; else 0
};

// Every operator on the backend that runs it fastest. Where that is one device, this is its measured unfused plan; else a sum.
struct BestUnfused {
  Cell cell;
  std::vector<std::string> devices;  // per operator, in order of execution; one entry when all run on the same device
  bool composed = false;             // a sum of operators measured apart, not a measurement of the whole
};

// One fused piece on one device.
struct CompareCell {
  std::string device_id;
  std::string backend;
  bool is_host_cpu_again = false;  // DeviceInfo::is_host_cpu_again()
  std::size_t preference = 0;      // preference_rank()
  bool is_software = false;        // DeviceInfo::is_software()
  Cell fused;
  Cell unfused;           // same backend, per-operator kernels, each tuned with the same budget
  TuningDecision tuning;  // why the fused plan has its configuration; not known where no search chose it
  std::string given_up;   // why the budget was not spent on tuning the piece here; empty where it was, or not yet
  Cell cold_fused;        // the same two plans with the caches emptied before each run; pending until measured
  Cell cold_unfused;
  // unfused / fused: by the gate's rule over `gain_processes` fresh processes (99 %) or, where that was not measured, from the one
  // block in which both were timed in turns (95 %).
  std::optional<Ratio> gain;
  int gain_processes = 1;
  std::optional<double> ideal_ns;
  std::optional<double> share_of_ceiling;  // ideal / fused; at most kMistrustedShare
  std::optional<Interval> share_interval;  // 95 %, where the ceiling was timed in turns with the plan
  bool memory_bound = true;
  bool in_cache = false;  // the working set fits the device's last cache: the bound is the cache's bandwidth, not memory's

  const char* bound() const { return !memory_bound ? "arithmetic" : in_cache ? "cache" : "memory"; }  // limit that gives the ideal
  bool is_withheld() const {
    const auto is = [](const Cell& plan) { return plan.state == CellState::kWithheld; };
    return is(fused) || is(unfused) || is(cold_fused) || is(cold_unfused);
  }
  // A single operator: fused and unfused are the same plan and one trial.
  bool is_one_plan() const { return fused.figure && unfused.figure && fused.figure->trial_id == unfused.figure->trial_id; }
};

struct CompareRow {
  std::string piece_key;
  std::string graph;  // its canonical text, from which a measurement can be repeated; empty for a barrier, which is never measured
  std::string name;
  std::string pattern;
  int count = 1;
  double share_of_model = 0;  // of all pieces' time, each as recommended; 0: not known, since a piece of the model was not measured
  Cost cost;
  std::vector<CompareCell> cells;  // one per usable device
  BestUnfused best_unfused;
  bool runs_nothing = false;                     // views alone: no time to measure, and none missing in a total
  bool single_operator = false;                  // nothing to fuse: both plans of each cell are the same
  PlanKind recommended_plan = PlanKind::kFused;  // on the recommended device; of a single operator its only one
  std::string recommended_device;                // empty when nothing was measured
  std::string reason;                            // why this device, with the measured numbers; or why none
  double to_be_won_ns = 0;                       // count × (best − ideal): how rows are ranked; 0 where no ideal is known
};

inline constexpr const char* kBestMix = "best mix";

// Sums of two totals may be compared where covers() is the same: only such sums are set.
struct ModelTotal {
  std::string device_id;  // kBestMix for the row that takes each piece where and how it is fastest
  double unfused_ns = 0, fused_ns = 0, ideal_ns = 0;
  double switching_ns = 0;              // only in the mix, whose fused_ns includes it
  int measured_pieces = 0, pieces = 0;  // the totals cover the measured and the completed ones only
  PlanDrawbacks drawbacks = {};         // of all figures in the total
  // Over the pieces of the mix: with the faster plan of each that may be chosen, and between what the intervals of all of them
  // allow together. In the mix this is fused_ns. 0 where a piece can run neither here nor elsewhere.
  double best_ns = 0;
  Interval best_interval = {};
  int best_elsewhere = 0;  // pieces in it that run on the fastest other device: what is here may not be chosen, or there is nothing
  std::map<std::string, int> pieces_on = {};  // only in the mix: how many of its pieces run on which device
  // Pieces that have no figure on this device and stand in the sums with what they cost on the fastest other one; of fused_ns
  // `completed_ns` is theirs, and so on.
  int completed_pieces = 0;
  double completed_ns = 0, completed_unfused_ns = 0;

  int covers() const { return measured_pieces + completed_pieces; }
  bool is_whole() const { return pieces > 0 && covers() == pieces; }
};

// All of a model on one device whose backend takes it as one graph. It is shown beside the best mix of its pieces, which Fuselab
// chooses; the whole is never chosen, since production runs pieces.
struct WholeModel {
  std::string piece_key;
  CompareCell cell;                  // its fused plan is the whole model; nothing of it is unfused
  std::optional<Ratio> of_best_mix;  // its time as a multiple of the best mix's; not known while the mix lacks a piece
};

// A question about one model. Figures of different questions cannot be compared. The set of devices is not part of it: a table has
// a cell for each.
struct Question {
  std::string binding;  // "batch=1"
  std::string level;    // "O2": how much may be fused, and the compiler's flags; empty: stored before levels existed
  std::string dtype;    // "f32", as asked of a built-in workload; empty where the model itself decides
  auto operator<=>(const Question&) const = default;
};

struct CompareTable {
  std::string model;                  // or workload
  std::string binding, level, dtype;  // see Question
  double covered_share = 1;
  std::vector<CompareRow> rows;  // ranked by headroom
  std::vector<ModelTotal> totals;
  std::vector<WholeModel> whole_models;  // one per device that was asked for it
  int pending_whole_models = 0;          // devices that would be asked for it, and have no figure yet
  std::vector<Question> also_measured;   // questions stored of this model that no table beside this one shows; newest first
  std::string unchecked;                 // why it could not be checked that the figures are of today's kernels; empty: it was
  CacheMode mode = CacheMode::kWarm;     // of its figures, besides the cold ones beside them

  Question question() const { return {binding, level, dtype}; }
};

// The life of one long job, published as events.
enum class JobState { kQueued, kRunning, kPaused, kCancelling, kFinished, kCancelled, kFailed };
std::string_view name_of(JobState state);

struct JobProgress {
  JobState state = JobState::kQueued;
  std::string phase;     // "tuning"
  std::string activity;  // "w3-residual-rmsnorm on cpu:0": the current piece, in the same words until the next one
  std::string detail;    // "Add alone: 12 of 64 configurations": progress within the activity; may be empty
  double done = 0;       // 0 … 1
  std::optional<double> seconds_left;
  int trials = 0, reused = 0, failed = 0;
  double calibrating_seconds = 0;  // spent so far on measuring the devices' ceilings
  double deciding_seconds = 0;     // spent so far on comparing winners of searches with what these began with
};
struct DevicesFound {
  std::vector<BackendReport> backends;
};
struct TrialFinished {
  TrialRow row;
  // The fastest median timed so far by this job, this trial included, for the same piece on the same device with the same kind of
  // plan and the same cache mode; nullopt before the first. A fused trial is never compared with an unfused one, nor a cold one
  // with a warm one: this is the convergence curve of one search.
  std::optional<double> best_ns;
  CacheMode mode = CacheMode::kWarm;
  bool single_operator = false;  // the plan is both fused and unfused
  Nanoseconds verifying{};       // time to verify its results
  Nanoseconds timing{};          // time to measure it, warming up included
};
struct TableChanged {
  CompareTable table;
};
struct LogLine {
  enum class Level { kInfo, kWarning, kError } level = Level::kInfo;
  std::string text;
};
using Event = std::variant<JobProgress, DevicesFound, TrialFinished, TableChanged, LogLine>;

// The input of the graph page's layered drawing. The front end decides the positions.
struct GraphNodeView {
  std::string id;      // "v3"
  std::string label;   // "Conv"
  std::string detail;  // types, attributes
  int group = -1;      // index into groups; -1 for none
  NodeId node{};       // in the fusion's graph
};
struct GraphEdgeView {
  int from = 0, to = 0;  // indices into nodes
  std::string type;      // "f32[1,64,56,56]"
  std::string rejected;  // why the two ends are not fused; empty inside a group
};
struct GraphGroupView {
  std::string name;
  std::string pattern;
  std::string piece_key;
};
struct GraphView {
  std::string model;
  std::vector<GraphNodeView> nodes;
  std::vector<GraphEdgeView> edges;
  std::vector<GraphGroupView> groups;
  std::shared_ptr<const FusionResult> fusion;  // the fusion shown; see why_apart()
};

}  // namespace fuselab::engine
