// SPDX-License-Identifier: Apache-2.0
#include "core/gate/history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace fuselab {
namespace {

// Returns the device's UUID; for a device that has none, what the run said of its processor.
std::string machine_of(const CheckReport& report, const CaseOutcome& outcome) {
  if (!outcome.device_uuid.empty()) return outcome.device_uuid;
  for (const auto& [name, value] : report.environment) {
    if (name == "cpu") return value;
  }
  return {};
}

bool was_timed(double nanoseconds) {
  return std::isfinite(nanoseconds) && nanoseconds > 0;
}

// The standard error of a comparison's log-ratio: processes scatter, and so do the medians of their pairs.
double standard_error_of(const ComparisonResult& result) {
  if (result.processes < 1 || result.pairs < 1) return 0;
  const double error = std::sqrt(result.between_deviation * result.between_deviation / result.processes +
                                 kMedianVariance * result.within_deviation * result.within_deviation / result.pairs);
  return std::isfinite(error) ? error : 0;
}

// Returns whether the candidate ran beside a baseline; the kernels of a golden file run beside it as well.
bool has_paired_baseline(const CaseOutcome& outcome) {
  return outcome.baseline && (outcome.baseline->kind == "paired" || outcome.baseline->kind == "golden");
}

// Returns whether the figures are of today's kernel as it is: neither failed, nor slowed for a drill, nor beside itself.
bool is_sound(const CaseOutcome& outcome) {
  return outcome.drill == 0 && !outcome.null_control && outcome.state != CaseState::kUnfit &&
         outcome.state != CaseState::kWrongResult && outcome.state != CaseState::kFailed &&
         outcome.state != CaseState::kMisconfigured;
}

std::optional<Observation> beside_reference(const CaseOutcome& outcome) {
  if (!is_sound(outcome) || !was_timed(outcome.candidate_ns) || !was_timed(outcome.reference_ns)) return std::nullopt;
  return Observation{std::log(outcome.candidate_ns) - std::log(outcome.reference_ns), 0};
}

std::optional<Observation> beside_baseline(const CaseOutcome& outcome) {
  if (outcome.state == CaseState::kSame && has_paired_baseline(outcome)) return Observation{0, 0, true};
  const bool measured = is_sound(outcome) && has_paired_baseline(outcome) && outcome.comparison;
  if (!measured || !was_timed(outcome.comparison->ratio)) return std::nullopt;
  return Observation{std::log(outcome.comparison->ratio), standard_error_of(*outcome.comparison)};
}

// Empty: none that was replayed in the same processes.
std::string name_of_baseline(const CaseOutcome& outcome) {
  if (!has_paired_baseline(outcome)) return {};
  const BaselineUsed& used = *outcome.baseline;
  return "baseline" + (used.commit.empty() ? "" : " " + used.commit.substr(0, 12)) +
         (used.origin.empty() ? "" : (used.commit.empty() ? " " : " of ") + used.origin);
}

// Returns what tells baselines apart. Two files saved at two commits that hold the very same kernel count as one, since nothing
// changed.
std::vector<std::string> identity_of_baseline(const CaseOutcome& outcome) {
  if (!has_paired_baseline(outcome)) return {""};
  if (!outcome.baseline->kernel.empty()) return {"kernel", outcome.baseline->kernel};
  return {name_of_baseline(outcome), outcome.baseline->device_uuid};
}

constexpr std::string_view kReference = "reference ";

// Sorts the points by time of measuring and keeps a run that was given twice only once. Runs without a time cannot be told from
// others that happen to agree, so all of them stay.
void order(History& history) {
  auto& points = history.points;
  std::stable_sort(points.begin(), points.end(),
                   [](const HistoryPoint& left, const HistoryPoint& right) { return left.started_at < right.started_at; });
  std::set<std::tuple<std::string_view, std::string_view, double>> seen;
  std::vector<HistoryPoint> kept;
  for (const HistoryPoint& point : points) {
    const bool is_new = point.started_at.empty() || seen.emplace(point.started_at, point.commit, point.observation.value).second;
    if (is_new) kept.push_back(point);
  }
  history.duplicates = static_cast<int>(points.size() - kept.size());
  history.older = static_cast<int>(kept.size() - std::min(kept.size(), kMostObservations));
  kept.erase(kept.begin(), kept.begin() + history.older);
  points = std::move(kept);
}

// Series by what tells them apart: the case on its device first.
class Sorter {
 public:
  explicit Sorter(std::span<const CheckReport> reports) : reports_(reports) {
    for (const CheckReport& report : reports) {
      for (const CaseOutcome& outcome : report.cases) {
        if (has_paired_baseline(outcome)) baselines_[case_of(report, outcome)].insert(identity_of_baseline(outcome));
      }
    }
  }

