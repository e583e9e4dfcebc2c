// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/runs/run_diff.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "app/engine/compare/stored_results.h"
#include "app/engine/job/job_protocols.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kPage = 5000;

using QuestionKey = std::tuple<std::string, PlanKind, std::string, std::string>;  // piece, kind, device, metric

// What a run has for one question.
struct Answer {
  std::string name;                   // of the piece
  std::optional<TrialRecord> ending;  // what the run ended with; none where it has trials of a search only
  int trials = 0;
};

struct RunAnswers {
  std::map<QuestionKey, Answer> found;
  std::vector<QuestionKey> order;  // in order of first appearance
};

Result<std::vector<TrialRow>> timed_rows(const StoredRun& run, bool include_synthetic) {
  TrialFilter filter;
  filter.run_id = run.run_id;
  filter.only_timed = true;
  filter.include_synthetic = include_synthetic;
  FL_TRY(const std::int64_t count, run.queries->count_trials(filter));
  if (count > kMostDiffedTrials)
    return Error{ErrorCode::kUnsupported, "the run has " + std::to_string(count) + " timed trials; at most " +
                                              std::to_string(kMostDiffedTrials) + " are compared"};
  std::vector<TrialRow> rows;
  for (std::int64_t offset = 0; offset < count; offset += kPage) {
    FL_TRY(auto page, run.queries->page(filter, TrialOrder::kOldestFirst, offset, kPage));
    std::move(page.begin(), page.end(), std::back_inserter(rows));
  }
  return rows;
}

// Returns the pieces of the run's models. A search also times single operators, which no model of the run has as a piece.
std::set<std::string> pieces_of(const Catalog& catalog, const std::string& run_id) {
  std::set<std::string> keys;
  for (const ModelPieceRecord& use : catalog.model_pieces) {
    if (use.run_id == run_id) keys.insert(use.piece_key);
  }
  return keys;
}

// Returns whether a later trial found the same kernels wrong: then the figure is no evidence.
Result<bool> was_found_wrong(ResultQueries& queries, const TrialRecord& trial) {
  FL_TRY(const auto same_plan, queries.find_valid(trial.plan_key, trial.metric_key, trial.environment_key));
  return std::any_of(same_plan.begin(), same_plan.end(), [&](const TrialRecord& other) {
    return other.result.outcome == Outcome::kWrongResult && other.created_unix_ms >= trial.created_unix_ms;
  });
}

// Returns the trials that speak for the piece when nothing but this run counts. They are of the configurations that it chose.
Result<std::vector<TrialRecord>> ending_of(const StoredRun& run, const TrialRow& row, const std::string& environment_key) {
  std::vector<std::string> wrong;
  while (true) {
    FL_TRY(auto evidence,
           run.queries->evidence({row.piece_key, row.device_id, row.metric_key, environment_key}, wrong, run.run_id));
    const std::size_t known = wrong.size();
    for (const TrialRecord& trial : evidence) {
      FL_TRY(const bool is_wrong, was_found_wrong(*run.queries, trial));
      if (is_wrong) wrong.push_back(trial.plan_key);
    }
    if (wrong.size() == known) return evidence;
  }
}

// Reads what one run ended with.
class RunAnswersReader {
 public:
  RunAnswersReader(const StoredRun& run, const Catalog& catalog) : run_(run), pieces_(pieces_of(catalog, run.run_id)) {
    for (const auto& [key, metric] : catalog.metrics) {
      if (is_of_a_search(metric)) full_metrics_[key] = full_metric_of(metric).key().hex();
    }
  }

  Result<RunAnswers> read(bool include_synthetic) {
    FL_TRY(const auto rows, timed_rows(run_, include_synthetic));
    for (const TrialRow& row : rows) {
      if (!full_metrics_.contains(row.metric_key)) FL_TRY_VOID(add(row));
    }
    for (const TrialRow& row : rows) {
      if (full_metrics_.contains(row.metric_key)) add_of_search(row);
    }
    return std::move(answers_);
  }

 private:
  Status add(const TrialRow& row) {
    const QuestionKey key{row.piece_key, row.kind, row.device_id, row.metric_key};
    const auto [entry, fresh] = answers_.found.try_emplace(key, Answer{row.piece_name, std::nullopt, 0});
    ++entry->second.trials;
    if (!fresh) return {};
    answers_.order.push_back(key);
    FL_TRY(const std::string environment_key, environment_of(row));
    FL_TRY(auto evidence, ending_of(run_, row, environment_key));
    for (TrialRecord& trial : evidence) {
      if (trial.kind == row.kind && !entry->second.ending) entry->second.ending = std::move(trial);
    }
    return {};
  }

  void add_of_search(const TrialRow& row) {
    if (!pieces_.empty() && !pieces_.contains(row.piece_key)) return;
    const QuestionKey key{row.piece_key, row.kind, row.device_id, full_metrics_.at(row.metric_key)};
    const auto [entry, fresh] = answers_.found.try_emplace(key, Answer{row.piece_name, std::nullopt, 0});
    if (fresh) answers_.order.push_back(key);
    if (!entry->second.ending) ++entry->second.trials;
  }

  // A run measures each device in one environment.
  Result<std::string> environment_of(const TrialRow& row) {
    const auto known = environments_.find(row.device_id);
    if (known != environments_.end()) return known->second;
    FL_TRY(const auto trial, run_.queries->trial(row.id));
    if (!trial) return Error{ErrorCode::kNotFound, "a trial of the run is no longer stored"};
    return environments_[row.device_id] = trial->environment_key;
  }

