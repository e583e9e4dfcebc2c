// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/run_diff.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "app/engine/compare/stored_results.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kPage = 5000;

using QuestionKey = std::tuple<std::string, PlanKind, std::string, std::string>;  // piece, kind, device, metric

// The trial that a run answers a question with, and the number of trials it was chosen from.
struct Chosen {
  TrialRow row;
  int trials = 0;
};

struct RunTrials {
  std::map<QuestionKey, Chosen> chosen;
  std::vector<QuestionKey> order;  // in order of first appearance
};

// Returns whether the later trial replaces the earlier one. A confirmation counts more than a trial of a search, and the newest
// confirmation most, since it was measured last, on what the search had found.
bool replaces(const TrialRow& later, const TrialRow& earlier) {
  if (later.retimed != earlier.retimed) return later.retimed;
  return later.retimed || later.median_ns < earlier.median_ns;
}

Result<RunTrials> trials_of(const StoredRun& run, bool include_synthetic) {
  TrialFilter filter;
  filter.run_id = run.run_id;
  filter.only_timed = true;
  filter.include_synthetic = include_synthetic;
  FL_TRY(const std::int64_t count, run.queries->count_trials(filter));
  if (count > kMostDiffedTrials)
    return Error{ErrorCode::kUnsupported, "the run has " + std::to_string(count) + " timed trials; at most " +
                                              std::to_string(kMostDiffedTrials) + " are compared"};
  RunTrials trials;
  for (std::int64_t offset = 0; offset < count; offset += kPage) {
    FL_TRY(const auto rows, run.queries->page(filter, TrialOrder::kOldestFirst, offset, kPage));
    for (const TrialRow& row : rows) {
      const QuestionKey key{row.piece_key, row.kind, row.device_id, row.metric_key};
      const auto [entry, fresh] = trials.chosen.try_emplace(key, Chosen{row, 0});
      if (fresh) trials.order.push_back(key);
      ++entry->second.trials;
      if (!fresh && replaces(row, entry->second.row)) entry->second.row = row;
    }
  }
  return trials;
}

Result<RunRecord> record_of(const Catalog& catalog, const std::string& run_id) {
  const auto found = std::find_if(catalog.runs.begin(), catalog.runs.end(), [&](const RunRecord& run) { return run.id == run_id; });
  if (found == catalog.runs.end()) return Error{ErrorCode::kNotFound, "this run is no longer stored"};
  return *found;
}

// One side of a diff while it is read.
struct Side {
  StoredRun run;
  Catalog catalog;
  RunTrials trials;
  std::map<std::string, EnvironmentIdentity> environments;  // by key
  std::set<std::string> used;                               // those that were used

  static Result<Side> read(const StoredRun& run, bool include_synthetic) {
    Side side;
    side.run = run;
    FL_TRY(side.catalog, run.queries->catalog());
    FL_TRY(side.trials, trials_of(run, include_synthetic));
    side.environments = {side.catalog.environments.begin(), side.catalog.environments.end()};
    return side;
  }

  // Returns the trial and notes the environment that it was measured in.
  Result<TrialRecord> trial(const Chosen& chosen) {
    FL_TRY(auto record, run.queries->trial(chosen.row.id));
    if (!record) return Error{ErrorCode::kNotFound, "a trial of the run is no longer stored"};
    used.insert(record->environment_key);
    return *std::move(record);
  }

  std::string text_of(const std::string& piece_key) const {
    const auto found = std::find_if(catalog.pieces.begin(), catalog.pieces.end(),
                                    [&](const PieceRecord& piece) { return piece.key == piece_key; });
    return found == catalog.pieces.end() ? std::string() : found->canonical_text;
  }

  MetricIdentity metric(const std::string& key) const {
    const auto found =
        std::find_if(catalog.metrics.begin(), catalog.metrics.end(), [&](const auto& entry) { return entry.first == key; });
    return found == catalog.metrics.end() ? MetricIdentity() : found->second;
  }

  const EnvironmentIdentity* environment(const std::string& key) const {
    const auto found = environments.find(key);
    return found == environments.end() ? nullptr : &found->second;
  }
};

RunFigure figure_of(const TrialRecord& record, int trials) {
  return {record.id,      record.config, record.plan_key, record.median_ns, {record.low_ns, record.high_ns}, record.result.samples,
          record.retimed, trials};
}

struct Fact {
  const char* name;
  std::string EnvironmentIdentity::*value;
  bool is_machine;  // figures of different machines are not compared
};
constexpr Fact kFacts[] = {
    {"machine", &EnvironmentIdentity::host, true},         {"device", &EnvironmentIdentity::device_uuid, true},
    {"processor", &EnvironmentIdentity::cpu_model, true},  {"driver", &EnvironmentIdentity::driver, false},
    {"microcode", &EnvironmentIdentity::microcode, false}, {"kernel", &EnvironmentIdentity::os_kernel, false},
    {"clocks", &EnvironmentIdentity::clock_policy, false}, {"Fuselab", &EnvironmentIdentity::tool_version, false}};

