// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/standing/backend_decision.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/views/choice.h"
#include "app/views/figure_marks.h"
#include "app/views/recorded_rows.h"
#include "core/base/formatted.h"
#include "core/base/words.h"

namespace fuselab::engine {
namespace {

// From this share of disturbed figures on the sentence advises to measure again.
constexpr double kNoisy = 0.2;

const ModelTotal* mix_of(const CompareTable& table) {
  const auto found =
      std::find_if(table.totals.begin(), table.totals.end(), [](const ModelTotal& total) { return total.device_id == kBestMix; });
  return found == table.totals.end() ? nullptr : &*found;
}

std::string name_of(const CompareTable& table) {
  return table.binding.empty() ? table.model : table.model + " " + table.binding;
}

void see(const Cell& cell, DecidedModel& model) {
  if (!cell.figure || cell.figure->measured_unix_ms == 0) return;
  const std::int64_t at = cell.figure->measured_unix_ms;
  model.oldest_unix_ms = model.oldest_unix_ms == 0 ? at : std::min(model.oldest_unix_ms, at);
  model.newest_unix_ms = std::max(model.newest_unix_ms, at);
}

DecidedModel describe(const CompareTable& table) {
  DecidedModel model;
  model.name = name_of(table);
  if (const ModelTotal* const mix = mix_of(table)) {
    model.best_ns = mix->best_ns;
    model.best_interval = mix->best_interval;
    model.covered = mix->covers();
    model.pieces = mix->pieces;
    model.pieces_on = mix->pieces_on;
  }
  const FigureCounts counts = count_figures(table);
  model.figures = counts.figures;
  model.disturbed = counts.disturbed;
  for (const CompareRow& row : table.rows) {
    for (const CompareCell& cell : row.cells) {
      see(cell.fused, model);
      see(cell.unfused, model);
    }
  }
  return model;
}

// Sums over the same pieces alone are set, so that those of a model with a piece that no device ran may be compared, too.
std::optional<Ratio> beside(const ModelTotal& total, const ModelTotal* mix) {
  if (mix == nullptr || !(total.best_ns > 0) || !(mix->best_interval.low > 0)) return std::nullopt;
  return Ratio{total.best_ns / mix->best_ns,
               {total.best_interval.low / mix->best_interval.high, total.best_interval.high / mix->best_interval.low}};
}

DeviceOnModel on_model(const CompareTable& table, const ModelTotal& total) {
  DeviceOnModel standing;
  const ModelTotal* const mix = mix_of(table);
  standing.pieces = total.pieces;
  standing.slow_down = beside(total, mix);
  standing.own = standing.slow_down ? mix->covers() - total.best_elsewhere : total.measured_pieces;
  if (!standing.slow_down) {
    standing.why_not = "it runs " + std::to_string(total.measured_pieces) + " of " + counted(total.pieces, "piece") +
                       ", and what it lacks cannot be handed over to another device";
    return standing;
  }
  standing.elsewhere = total.best_elsewhere;
  standing.ns = total.best_ns;
  standing.interval = total.best_interval;
  return standing;
}

void add_missing(DeviceStanding& standing, const std::string& piece, const std::string& reason) {
  auto found = std::find_if(standing.missing.begin(), standing.missing.end(),
                            [&](const MissingPieces& each) { return each.reason == reason; });
  if (found == standing.missing.end()) found = standing.missing.insert(found, {reason, piece, 0});
  ++found->pieces;
}

void note_missing(const CompareTable& table, DeviceStanding& standing) {
  for (const CompareRow& row : table.rows) {
    if (row.runs_nothing || is_recorded(row)) continue;
    const std::string piece = table.model + ": " + row.name;
    const auto cell = std::find_if(row.cells.begin(), row.cells.end(),
                                   [&](const CompareCell& each) { return each.device_id == standing.device_id; });
    if (cell == row.cells.end() || cell->fused.state == CellState::kPending)
      add_missing(standing, piece, "not measured");
    else if (!cell->fused.figure)
      add_missing(standing, piece, cell->fused.reason.empty() ? "no figure" : cell->fused.reason);
    else if (!best_plan(*cell))
      add_missing(standing, piece, "all plans have a drawback that is not accepted");
  }
}

std::string backend_of(const CompareTable& table, const std::string& device_id) {
  for (const CompareRow& row : table.rows) {
    for (const CompareCell& cell : row.cells) {
      if (cell.device_id == device_id) return cell.backend;
    }
  }
  return device_id.substr(0, device_id.find(':'));
}

std::optional<Ratio> geometric_mean(const std::vector<DeviceOnModel>& models) {
  Ratio sums{0, {0, 0}};
  int known = 0;
  for (const DeviceOnModel& model : models) {
    if (!model.slow_down) continue;
    sums.value += std::log(model.slow_down->value);
    sums.interval.low += std::log(model.slow_down->interval.low);
    sums.interval.high += std::log(model.slow_down->interval.high);
    ++known;
  }
  if (known == 0) return std::nullopt;
  return Ratio{std::exp(sums.value / known), {std::exp(sums.interval.low / known), std::exp(sums.interval.high / known)}};
}

// The time of one device as a multiple of another's, over the models that both have; nothing where there are none. The mix takes no
// part, so that its interval does not count twice.
std::optional<Ratio> between(const DeviceStanding& device, const DeviceStanding& other) {
  std::vector<DeviceOnModel> both;
  for (std::size_t i = 0; i < device.models.size(); ++i) {
    const DeviceOnModel &a = device.models[i], &b = other.models[i];
    if (a.slow_down && b.slow_down && a.interval.low > 0 && b.interval.low > 0)
      both.emplace_back().slow_down = Ratio{a.ns / b.ns, {a.interval.low / b.interval.high, a.interval.high / b.interval.low}};
  }
  return geometric_mean(both);
}

std::string times_text(const Ratio& ratio) {
  return formatted("%.3gx the best mix [%.3g, %.3g]", ratio.value, ratio.interval.low, ratio.interval.high);
}

std::string runs_text(const DeviceStanding& device) {
  return device.own == device.pieces ? "it runs all pieces"
                                     : "it runs " + std::to_string(device.own) + " of " + counted(device.pieces, "piece");
}

}  // namespace

BackendDecision decide_backend(const std::vector<std::shared_ptr<const CompareTable>>& tables) {
  BackendDecision decision;
  std::map<std::string, DeviceStanding> found;
  std::vector<const CompareTable*> counted_tables;
  for (const auto& table : tables) {
    const ModelTotal* const mix = mix_of(*table);
    const bool recorded = std::any_of(table->rows.begin(), table->rows.end(), is_recorded);
    if (mix != nullptr && mix->covers() > 0 && !recorded) counted_tables.push_back(table.get());
  }
  for (const CompareTable* const table : counted_tables) {
    decision.models.push_back(describe(*table));
    const bool alone = std::none_of(counted_tables.begin(), counted_tables.end(), [&](const CompareTable* other) {
      return other != table && name_of(*other) == name_of(*table);
    });
    if (!alone) decision.models.back().name += ", " + table->dtype + " " + table->level;
    for (const ModelTotal& total : table->totals) {
      if (total.device_id == kBestMix) continue;
      DeviceStanding& standing = found[total.device_id];
      standing.device_id = total.device_id;
      standing.backend = backend_of(*table, total.device_id);
      DeviceOnModel absent;
      absent.why_not = "not measured";
      standing.models.resize(counted_tables.size(), absent);
      standing.models[decision.models.size() - 1] = on_model(*table, total);
      standing.own += standing.models[decision.models.size() - 1].own;
      note_missing(*table, standing);
    }
  }
  int pieces = 0;
  for (const CompareTable* const table : counted_tables) pieces += static_cast<int>(table->rows.size());
  for (auto& [id, standing] : found) {
    standing.pieces = pieces;
    standing.mean = geometric_mean(standing.models);
    standing.whole_models = static_cast<int>(
        std::count_if(standing.models.begin(), standing.models.end(), [](const auto& each) { return each.slow_down.has_value(); }));
    std::stable_sort(standing.missing.begin(), standing.missing.end(),
                     [](const MissingPieces& a, const MissingPieces& b) { return a.pieces > b.pieces; });
    decision.devices.push_back(std::move(standing));
  }
  std::stable_sort(decision.devices.begin(), decision.devices.end(), [](const DeviceStanding& a, const DeviceStanding& b) {
    if (a.whole_models != b.whole_models) return a.whole_models > b.whole_models;
    const bool a_alone = a.own == a.pieces, b_alone = b.own == b.pieces;
    if (a_alone != b_alone) return a_alone;
    return a.mean && b.mean && a.mean->value < b.mean->value;
  });
  return decision;
}

double BackendDecision::disturbed_share() const {
  int figures = 0, disturbed = 0;
  for (const DecidedModel& model : models) {
    figures += model.figures;
    disturbed += model.disturbed;
  }
  return figures > 0 ? static_cast<double>(disturbed) / figures : 0;
}

std::string BackendDecision::sentence() const {
  if (devices.empty() || !devices.front().mean) return "Nothing decides yet: no device has run a whole model.";
  const DeviceStanding& first = devices.front();
  const auto total = static_cast<std::int64_t>(models.size());
  std::string text = first.device_id + " is the best single default here: " + times_text(*first.mean) + " over " +
                     (first.whole_models == total ? counted(total, "model")
                                                  : std::to_string(first.whole_models) + " of " + counted(total, "model")) +
                     ", and " + runs_text(first) + ".";
  const DeviceStanding* second = nullptr;
  for (const DeviceStanding& each : devices) {
    if (&each == &first || !each.mean || each.whole_models < first.whole_models) continue;
    if (second == nullptr || each.mean->value < second->mean->value) second = &each;
  }
  if (second != nullptr) {
    const auto ratio = between(*second, first);
    const bool alike = ratio && !ratio->excludes_one();
    text += " " + second->device_id + (alike ? " is next, equal within what their intervals allow: " : " is next: ") +
            times_text(*second->mean) + ", and " + runs_text(*second) + ".";
  }
  for (const DeviceStanding& each : devices) {
    if (!each.mean && each.own > 0) text += " " + each.device_id + " is not compared: " + each.models.front().why_not + ".";
  }
  for (const DecidedModel& model : models) {
    if (model.covered < model.pieces)
      text += " " + model.name + " is compared over " + std::to_string(model.covered) + " of " + counted(model.pieces, "piece") +
              ", which some device runs.";
  }
  if (disturbed_share() >= kNoisy)
    text +=
        formatted(" %.0f%% of the figures were disturbed by other load: measure again before you decide.", 100 * disturbed_share());
  return text;
}

}  // namespace fuselab::engine
