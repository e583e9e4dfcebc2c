// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/placement.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace fuselab::engine {
namespace {

using Chosen = std::optional<std::size_t>;  // index into a selection's estimates

constexpr int kMostRounds = 8;
constexpr double kWorthMoving = 0.99;  // share of the run; a smaller gain is within the noise of the estimates

// Returns the time to count for a device. An estimate that was not measured counts at its worst, so that no handing over is paid
// for a hope.
double time_of(const DeviceEstimate& estimate) {
  return estimate.source == EstimateSource::kMeasured ? estimate.ns : estimate.high;
}

// The run that results from one choice for each piece.
class Run {
 public:
  Run(const ExecutionGraph& graph, const HandOverCosts& costs, const std::vector<Selection>& selections)
      : graph_(graph), costs_(costs), selections_(selections) {
    for (std::size_t i = 0; i < graph_.uses.size(); ++i) {
      for (const ValueId input : graph_.uses[i].inputs) last_reader_[input] = i;
    }
    for (const ValueId output : graph_.outputs) last_reader_[output] = graph_.uses.size();
  }

  double ns(const std::vector<Chosen>& choices) const {
    double sum = 0;
    for (std::size_t first = 0; first < graph_.uses.size();) {
      std::size_t end = first;
      while (end < graph_.uses.size() && device_of(choices, end) == device_of(choices, first)) ++end;
      sum += stage_ns(choices, first, end);
      first = end;
    }
    return sum;
  }

 private:
  const DeviceEstimate* estimate_of(const std::vector<Chosen>& choices, std::size_t use) const {
    const std::size_t piece = graph_.uses[use].piece;
    return choices[piece] ? &selections_[piece].estimates[*choices[piece]] : nullptr;
  }
  std::string_view device_of(const std::vector<Chosen>& choices, std::size_t use) const {
    const DeviceEstimate* const estimate = estimate_of(choices, use);
    return estimate == nullptr ? std::string_view() : estimate->device_id;
  }

  // Counts as RuntimeExecutor runs it: reads the values from earlier stages, writes those needed afterwards.
  double stage_ns(const std::vector<Chosen>& choices, std::size_t first, std::size_t end) const {
    double kernels = 0;
    std::set<ValueId> inside, read;
    Bytes moved;
    for (std::size_t use = first; use < end; ++use) {
      if (const DeviceEstimate* const estimate = estimate_of(choices, use)) kernels += time_of(*estimate);
      for (const ValueId input : graph_.uses[use].inputs) {
        if (inside.count(input) == 0 && read.insert(input).second) moved.count += bytes_of(input);
      }
      inside.insert(graph_.uses[use].outputs.begin(), graph_.uses[use].outputs.end());
    }
    for (const ValueId output : inside) {
      const auto reader = last_reader_.find(output);
      if (reader != last_reader_.end() && reader->second >= end) moved.count += bytes_of(output);
    }
    const auto cost = costs_.find(std::string(device_of(choices, first)));
    return kernels + (cost == costs_.end() ? 0 : cost->second.ns(moved));
  }

  std::int64_t bytes_of(ValueId value) const {
    const auto size = size_of(graph_.whole().type(value));
    return size.ok() ? size.value().count : 0;
  }

  const ExecutionGraph& graph_;
  const HandOverCosts& costs_;
  const std::vector<Selection>& selections_;
  std::map<ValueId, std::size_t> last_reader_;  // index of a use, or one past the last use
};

std::vector<Chosen> choices_of(const std::vector<Selection>& selections) {
  std::vector<Chosen> choices;
  for (const Selection& selection : selections) choices.push_back(selection.chosen);
  return choices;
}

Chosen estimate_on(const Selection& selection, const std::string& device) {
  for (std::size_t i = 0; i < selection.estimates.size(); ++i) {
    if (selection.estimates[i].device_id == device) return i;
  }
  return std::nullopt;
}

// Returns the shortest of each piece's own choice and of everything that can be on one device.
std::vector<Chosen> best_start(const Run& run, const HandOverCosts& costs, const std::vector<Selection>& selections) {
  const std::vector<Chosen> own = choices_of(selections);
  std::vector<Chosen> best = own;
  double least = run.ns(own);
  for (const auto& [device, cost] : costs) {
    std::vector<Chosen> together = own;
    for (std::size_t piece = 0; piece < selections.size(); ++piece) {
      const Chosen there = own[piece] ? estimate_on(selections[piece], device) : std::nullopt;
      if (there) together[piece] = there;
    }
    const double ns = run.ns(together);
    if (ns >= least * kWorthMoving) continue;
    least = ns;
    best = std::move(together);
  }
  return best;
}

bool move_once(const Run& run, const HandOverCosts& costs, const std::vector<Selection>& selections, std::vector<Chosen>& choices,
               double& least) {
  bool moved = false;
  for (std::size_t piece = 0; piece < choices.size(); ++piece) {
    for (const auto& [device, cost] : costs) {
      const Chosen there = choices[piece] ? estimate_on(selections[piece], device) : std::nullopt;
      if (!there || there == choices[piece]) continue;
      const Chosen before = std::exchange(choices[piece], there);
      const double ns = run.ns(choices);
      if (ns < least * kWorthMoving) {
        least = ns;
        moved = true;
      } else {
        choices[piece] = before;
      }
    }
  }
  return moved;
}

std::string moved_text(const DeviceEstimate& there, const DeviceEstimate& own, double own_ns, double placed_ns) {
  return there.device_id + " " + format_duration({there.ns}) + " (" + std::string(name_of(there.source)) +
         "), where its neighbours run: " + own.device_id + " would take " + format_duration({own.ns}) +
         ", but with the handing over the whole run " + format_duration({own_ns}) + " instead of " + format_duration({placed_ns}) +
         " (handing over was measured just now)";
}

}  // namespace

bool handing_over_matters(const std::vector<Selection>& selections, const std::vector<std::string>& without_copies) {
  std::set<std::string> chosen;
  bool others = false;
  for (const Selection& selection : selections) {
    if (!selection.chosen) continue;
    chosen.insert(selection.estimates[*selection.chosen].device_id);
    others = others || selection.estimates.size() > 1;
  }
  const bool copies = std::any_of(chosen.begin(), chosen.end(), [&](const std::string& device) {
    return std::find(without_copies.begin(), without_copies.end(), device) == without_copies.end();
  });
  return chosen.size() > 1 || (copies && others);
}

double run_ns(const ExecutionGraph& graph, const HandOverCosts& costs, const std::vector<Selection>& selections) {
  return Run(graph, costs, selections).ns(choices_of(selections));
}

void place_together(const ExecutionGraph& graph, const HandOverCosts& costs, std::vector<Selection>& selections) {
  const Run run(graph, costs, selections);
  const std::vector<Chosen> own = choices_of(selections);
  const double own_ns = run.ns(own);
  std::vector<Chosen> choices = best_start(run, costs, selections);
  double least = run.ns(choices);
  for (int round = 0; round < kMostRounds && move_once(run, costs, selections, choices, least); ++round) {
  }
  for (std::size_t piece = 0; piece < selections.size(); ++piece) {
    if (choices[piece] == own[piece]) continue;
    Selection& selection = selections[piece];
    selection.reason = moved_text(selection.estimates[*choices[piece]], selection.estimates[*own[piece]], own_ns, least);
    selection.chosen = choices[piece];
  }
}

}  // namespace fuselab::engine