// Returns how the machines differ. An environment that is not stored is not known to be the same.
std::string machine_difference(const EnvironmentIdentity* before, const EnvironmentIdentity* after) {
  if (before == nullptr || after == nullptr) return "environment not stored";
  std::string names;
  for (const Fact& fact : kFacts) {
    if (fact.is_machine && before->*fact.value != after->*fact.value) names += (names.empty() ? "" : ", ") + std::string(fact.name);
  }
  return names;
}

std::string values_of(const Side& side, const Fact& fact) {
  std::set<std::string> values;
  for (const std::string& key : side.used) {
    if (const EnvironmentIdentity* const environment = side.environment(key)) values.insert(environment->*fact.value);
  }
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : "; ") + (value.empty() ? "not known" : value);
  return text;
}

int missing_in(const RunTrials& trials, const RunTrials& other) {
  return static_cast<int>(
      std::count_if(trials.order.begin(), trials.order.end(), [&](const QuestionKey& key) { return !other.chosen.contains(key); }));
}

Result<std::vector<DiffRow>> common_rows(Side& before, Side& after) {
  std::vector<DiffRow> rows;
  for (const QuestionKey& key : after.trials.order) {
    const auto earlier = before.trials.chosen.find(key);
    if (earlier == before.trials.chosen.end()) continue;
    const Chosen& later = after.trials.chosen.at(key);
    FL_TRY(const TrialRecord was, before.trial(earlier->second));
    FL_TRY(const TrialRecord is, after.trial(later));
    DiffRow row;
    std::tie(row.piece_key, row.kind, row.device_id, row.metric_key) = key;
    row.name = later.row.piece_name;
    row.graph = after.text_of(row.piece_key);
    row.metric = after.metric(row.metric_key);
    row.before = figure_of(was, earlier->second.trials);
    row.after = figure_of(is, later.trials);
    row.same_kernel = !was.plan_key.empty() && was.plan_key == is.plan_key;
    row.machine = machine_difference(before.environment(was.environment_key), after.environment(is.environment_key));
    rows.push_back(std::move(row));
  }
  return rows;
}

// Returns the group of rows that drift together: each device has its own clocks, and each cache mode drifts by itself.
std::string stratum_of(const DiffRow& row) {
  return row.device_id + ", " + std::string(name_of(row.metric.mode));
}

// Returns the place of a verdict in the list: what users look for first comes first.
int rank_of(Verdict verdict) {
  constexpr Verdict kOrder[] = {Verdict::kRegressed, Verdict::kImproved, Verdict::kInconclusive, Verdict::kEquivalent,
                                Verdict::kSame};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), verdict) - std::begin(kOrder));
}

}  // namespace

Result<std::unique_ptr<ResultQueries>> open_other_database(const Config& config, const std::filesystem::path& database) {
  auto stored = std::make_unique<StoredResults>(database, std::make_shared<db::Trust>(config.key_directory));
  FL_TRY_VOID(stored->open());
  return std::unique_ptr<ResultQueries>(std::move(stored));
}

Result<RunDiff> diff_runs(const StoredRun& before, const StoredRun& after, bool include_synthetic, const RunsApartRule& rule) {
  FL_TRY(Side earlier, Side::read(before, include_synthetic));
  FL_TRY(Side later, Side::read(after, include_synthetic));
  RunDiff diff;
  FL_TRY(diff.before, record_of(earlier.catalog, before.run_id));
  FL_TRY(diff.after, record_of(later.catalog, after.run_id));
  FL_TRY(diff.rows, common_rows(earlier, later));
  diff.only_before = missing_in(earlier.trials, later.trials);
  diff.only_after = missing_in(later.trials, earlier.trials);
  std::vector<TimedApart> timed;
  for (const DiffRow& row : diff.rows)
    timed.push_back({row.before.median_ns, row.after.median_ns, row.same_kernel, row.machine.empty(), stratum_of(row)});
  FL_TRY(diff.apart, compare_runs_apart(timed, rule));
  for (std::size_t i = 0; i < diff.rows.size(); ++i) diff.rows[i].result = diff.apart.kernels[i];
  std::stable_sort(diff.rows.begin(), diff.rows.end(),
                   [](const DiffRow& a, const DiffRow& b) { return rank_of(a.result.verdict) < rank_of(b.result.verdict); });
  for (const Fact& fact : kFacts) {
    const std::string was = values_of(earlier, fact), is = values_of(later, fact);
    if (was != is) diff.environment.push_back({fact.name, was, is});
  }
  return diff;
}

}  // namespace fuselab::engine
