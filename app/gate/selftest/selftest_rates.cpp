// SPDX-License-Identifier: Apache-2.0
#include "app/gate/selftest/selftest_rates.h"

#include <cmath>
#include <map>

#include "core/stats/statistics.h"

namespace fuselab::engine {

std::vector<SelftestRates> rates_of(const std::vector<SelftestTrial>& trials, const std::string& kernel) {
  struct Spent {
    std::vector<double> kernel, wall, detectable, within, between;
  };
  std::map<double, SelftestRates> rates;
  std::map<double, Spent> spent;
  for (const SelftestTrial& trial : trials) {
    if (!kernel.empty() && trial.kernel != kernel) continue;
    SelftestRates& rate = rates[trial.slowdown];
    rate.slowdown = trial.slowdown;
    rate.failed += trial.judged() ? 0 : 1;
    if (trial.judged() || trial.slowdown > 0) {
      ++rate.alarmed.trials;
      ++rate.confirmed.trials;
    }
    if (!trial.judged()) continue;
    const Verdict verdict = trial.first.result.verdict;
    const bool counts = trial.slowdown > 0 ? verdict == Verdict::kRegressed : trial.alarmed();
    rate.alarmed.events += counts ? 1 : 0;
    rate.confirmed.events += counts && trial.confirmed() ? 1 : 0;
    rate.equivalent += verdict == Verdict::kEquivalent ? 1 : 0;
    rate.inconclusive += verdict == Verdict::kInconclusive ? 1 : 0;
    spent[trial.slowdown].kernel.push_back(trial.first.result.spent.count * 1e-9);
    spent[trial.slowdown].wall.push_back(trial.wall_seconds);
    spent[trial.slowdown].within.push_back(trial.first.result.within_deviation);
    spent[trial.slowdown].between.push_back(trial.first.result.between_deviation);
    const double detectable = trial.first.result.minimum_detectable;
    if (std::isfinite(detectable)) spent[trial.slowdown].detectable.push_back(detectable);
  }
  std::vector<SelftestRates> all;
  for (auto& [slowdown, rate] : rates) {
    rate.kernel_seconds = summarize(spent[slowdown].kernel).median;
    rate.wall_seconds = summarize(spent[slowdown].wall).median;
    rate.within_deviation = summarize(spent[slowdown].within).median;
    rate.between_deviation = summarize(spent[slowdown].between).median;
    rate.minimum_detectable = summarize(spent[slowdown].detectable).median;
    all.push_back(rate);
  }
  return all;
}

}  // namespace fuselab::engine
