// SPDX-License-Identifier: Apache-2.0
#include "core/select/selector.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/backend/backend_names.h"
#include "core/base/units.h"
#include "core/select/default_choice.h"

namespace fuselab {
namespace {

// A line between two sizes is wrong by this factor where too few were measured to say.
constexpr double kUnknownLineSpread = 1.5;
constexpr int kEnoughErrors = 3;

std::string size_text(const WorkloadCharacteristics& work, double size) {
  if (work.primary != OperationType::kContraction) return format_bytes({static_cast<std::int64_t>(size)});
  char text[32];
  std::snprintf(text, sizeof text, "%.3g MFLOP", size * 1e-6);
  return text;
}

std::string interval_text(const TimeOnDevice& time) {
  return "[" + format_duration({time.interval.low}) + ", " + format_duration({time.interval.high}) + "]";
}

std::string interpolated_text(const WorkloadCharacteristics& work, const Interpolated& line) {
  return format_duration({line.below_ns}) + " at " + size_text(work, line.below_size) + " and " + format_duration({line.above_ns}) +
         " at " + size_text(work, line.above_size) + ", this is " + size_text(work, work_size(work));
}

std::string figure_text(const DeviceEstimate& estimate) {
  const std::string about = estimate.source == EstimateSource::kMeasured ? " " : " about ";
  return estimate.device_id + about + format_duration({estimate.ns}) + " (" + std::string(name_of(estimate.source)) + ": " +
         estimate.numbers + ")";
}

// The user's preference, then the position in the automatic order; what is not in it comes last (R182).
std::size_t static_rank(const SelectableDevice& device) {
  const auto order = auto_order();
  const std::size_t places = order.size() + 2;
  const auto place = device.is_host_cpu_again
                         ? order.size() + 1
                         : static_cast<std::size_t>(std::find(order.begin(), order.end(), device.backend) - order.begin());
  return device.preference * places + place;
}

// Pieces measured on the device stand behind a measurement, a line between two, and a rule; behind a guess stand others' alone.
int evidence(const DeviceEstimate& estimate) {
  return estimate.source == EstimateSource::kMeasured ? 2 : estimate.is_guess ? 0 : 1;
}

// The estimate with less evidence wins only by more than it may be wrong by.
bool is_preferred(const DeviceEstimate& a, const DeviceEstimate& b) {
  if (evidence(a) > evidence(b)) return a.ns <= b.high;
  if (evidence(a) < evidence(b)) return a.high < b.ns;
  return a.ns < b.ns;
}

// Returns, of measurements that are equal within noise, the first by the automatic order.
std::size_t settle_tie(const std::vector<DeviceEstimate>& estimates, std::size_t chosen) {
  const DeviceEstimate& fastest = estimates[chosen];
  if (fastest.source != EstimateSource::kMeasured) return chosen;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const bool tied = estimates[i].source == EstimateSource::kMeasured && estimates[i].low <= fastest.high;
    if (tied && estimates[i].rank < estimates[chosen].rank) chosen = i;
  }
  return chosen;
}

std::string withheld_text(const Selection& selection) {
  const DeviceEstimate& chosen = selection.estimates[*selection.chosen];
  if (!selection.withheld || selection.withheld->ns >= chosen.ns) return "";
  const bool measured = selection.withheld->source == EstimateSource::kMeasured;
  return fuselab::withheld_text(selection.withheld->device_id + (measured ? "" : " about"), selection.withheld->ns, chosen.ns,
                                selection.withheld->drawbacks);
}

std::string reason_of(const Selection& selection) {
  const DeviceEstimate& chosen = selection.estimates[*selection.chosen];
  std::string reason = figure_text(chosen);
  if (selection.estimates.size() == 1) return reason + "; nothing is known of another device";
  const DeviceEstimate& other = selection.estimates[*selection.chosen == 0 ? 1 : 0];
  char times[48];
  const bool sure = chosen.high < other.low;
  const bool tied = chosen.source == other.source && chosen.source == EstimateSource::kMeasured && !sure;
  if (tied)
    std::snprintf(times, sizeof times, "; within noise of ");
  else if (other.ns < chosen.ns)
    std::snprintf(times, sizeof times, "; an estimate %.2fx faster is no evidence: ", chosen.ns / other.ns);
  else
    std::snprintf(times, sizeof times, sure ? "; %.2fx faster than " : "; %.2fx, within what is known, faster than ",
                  other.ns / chosen.ns);
  return reason + times + figure_text(other);
}

}  // namespace

std::string_view name_of(EstimateSource source) {
  switch (source) {
    case EstimateSource::kMeasured: return "measured";
    case EstimateSource::kInterpolated: return "between measured sizes";
    case EstimateSource::kRule: return "rule";
  }
  return "rule";
}

SelectionQuery query_of(const MeasuredPiece& piece) {
  return {piece.key, piece.signature, piece.work};
}

Selector::Selector(std::vector<SelectableDevice> devices, std::vector<MeasuredPiece> pieces)
    : devices_(std::move(devices)), pieces_(std::move(pieces)), crossovers_(pieces_) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) by_key_.try_emplace(pieces_[i].key, i);
  for (const SelectableDevice& device : devices_) models_.emplace_back(device, pieces_);
  for (const SelectableDevice& device : devices_) {
    std::vector<LineErrors>& errors = line_errors_.emplace_back();
    for (const CrossoverSeries& series : crossovers_.series()) errors.push_back(line_errors(series, device.id, {}));
  }
  spreads_ = spreads_without(nullptr, {});
}

