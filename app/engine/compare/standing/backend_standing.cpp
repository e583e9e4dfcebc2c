// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/standing/backend_standing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "app/views/choice.h"
#include "app/views/recorded_rows.h"

namespace fuselab::engine {
namespace {

std::optional<double> best_time(const CompareCell& cell) {
  const auto plan = best_plan(cell);
  if (!plan) return std::nullopt;
  return (*plan == PlanKind::kFused ? cell.fused : cell.unfused).figure->median_ns;
}

// Returns the least time of each backend that may run the piece; of its devices the fastest counts.
std::map<std::string, double> least_times(const CompareRow& row) {
  std::map<std::string, double> times;
  for (const CompareCell& cell : row.cells) {
    const auto ns = best_time(cell);
    if (!ns) continue;
    const auto [known, fresh] = times.try_emplace(cell.backend, *ns);
    if (!fresh) known->second = std::min(known->second, *ns);
  }
  return times;
}

}  // namespace

const BackendStanding* BackendStandings::find(const std::string& backend) const {
  const auto found =
      std::find_if(backends.begin(), backends.end(), [&](const BackendStanding& each) { return each.backend == backend; });
  return found == backends.end() ? nullptr : &*found;
}

BackendStandings backend_standings(const std::vector<std::shared_ptr<const CompareTable>>& tables) {
  BackendStandings standings;
  std::map<std::string, BackendStanding> found;
  std::map<std::string, double> logarithms;  // sums of those of the multiples
  std::set<std::string> seen;
  for (const auto& table : tables) {
    for (const CompareRow& row : table->rows) {
      if (is_recorded(row)) continue;
      const auto recommended = std::find_if(row.cells.begin(), row.cells.end(),
                                            [&](const CompareCell& cell) { return cell.device_id == row.recommended_device; });
      const auto best = recommended == row.cells.end() ? std::nullopt : best_time(*recommended);
      if (!best || !(*best > 0) || !seen.insert(row.piece_key).second) continue;
      ++standings.pieces;
      ++found[recommended->backend].fastest;
      for (const auto& [backend, ns] : least_times(row)) {
        BackendStanding& standing = found[backend];
        ++standing.measured;
        logarithms[backend] += std::log(ns / *best);
      }
    }
  }
  for (auto& [backend, standing] : found) {
    standing.backend = backend;
    standing.slow_down = std::exp(logarithms[backend] / std::max(1, standing.measured));
    standings.backends.push_back(standing);
  }
  std::stable_sort(standings.backends.begin(), standings.backends.end(),
                   [](const BackendStanding& a, const BackendStanding& b) { return a.fastest > b.fastest; });
  return standings;
}

}  // namespace fuselab::engine
