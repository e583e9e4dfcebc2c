// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/stats/runs_apart.h"
#include "core/store/result_store.h"

// Compares two stored runs, of one database or of two.
namespace fuselab::engine {

// Opens another database for reading only; its kernels are never loaded. Thread-safe. Fails as opening a database does.
Result<std::unique_ptr<ResultQueries>> open_other_database(const Config& config, const std::filesystem::path& database);

// A run and the database it is stored in. `queries` must outlive the call.
struct StoredRun {
  ResultQueries* queries = nullptr;
  std::string run_id;
};

// What a run ended with for one question: the figure of the configuration that its own evidence recommends, in the job's full
// protocol. A challenger that lost its comparison is timed in a fresh process as well, by the protocol of a search, and is never
// it.
struct RunFigure {
  std::string trial_id, config, plan_key;  // empty: not measured to the end
  double median_ns = 0;
  Interval interval;  // of the median, 95 %
  std::vector<double> samples;
  bool confirmed = false;  // timed again in a fresh process
  int trials = 0;          // timed for this question: with the job's protocol, or by the search alone where that is all there is

  bool is_final() const { return !trial_id.empty(); }
};

// A question that both runs worked on: the same piece, kind of plan, device and metric.
struct DiffRow {
  std::string piece_key, name, device_id, metric_key;
  std::string graph;      // the piece's canonical text, as the later run has it
  MetricIdentity metric;  // what metric_key means
  PlanKind kind = PlanKind::kFused;
  RunFigure before, after;
  bool same_kernel = false;  // the same identity and configuration
  std::string machine;       // how the machines differ, "processor, driver"; empty: the same one
  ApartResult result;        // of a row that is not judged: the reason alone

  bool is_judged() const { return before.is_final() && after.is_final(); }
};

struct RunDiff {
  RunRecord before, after;
  std::vector<DiffRow> rows;            // regressed, improved, inconclusive, equivalent, same, not judged; else as in the later run
  RunsApart apart;                      // its `kernels` are in the judged rows, in another order
  int only_before = 0, only_after = 0;  // questions that one run worked on alone
  // A field in which the two environments differ: name, before, after. Several values on one side are joined.
  struct Difference {
    std::string name, before, after;
  };
  std::vector<Difference> environment;
};

// How many rows of a diff have each verdict. The very same kernels are in none.
struct DiffCounts {
  int regressed = 0, improved = 0, equivalent = 0, inconclusive = 0;
  int unfinished = 0;  // not measured to the end
};
DiffCounts count_verdicts(const RunDiff& diff);

// Compares two runs, reading at most kMostDiffedTrials timed trials of each. Fails with kNotFound for a run that is not there and
// with kUnsupported for a run with more trials than that.
inline constexpr std::int64_t kMostDiffedTrials = 100'000;
Result<RunDiff> diff_runs(const StoredRun& before, const StoredRun& after, bool include_synthetic, const RunsApartRule& rule = {});

}  // namespace fuselab::engine
