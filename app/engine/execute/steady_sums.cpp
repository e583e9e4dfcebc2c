// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/steady_sums.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/stats/statistics.h"

namespace fuselab::engine {

std::optional<SteadySums> steady_sums(const ExecutionResult& run) {
  if (run.passes.empty()) return std::nullopt;
  SteadySums sums;
  sums.passes = static_cast<int>(run.passes.size());
  std::vector<double> passes;
  for (const Nanoseconds& pass : run.passes) passes.push_back(pass.count);
  std::sort(passes.begin(), passes.end());
  sums.least = {passes.front()};
  sums.median = {summarize(passes).median};
  const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(passes.size())));
  sums.most95 = {passes[rank - 1]};
  std::map<std::string, SteadyRow> kinds;
  double all = 0;
  for (const ExecutedUse& use : run.uses) {
    SteadyRow& row = kinds[use.operators];
    row.operators = use.operators;
    ++row.pieces;
    row.time.count += use.steady.count;
    all += use.steady.count;
  }
  for (auto& [operators, row] : kinds) {
    row.share = all > 0 ? row.time.count / all : 0;
    sums.rows.push_back(std::move(row));
  }
  std::stable_sort(sums.rows.begin(), sums.rows.end(),
                   [](const SteadyRow& a, const SteadyRow& b) { return a.time.count > b.time.count; });
  return sums;
}

}  // namespace fuselab::engine
