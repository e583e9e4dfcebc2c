// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/job_rates.h"

#include <algorithm>
#include <array>
#include <set>

#include "app/engine/job/job_protocols.h"
#include "core/platform/machine/machine.h"

namespace fuselab::engine {
namespace {

enum Kind { kFigures, kTrial, kCold, kKinds, kOther };
struct Spent {
  double seconds = 0, steps = 0;
};
using SpentByKind = std::array<Spent, kKinds>;

constexpr double kLongestBlock = 120;     // seconds; a longer gap is a pause, or another command
constexpr std::int64_t kWithinBlock = 2;  // milliseconds between the trials of one block
constexpr std::int64_t kMostRows = 4000;

double& seconds_of(StepSeconds& steps, int kind) {
  double* const members[kKinds] = {&steps.figures, &steps.trial, &steps.cold};
  return *members[kind];
}

// Takes the place of what is usual where there is anything to take it from.
void take_means(const SpentByKind& spent, StepSeconds& steps) {
  for (int kind = 0; kind < kKinds; ++kind) {
    const Spent& of_kind = spent[static_cast<std::size_t>(kind)];
    if (of_kind.steps > 0) seconds_of(steps, kind) = of_kind.seconds / of_kind.steps;
  }
}

}  // namespace

const StepSeconds& JobRates::on(const std::string& device) const {
  const auto found = of.find(device);
  return found == of.end() ? usual : found->second;
}

JobRates rates_of(std::vector<TrialRow> rows, const std::vector<std::pair<std::string, MetricIdentity>>& metrics,
                  const std::vector<std::string>& runs_here) {
  const std::set<std::string> runs(runs_here.begin(), runs_here.end());
  std::erase_if(rows, [&](const TrialRow& row) { return !runs.contains(row.run_id); });
  std::sort(rows.begin(), rows.end(), [](const TrialRow& a, const TrialRow& b) { return a.sequence < b.sequence; });
  std::map<std::string, MetricIdentity> metric_of_key(metrics.begin(), metrics.end());
  const auto kind_of = [&](const TrialRow& row) {
    const MetricIdentity& metric = metric_of_key[row.metric_key];
    return row.retimed ? kOther : is_of_a_search(metric) ? kTrial : metric.mode == CacheMode::kCold ? kCold : kFigures;
  };
  SpentByKind all;
  std::map<std::string, SpentByKind> by_device;
  JobRates rates;
  const auto block_end = [&](std::size_t begin) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end].run_id == rows[begin].run_id && rows[end].device_id == rows[begin].device_id &&
           rows[end].created_unix_ms - rows[begin].created_unix_ms <= kWithinBlock)
      ++end;
    return end;
  };
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    end = block_end(begin);
    const TrialRow& row = rows[begin];
    // Where the block before it was of another kind, something else happened in between: ceilings, a comparison.
    if (begin == 0 || rows[begin - 1].run_id != row.run_id || kind_of(rows[begin - 1]) != kind_of(row)) continue;
    if (row.retimed) continue;  // of a confirmation, or of the end of a search
    const double seconds = 1e-3 * static_cast<double>(row.created_unix_ms - rows[begin - 1].created_unix_ms);
    if (seconds <= 0 || seconds > kLongestBlock) continue;
    const Kind kind = kind_of(row);
    rates.trials += static_cast<std::int64_t>(end - begin);
    for (Spent* spent : {&all[kind], &by_device[row.device_id][kind]}) {
      spent->seconds += seconds;
      spent->steps += kind == kTrial ? static_cast<double>(end - begin) : 1;
    }
  }
  take_means(all, rates.usual);
  for (const auto& [device, spent] : by_device) {
    StepSeconds steps = rates.usual;
    take_means(spent, steps);
    rates.of[device] = steps;
  }
  return rates;
}

JobRates rates_here(ResultQueries& queries, const Catalog& catalog) {
  const std::string host = platform::machine_facts().host;
  std::vector<std::string> runs;
  for (const RunRecord& run : catalog.runs) {
    if (run.host == host) runs.push_back(run.id);
  }
  if (runs.empty()) return {};
  auto rows = queries.page({}, TrialOrder::kNewestFirst, 0, kMostRows);
  return rows.ok() ? rates_of(std::move(rows).value(), catalog.metrics, runs) : JobRates();
}

}  // namespace fuselab::engine