// Each measured size is left out once and drawn from its neighbours.
Selector::LineErrors Selector::line_errors(const CrossoverSeries& series, const std::string& device_id,
                                           std::string_view without) const {
  LineErrors errors;
  for (const MeasuredPiece* const piece : series.pieces) {
    const TimeOnDevice* const time = piece->key == without ? nullptr : time_on(*piece, device_id);
    if (time == nullptr) continue;
    const auto line = crossovers_.interpolate(series.signature, device_id, work_size(piece->work), piece->key, without);
    if (!line) continue;
    const double error = std::log(line->ns / time->ns);
    errors.squares += error * error;
    ++errors.count;
  }
  return errors;
}

// Returns how far each device's lines are off without this piece, which only the lines of its own signature know. With a null
// series all pieces count.
std::vector<double> Selector::spreads_without(const CrossoverSeries* series, std::string_view key) const {
  std::vector<double> spreads;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    LineErrors all;
    for (std::size_t i = 0; i < crossovers_.series().size(); ++i) {
      const CrossoverSeries& each = crossovers_.series()[i];
      const LineErrors errors = &each == series ? line_errors(each, devices_[device].id, key) : line_errors_[device][i];
      all.squares += errors.squares;
      all.count += errors.count;
    }
    const double seen = all.count > 0 ? std::exp(std::sqrt(all.squares / all.count)) : 1;
    spreads.push_back(all.count >= kEnoughErrors ? seen : std::max(seen, kUnknownLineSpread));
  }
  return spreads;
}

std::optional<double> Selector::launch_ns(const std::string& device_id) const {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].id == device_id && models_[i].launch_measured()) return models_[i].launch_ns();
  }
  return std::nullopt;
}

Selection Selector::select(const SelectionQuery& query, Residency residency) const {
  return decide(query, residency, {models_, spreads_});
}

Selection Selector::select_without(const SelectionQuery& query) const {
  std::vector<DeviceModel> models;
  for (const SelectableDevice& device : devices_) models.emplace_back(device, pieces_, query.key);
  const std::vector<double> spreads = spreads_without(crossovers_.find(query.signature), query.key);
  return decide(query, {}, {models, spreads, query.key});
}

std::optional<DeviceEstimate> Selector::estimate(std::size_t index, const SelectionQuery& query, Residency residency,
                                                 const Learned& learned) const {
  const SelectableDevice& device = devices_[index];
  const DeviceModel& model = learned.models[index];
  const auto transfer = transfer_time(query.work, device, residency);
  if (!transfer) return std::nullopt;
  const std::string copying = transfer->count > 0 ? ", and " + format_duration(*transfer) + " for copying" : "";
  const auto known = query.key == learned.without ? by_key_.end() : by_key_.find(query.key);
  if (known != by_key_.end()) {
    if (const TimeOnDevice* const time = time_on(pieces_[known->second], device.id)) {
      return DeviceEstimate{device.id,
                            EstimateSource::kMeasured,
                            time->ns + transfer->count,
                            time->interval.low + transfer->count,
                            time->interval.high + transfer->count,
                            interval_text(*time) + copying};
    }
  }
  if (const auto line = crossovers_.interpolate(query.signature, device.id, work_size(query.work), learned.without)) {
    const double ns = line->ns + transfer->count;
    return DeviceEstimate{device.id,
                          EstimateSource::kInterpolated,
                          ns,
                          ns / learned.spreads[index],
                          ns * learned.spreads[index],
                          interpolated_text(query.work, *line) + copying};
  }
  const auto modelled = model.time(query.work, residency, factor_of_others(learned.models, model, query.work.primary));
  if (!modelled) return std::nullopt;
  DeviceEstimate estimate{device.id,
                          EstimateSource::kRule,
                          modelled->ns,
                          modelled->ns / modelled->learned.spread,
                          modelled->ns * modelled->learned.spread,
                          model_text(*modelled)};
  estimate.is_guess = modelled->is_guess();
  return estimate;
}

Selection Selector::decide(const SelectionQuery& query, Residency residency, const Learned& learned) const {
  Selection selection;
  std::string uncopied;  // left out, since nobody knows what copying there takes
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < devices_.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return static_rank(devices_[a]) < static_rank(devices_[b]); });
  for (const std::size_t index : order) {
    auto found = estimate(index, query, residency, learned);
    if (!found && !transfer_time(query.work, devices_[index], residency))
      uncopied += (uncopied.empty() ? "" : ", ") + devices_[index].id;
    if (!found) continue;
    found->rank = static_rank(devices_[index]);
    found->drawbacks = crossovers_.withheld_for(query.signature, found->device_id, learned.without);
    if (found->drawbacks.empty()) {
      selection.estimates.push_back(std::move(*found));
    } else if (!selection.withheld || found->ns < selection.withheld->ns) {
      selection.withheld = std::move(*found);
    }
  }
  if (selection.estimates.empty()) {
    selection.reason = selection.withheld ? figure_text(*selection.withheld) + " " + withheld_words(selection.withheld->drawbacks) +
                                                ", and nothing is known of another device"
                                          : "nothing was measured: neither pieces nor limits of any device";
    return selection;
  }
  std::stable_sort(selection.estimates.begin(), selection.estimates.end(),
                   [](const DeviceEstimate& a, const DeviceEstimate& b) { return a.ns < b.ns; });
  std::size_t chosen = 0;
  for (std::size_t i = 1; i < selection.estimates.size(); ++i) {
    if (is_preferred(selection.estimates[i], selection.estimates[chosen]) &&
        !is_preferred(selection.estimates[chosen], selection.estimates[i]))
      chosen = i;
  }
  selection.chosen = settle_tie(selection.estimates, chosen);
  selection.reason = reason_of(selection) + withheld_text(selection);
  if (!uncopied.empty()) selection.reason += "; left out, since copying there was not measured: " + uncopied;
  return selection;
}

}  // namespace fuselab
