// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/estimate_job.h"

#include <algorithm>
#include <limits>
#include <set>

#include "app/engine/tune/job_budget.h"
#include "app/engine/tune/search_budget.h"
#include "app/engine/workers/environment_here.h"

namespace fuselab::engine {
namespace {

// Adds up the phases of a job as it spends its budget.
class Estimate {
 public:
  Estimate(const JobSpec& spec, const JobWork& work, const JobRates& rates)
      : spec_(spec),
        work_(work),
        rates_(rates),
        has_budget_(spec.verb != JobSpec::Verb::kBench),
        budget_(has_budget_ ? spec.budget_seconds : std::numeric_limits<double>::infinity(), [this] { return spent_; }) {}

  JobEstimate made() {
    made_.models = work_.models;
    for (const DeviceWork& each : work_.devices) made_.devices.push_back(each.device);
    made_.pieces = work_.pieces;
    made_.pairs = work_.pairs;
    made_.stored_pairs = work_.stored_pairs;
    made_.budget_seconds = has_budget_ ? spec_.budget_seconds : 0;
    made_.trials_behind = rates_.trials;
    first_figures();
    if (!spec_.config.values().empty() || !spec_.target.empty()) return std::move(made_);
    if (has_budget_) tune();
    if (has_budget_) add("confirming", "confirming", confirm_, budget_.to_confirm(confirm_));
    if (spec_.decide_gains) add("fused against unfused", "fused against unfused", compare_, budget_.to_compare(compare_));
    if (spec_.cold) {
      const auto cold = sum([](const DeviceWork& work, const StepSeconds& steps) { return std::pair(work.cold, steps.cold); });
      add("measuring cold", "cold figures", cold.first, cold.second);
    }
    return std::move(made_);
  }

 private:
  using Steps = std::pair<std::int64_t, double>;  // how many, and their seconds

  void add(const char* phase, const char* name, std::int64_t steps, double seconds) {
    if (steps <= 0 || seconds <= 0) return;
    spent_ += seconds;
    made_.phases.push_back({phase, name, steps, seconds});
  }

  // `of` returns how many steps a device has left, and what each takes.
  template <typename Of>
  Steps sum(const Of& of, std::size_t from = 0, std::size_t to = std::numeric_limits<std::size_t>::max()) const {
    Steps all;
    for (std::size_t index = from; index < std::min(to, work_.devices.size()); ++index) {
      const auto [steps, each] = of(work_.devices[index], rates_.on(work_.devices[index].device));
      all.first += steps;
      all.second += static_cast<double>(steps) * each;
    }
    return all;
  }

  void first_figures() {
    const auto left = std::count_if(work_.devices.begin(), work_.devices.end(), [](const auto& each) { return each.ceilings; });
    if (left > 0 && work_.pairs > work_.stored_pairs)
      add("measuring", "ceilings", left, static_cast<double>(left) * rates_.ceilings);
    const auto figures = [](const DeviceWork& work, const StepSeconds& steps) { return std::pair(work.figures, steps.figures); };
    const Steps first = sum(figures, 0, 1), others = sum(figures, 1);
    add("measuring", "first figures", first.first, first.second);
    const double each = work_.devices.empty() ? rates_.usual.figures : rates_.on(work_.devices.front().device).figures;
    budget_.note_first_figures(each);
    add("measuring whole models", "whole models", work_.whole_models,
        std::min(work_.whole_models * each, std::max(0.0, budget_.for_whole_models())));
    add("measuring other devices", "first figures of other devices", others.first,
        std::min(others.second, std::max(0.0, budget_.for_other_devices())));
    for (const DeviceWork& work : work_.devices) {
      confirm_ += work.confirm;
      compare_ += work.compare;
    }
  }

  void tune() {
    const auto trials = [&](const DeviceWork& work, const StepSeconds& steps) {
      return std::pair(work.searches, spec_.budget_trials * steps.trial);
    };
    const Steps all = sum(trials);
    made_.tuning_at_most = all.second;
    add("tuning", "tuning", all.first, std::min(all.second, budget_.for_tuning(confirm_, compare_)));
  }

  const JobSpec& spec_;
  const JobWork& work_;
  const JobRates& rates_;
  bool has_budget_;
  double spent_ = 0;
  JobBudget budget_;
  JobEstimate made_;
  int confirm_ = 0, compare_ = 0;
};

bool has_ceilings(const Catalog& catalog, const std::string& environment) {
  return std::any_of(catalog.ceilings.begin(), catalog.ceilings.end(),
                     [&](const auto& each) { return each.first == environment && !each.second.rows.empty(); });
}

}  // namespace

JobEstimate estimate_job(const JobSpec& spec, const JobWork& work, const JobRates& rates) {
  return Estimate(spec, work, rates).made();
}

JobEstimate estimate_job(const JobSpec& spec, const std::vector<CompareTable>& tables, const std::vector<DeviceInfo>& devices,
                         const std::vector<BackendReport>& backends, ResultQueries& queries) {
  const auto read = queries.catalog();
  const Catalog catalog = read.ok() ? read.value() : Catalog();
  const auto environments = environments_here(backends);
  const auto environment_of = [&](const std::string& device) {
    const auto found = environments.find(device);
    return found == environments.end() ? std::string() : found->second;
  };
  std::vector<std::string> ids;
  for (const DeviceInfo& device : devices) ids.push_back(device.id);
  int searches = 0;  // all, ended ones included: each is given an equal share of the budget
  for (const DeviceWork& each : work_of(spec, tables, ids, [](const auto&, const auto&) { return false; }).devices)
    searches += each.searches;
  const SearchBudget budget = search_budget_of(spec, searches);
  const std::string metric = metric_of(spec.protocol).key().hex();
  JobWork work = work_of(spec, tables, ids, [&](const CompareRow& row, const CompareCell& cell) {
    if (!cell.given_up.empty()) return true;  // it cannot win, with more time neither
    const auto record = queries.tuning({row.piece_key, cell.device_id, metric, environment_of(cell.device_id)}, "");
    if (!record.ok() || !record.value()) return false;
    return is_answered(*record.value(), budget) || was_unreached_under(*record.value(), budget);
  });
  bool on_host = false;  // the devices of one processor share its ceilings
  for (std::size_t index = 0; index < devices.size(); ++index) {
    const bool is_host = devices[index].type == "cpu";
    work.devices[index].ceilings =
        !devices[index].synthetic && !(is_host && on_host) && !has_ceilings(catalog, environment_of(devices[index].id));
    on_host = on_host || is_host;
  }
  return estimate_job(spec, work, rates_here(queries, catalog));
}

}  // namespace fuselab::engine