  std::vector<History> sort() {
    for (std::size_t index = 0; index < reports_.size(); ++index) {
      for (const CaseOutcome& outcome : reports_[index].cases) add(index, outcome);
    }
    std::vector<History> histories;
    for (History& history : histories_) {
      if (history.beside.empty()) hand_over(history);
    }
    for (std::size_t i = 0; i < histories_.size(); ++i) {
      History& history = histories_[i];
      order(history);
      const bool empty = history.points.empty() && history.identical + history.without_figure == 0;
      const bool told = history.beside.starts_with(kReference) || has_own_[i];
      if (!empty && told) histories.push_back(std::move(history));
    }
    return histories;
  }

 private:
  using Key = std::vector<std::string>;

  static Key case_of(const CheckReport& report, const CaseOutcome& outcome) {
    return {outcome.name, outcome.device, outcome.backend, machine_of(report, outcome)};
  }

  // Adds a case beside its baseline, and where the baseline was exchanged beside its reference kernel as well.
  void add(std::size_t index, const CaseOutcome& outcome) {
    const Key of = case_of(reports_[index], outcome);
    const auto baselines = baselines_.find(of);
    const bool exchanged = baselines == baselines_.end() || baselines->second.size() > 1;
    const bool by_reference = exchanged && !outcome.reference.empty();
    const std::string reference = std::string(kReference) + outcome.reference;
    if (by_reference) put(index, outcome, joined(of, {reference}), reference, beside_reference(outcome));
    if (by_reference && !has_paired_baseline(outcome)) return;
    const std::size_t place =
        put(index, outcome, joined(of, identity_of_baseline(outcome)), name_of_baseline(outcome), beside_baseline(outcome));
    const bool told_already = by_reference && beside_reference(outcome).has_value();
    if (!told_already) has_own_[place] = true;
  }

  static Key joined(Key key, const Key& more) {
    key.insert(key.end(), more.begin(), more.end());
    return key;
  }

  // Adds the point to its series and returns the place of that series.
  std::size_t put(std::size_t index, const CaseOutcome& outcome, Key key, const std::string& beside,
                  const std::optional<Observation>& observation) {
    const std::size_t place = place_of(std::move(key));
    History& history = histories_[place];
    history.name = outcome.name;
    history.subject = outcome.subject;
    history.device = outcome.device;
    history.backend = outcome.backend;
    history.beside = beside;
    if (observation) history.points.push_back({*observation, reports_[index].commit, reports_[index].started_at, index});
    if (outcome.state == CaseState::kSame) {
      ++history.identical;
    } else if (!observation) {
      ++history.without_figure;
    }
    return place;
  }

  std::size_t place_of(Key key) {
    const auto [entry, fresh] = known_.try_emplace(std::move(key), histories_.size());
    if (fresh) {
      histories_.emplace_back();
      has_own_.push_back(false);
    }
    return entry->second;
  }

  // Runs beside nothing (they failed, say) are told with the newest series of their case that has figures.
  void hand_over(History& from) {
    const auto heir = std::find_if(histories_.rbegin(), histories_.rend(), [&](const History& other) {
      return !other.beside.empty() && other.name == from.name && other.device == from.device && other.backend == from.backend;
    });
    if (heir == histories_.rend()) return;
    heir->identical += std::exchange(from.identical, 0);
    heir->without_figure += std::exchange(from.without_figure, 0);
    has_own_[static_cast<std::size_t>(histories_.rend() - heir) - 1] = true;
  }

  std::span<const CheckReport> reports_;
  std::map<Key, std::set<Key>> baselines_;  // of each case
  std::map<Key, std::size_t> known_;
  std::vector<History> histories_;
  std::vector<bool> has_own_;  // beside a baseline: runs that no reference kernel's series tells
};

}  // namespace

std::vector<History> histories_of(std::span<const CheckReport> reports) {
  return Sorter(reports).sort();
}

std::vector<EnvironmentChange> environment_changes(const CheckReport& before, const CheckReport& after) {
  std::vector<EnvironmentChange> changes;
  for (const auto& [name, value] : after.environment) {
    const auto was = std::find_if(before.environment.begin(), before.environment.end(),
                                  [&, &wanted = name](const auto& entry) { return entry.first == wanted; });
    if (was != before.environment.end() && was->second != value) changes.push_back({name, was->second, value});
  }
  return changes;
}

}  // namespace fuselab
