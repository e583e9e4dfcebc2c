// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/strategies.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/units.h"
#include "core/kernel/optimization_level.h"

namespace fuselab::engine {
namespace {

// Collects one strategy's gains.
class Gains {
 public:
  Gains(std::string name, std::string description) {
    strategy_.name = std::move(name);
    strategy_.description = std::move(description);
  }
  void add(double gain, bool loses, const std::string& level) {
    strategy_.least = strategy_.measured == 0 ? gain : std::min(strategy_.least, gain);
    strategy_.most = strategy_.measured == 0 ? gain : std::max(strategy_.most, gain);
    ++strategy_.measured;
    strategy_.losing += loses ? 1 : 0;
    logarithms_ += std::log(gain);
    if (std::find(strategy_.levels.begin(), strategy_.levels.end(), level) == strategy_.levels.end())
      strategy_.levels.push_back(level);
  }
  Strategy finish() {
    if (strategy_.measured > 0) strategy_.gain = std::exp(logarithms_ / strategy_.measured);
    std::sort(strategy_.levels.begin(), strategy_.levels.end());
    return strategy_;
  }

 private:
  Strategy strategy_;
  double logarithms_ = 0;
};

const ModelTotal* total_of(const CompareTable& table, const std::string& device_id) {
  const auto found =
      std::find_if(table.totals.begin(), table.totals.end(), [&](const ModelTotal& total) { return total.device_id == device_id; });
  return found == table.totals.end() ? nullptr : &*found;
}

// Returns the single device that runs the whole model fastest as fused; null where no device runs all of it with plans that may be
// chosen.
const ModelTotal* fastest_alone(const CompareTable& table) {
  const ModelTotal* best = nullptr;
  for (const ModelTotal& total : table.totals) {
    const bool whole =
        total.device_id != kBestMix && total.pieces > 0 && total.measured_pieces == total.pieces && !total.drawbacks.is_withheld();
    if (whole && (best == nullptr || total.fused_ns < best->fused_ns)) best = &total;
  }
  return best;
}

bool is_whole(const ModelTotal* total) {
  return total != nullptr && total->pieces > 0 && total->measured_pieces == total->pieces && total->fused_ns > 0;
}

std::string times_text(double gain) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", gain);
  return text;
}

// Returns whether this level fuses; unknown, and so false, for results stored before levels were.
bool fuses(const std::string& level) {
  return !level.empty() && level != name_of(OptimizationLevel::kO0);
}

const CompareCell* recommended_cell(const CompareRow& row) {
  for (const CompareCell& cell : row.cells) {
    if (cell.device_id == row.recommended_device) return &cell;
  }
  return nullptr;
}

}  // namespace

std::vector<Strategy> measured_strategies(const std::vector<CompareTable>& tables) {
  std::map<std::string, Gains> fusing, of_level;
  Gains mixing("choose device and plan of each piece",
               "the best mix, over the single device that runs the whole model fastest as fused");
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      for (const CompareCell& cell : row.cells) {
        if (!cell.gain || row.single_operator) continue;
        const auto place =
            fusing.try_emplace(row.pattern, "fuse " + row.pattern, "one kernel instead of one per operator, on the same backend")
                .first;
        place->second.add(cell.gain->value, cell.gain->interval.high < 1, table.level);
      }
    }
    const ModelTotal* const alone = fastest_alone(table);
    const ModelTotal* const mix = total_of(table, kBestMix);
    if (is_whole(alone) && is_whole(mix)) mixing.add(alone->fused_ns / mix->fused_ns, mix->fused_ns > alone->fused_ns, table.level);
    if (fuses(table.level) && is_whole(mix) && mix->unfused_ns > 0) {
      const auto place = of_level
                             .try_emplace(table.level, "level " + table.level,
                                          "all that it fuses, each piece where and how it is fastest, over every operator where it "
                                          "is fastest")
                             .first;
      place->second.add(mix->unfused_ns / mix->fused_ns, mix->fused_ns > mix->unfused_ns, table.level);
    }
  }
  std::vector<Strategy> strategies;
  for (auto& [pattern, gains] : fusing) strategies.push_back(gains.finish());
  for (auto& [level, gains] : of_level) strategies.push_back(gains.finish());
  strategies.push_back(mixing.finish());
  std::stable_sort(strategies.begin(), strategies.end(), [](const Strategy& a, const Strategy& b) { return a.gain > b.gain; });
  return strategies;
}

OptimizationResult optimization_result(const CompareTable& table) {
  OptimizationResult result;
  result.model = table.model;
  result.binding = table.binding;
  result.level = table.level;
  result.success = !table.rows.empty();
  std::map<std::string, std::pair<int, double>> fused;  // pattern → pieces, sum of logarithms
  for (const CompareRow& row : table.rows) {
    if (row.runs_nothing) continue;
    const CompareCell* const cell = recommended_cell(row);
    if (cell == nullptr) {
      result.success = false;
      result.warnings.push_back(row.name + " has no figure: " + row.reason);
      continue;
    }
    if (!cell->gain || row.single_operator) continue;
    if (row.recommended_plan == PlanKind::kFused) {
      auto& [pieces, logarithms] = fused[row.pattern];
      ++pieces;
      logarithms += std::log(cell->gain->value);
    } else {
      result.warnings.push_back(row.name + " is left unfused: fusing takes " + times_text(1 / cell->gain->value) + " as long");
    }
  }
  for (const auto& [pattern, each] : fused)
    result.applied.push_back("fused " + std::to_string(each.first) + (each.first == 1 ? " piece as " : " pieces as ") + pattern +
                             ": " + times_text(std::exp(each.second / each.first)));
  const ModelTotal* const alone = fastest_alone(table);
  const ModelTotal* const mix = total_of(table, kBestMix);
  if (alone != nullptr) {
    result.metrics["unfused_ns"] = alone->unfused_ns;
    result.metrics["fused_ns"] = alone->fused_ns;
    if (alone->ideal_ns > 0) result.metrics["ideal_ns"] = alone->ideal_ns;
  }
  if (is_whole(mix)) {
    result.metrics["best_mix_ns"] = mix->fused_ns;
    if (mix->unfused_ns > 0) {
      result.metrics["best_unfused_ns"] = mix->unfused_ns;
      result.metrics["gain"] = mix->unfused_ns / mix->fused_ns;
    }
  }
  return result;
}

}  // namespace fuselab::engine
