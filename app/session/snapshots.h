// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/backend/device_info.h"
#include "core/fusion/fusion_types.h"
#include "core/measure/ceiling.h"
#include "core/measure/result_store.h"
#include "core/measure/statistics.h"
#include "core/tuning/trial_record.h"

// Immutable views of the engine's state: what faces (CLI, GUI, reports) show. No behaviour, no handles.
namespace fuselab::session {

// One measured figure with its interval; absent cells print "…" (not measured yet) or their reason.
struct Figure {
  double median_ns = 0;
  Interval interval;
  std::string trial_id;
  std::string config;
  bool confirmed = false;      // re-timed in a fresh process
  double compile_ns = 0;       // of all its kernels, when they were compiled; not part of the median
  double first_launch_ns = 0;  // the very first run in that process; not part of the median
};

enum class CellState { kPending, kMeasured, kFailed };

struct Cell {
  CellState state = CellState::kPending;
  std::optional<Figure> figure;
  std::string reason;  // why there is no figure
};

// Every operator on the backend that runs it fastest. Where that is one device, this is its measured unfused plan; else a sum.
struct BestUnfused {
  Cell cell;
  std::vector<std::string> devices;  // per operator, in order of execution; one entry when all run on the same device
  bool composed = false;             // the sum of operators that were measured apart, not a measurement of the whole
};

// One fused piece on one device.
struct CompareCell {
  std::string device_id;
  std::string backend;
  Cell fused;
  Cell unfused;     // same backend, per-operator kernels, each tuned with the same budget
  Cell cold_fused;  // the same two plans with the caches emptied before each run; pending until measured
  Cell cold_unfused;
  std::optional<Ratio> gain;  // unfused / fused; only from one interleaved block
  std::optional<double> ideal_ns;
  std::optional<double> share_of_ceiling;  // ideal / fused
  bool memory_bound = true;

  // A single operator: fused and unfused are the same plan and one trial.
  bool is_one_plan() const { return fused.figure && unfused.figure && fused.figure->trial_id == unfused.figure->trial_id; }
};

struct CompareRow {
  std::string piece_key;
  std::string name;
  std::string pattern;
  int count = 1;
  double share_of_model = 0;  // of the fused total on the recommended device
  Cost cost;
  std::vector<CompareCell> cells;  // one per usable device
  BestUnfused best_unfused;
  PlanKind recommended_plan = PlanKind::kFused;  // of the recommended device
  std::string recommended_device;                // empty when nothing was measured
  std::string reason;                            // why this one, naming the measured numbers; or why nothing
  double to_be_won_ns = 0;                       // count × (best fused − ideal): how rows are ranked
};

inline constexpr const char* kBestMix = "best mix";

struct ModelTotal {
  std::string device_id;  // kBestMix for the row that takes each piece where and how it is fastest
  double unfused_ns = 0, fused_ns = 0, ideal_ns = 0;
  double switching_ns = 0;              // only in the mix, whose fused_ns includes it
  int measured_pieces = 0, pieces = 0;  // totals over the measured ones only
};

struct CompareTable {
  std::string model;  // or workload
  std::string binding;
  double covered_share = 1;
  std::vector<CompareRow> rows;  // ranked by time to be won
  std::vector<ModelTotal> totals;
};

// Life of one long job, published as events.
enum class JobState { kQueued, kRunning, kPaused, kCancelling, kFinished, kCancelled, kFailed };
std::string_view name_of(JobState state);

struct JobProgress {
  JobState state = JobState::kQueued;
  std::string phase;     // "tuning"
  std::string activity;  // "w3-residual-rmsnorm on cpu:0: 12 of 64 trials"
  double done = 0;       // 0 … 1
  std::optional<double> seconds_left;
  int trials = 0, reused = 0, failed = 0;
};
struct DevicesFound {
  std::vector<BackendReport> backends;
};
struct TrialFinished {
  TrialRow row;
  std::optional<double> best_ns;  // of its piece and device so far: the convergence curve
};
struct TableChanged {
  CompareTable table;
};
struct LogLine {
  enum class Level { kInfo, kWarning, kError } level = Level::kInfo;
  std::string text;
};
using Event = std::variant<JobProgress, DevicesFound, TrialFinished, TableChanged, LogLine>;

// The graph page: a layered drawing's input. Positions are the face's business.
struct GraphNodeView {
  std::string id;      // "v3"
  std::string label;   // "Conv"
  std::string detail;  // types, attributes
  int group = -1;      // index into groups; -1 for none
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
};

}  // namespace fuselab::session