  const StoredRun& run_;
  std::set<std::string> pieces_;                     // empty: not known
  std::map<std::string, std::string> full_metrics_;  // of a search's metric: that of the figures which it is for
  std::map<std::string, std::string> environments_;  // by device
  RunAnswers answers_;
};

Result<RunRecord> record_of(const Catalog& catalog, const std::string& run_id) {
  const auto found = std::find_if(catalog.runs.begin(), catalog.runs.end(), [&](const RunRecord& run) { return run.id == run_id; });
  if (found == catalog.runs.end()) return Error{ErrorCode::kNotFound, "this run is no longer stored"};
  return *found;
}

// One side of a diff while it is read.
struct Side {
  StoredRun run;
  Catalog catalog;
  RunAnswers answers;
  std::map<std::string, EnvironmentIdentity> environments;  // by key
  std::set<std::string> used;                               // those that were used

  static Result<Side> read(const StoredRun& run, bool include_synthetic) {
    Side side;
    side.run = run;
    FL_TRY(side.catalog, run.queries->catalog());
    FL_TRY(side.answers, RunAnswersReader(run, side.catalog).read(include_synthetic));
    side.environments = {side.catalog.environments.begin(), side.catalog.environments.end()};
    return side;
  }

  // Returns the figure and notes the environment that it was measured in.
  RunFigure figure(const Answer& answer) {
    RunFigure figure;
    figure.trials = answer.trials;
    if (!answer.ending) return figure;
    const TrialRecord& trial = *answer.ending;
    used.insert(trial.environment_key);
    return {trial.id,      trial.config, trial.plan_key, trial.median_ns, {trial.low_ns, trial.high_ns}, trial.result.samples,
            trial.retimed, answer.trials};
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

int missing_in(const RunAnswers& answers, const RunAnswers& other) {
  return static_cast<int>(std::count_if(answers.order.begin(), answers.order.end(),
                                        [&](const QuestionKey& key) { return !other.found.contains(key); }));
}

std::string why_not_judged(const DiffRow& row) {
  const bool neither = !row.before.is_final() && !row.after.is_final();
  const std::string which = neither ? "both runs have" : row.before.is_final() ? "the run after has" : "the run before has";
  return "not measured to the end: " + which + " trials of a search only, and those decide nothing";
}

std::vector<DiffRow> common_rows(Side& before, Side& after) {
  std::vector<DiffRow> rows;
  for (const QuestionKey& key : after.answers.order) {
    const auto earlier = before.answers.found.find(key);
    if (earlier == before.answers.found.end()) continue;
    const Answer& was = earlier->second;
    const Answer& is = after.answers.found.at(key);
    DiffRow row;
    std::tie(row.piece_key, row.kind, row.device_id, row.metric_key) = key;
    row.name = is.name;
    row.graph = after.text_of(row.piece_key);
    row.metric = after.metric(row.metric_key);
    row.before = before.figure(was);
    row.after = after.figure(is);
    if (row.is_judged()) {
      row.same_kernel = !row.before.plan_key.empty() && row.before.plan_key == row.after.plan_key;
      row.machine =
          machine_difference(before.environment(was.ending->environment_key), after.environment(is.ending->environment_key));
    } else {
      row.result.reason = why_not_judged(row);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Returns the group of rows that drift together: each device has its own clocks, and each cache mode drifts by itself.
std::string stratum_of(const DiffRow& row) {
  return row.device_id + ", " + std::string(name_of(row.metric.mode));
}

// Returns the place of a row in the list: what users look for first comes first.
int rank_of(const DiffRow& row) {
  constexpr Verdict kOrder[] = {Verdict::kRegressed, Verdict::kImproved, Verdict::kInconclusive, Verdict::kEquivalent,
                                Verdict::kSame};
  const auto end = std::end(kOrder);
  return static_cast<int>((row.is_judged() ? std::find(std::begin(kOrder), end, row.result.verdict) : end) - std::begin(kOrder));
}

}  // namespace

DiffCounts count_verdicts(const RunDiff& diff) {
  DiffCounts counts;
  for (const DiffRow& row : diff.rows) {
    if (!row.is_judged()) {
      ++counts.unfinished;
      continue;
    }
    switch (row.result.verdict) {
      case Verdict::kRegressed: ++counts.regressed; break;
      case Verdict::kImproved: ++counts.improved; break;
      case Verdict::kEquivalent: ++counts.equivalent; break;
      case Verdict::kInconclusive: ++counts.inconclusive; break;
      case Verdict::kSame: break;
    }
  }
  return counts;
}

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
  diff.rows = common_rows(earlier, later);
  diff.only_before = missing_in(earlier.answers, later.answers);
  diff.only_after = missing_in(later.answers, earlier.answers);
  std::vector<TimedApart> timed;
  for (const DiffRow& row : diff.rows) {
    if (row.is_judged())
      timed.push_back({row.before.median_ns, row.after.median_ns, row.same_kernel, row.machine.empty(), stratum_of(row)});
  }
  FL_TRY(diff.apart, compare_runs_apart(timed, rule));
  auto judged = diff.apart.kernels.begin();
  for (DiffRow& row : diff.rows) {
    if (row.is_judged()) row.result = *judged++;
  }
  std::stable_sort(diff.rows.begin(), diff.rows.end(), [](const DiffRow& a, const DiffRow& b) { return rank_of(a) < rank_of(b); });
  for (const Fact& fact : kFacts) {
    const std::string was = values_of(earlier, fact), is = values_of(later, fact);
    if (was != is) diff.environment.push_back({fact.name, was, is});
  }
  return diff;
}

}  // namespace fuselab::engine
