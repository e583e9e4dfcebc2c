// SPDX-License-Identifier: Apache-2.0
#include "core/select/regret.h"

#include <algorithm>

namespace fuselab {
namespace {

// Adds one decision: what was chosen beside the fastest.
void judge(Regret& regret, const MeasuredPiece& piece, const TimeOnDevice& chosen, const TimeOnDevice& fastest) {
  const double lost = chosen.ns / fastest.ns - 1;
  const bool same = chosen.device_id == fastest.device_id;
  regret.mean = (regret.mean * regret.keys + lost) / (regret.keys + 1);
  ++regret.keys;
  regret.fastest += same ? 1 : 0;
  regret.within_noise += !same && chosen.interval.low <= fastest.interval.high ? 1 : 0;
  if (lost <= regret.worst) return;
  regret.worst = lost;
  regret.worst_piece = piece.name;
  regret.worst_chosen = chosen.device_id;
  regret.worst_fastest = fastest.device_id;
  regret.worst_chosen_ns = chosen.ns;
  regret.worst_fastest_ns = fastest.ns;
}

Regret named(std::string of) {
  Regret regret;
  regret.of = std::move(of);
  return regret;
}

}  // namespace

RegretReport leave_one_out(const Selector& selector) {
  RegretReport report;
  report.selector = named("selector");
  report.by_source = {named(std::string(name_of(EstimateSource::kInterpolated))),
                      named(std::string(name_of(EstimateSource::kRule)))};
  for (const SelectableDevice& device : selector.devices()) report.always.push_back(named("always " + device.id));
  for (const MeasuredPiece& piece : selector.pieces()) {
    const TimeOnDevice* const fastest = fastest_of(piece);
    const auto choosable = std::count_if(piece.times.begin(), piece.times.end(), is_choosable);
    if (choosable < 2 || fastest == nullptr) continue;
    for (std::size_t i = 0; i < selector.devices().size(); ++i) {
      const TimeOnDevice* const time = time_on(piece, selector.devices()[i].id);
      if (time != nullptr && is_choosable(*time)) judge(report.always[i], piece, *time, *fastest);
    }
    const Selection selection = selector.select_without(query_of(piece));
    // It is not known whether a device that the piece was not measured on was the right choice, and a device of which only this
    // piece tells that it loses NaN does not stay the choice.
    const auto counts = [&](const DeviceEstimate& estimate) {
      const TimeOnDevice* const time = time_on(piece, estimate.device_id);
      return time != nullptr && is_choosable(*time);
    };
    const auto known = std::find_if(selection.estimates.begin(), selection.estimates.end(), counts);
    if (known == selection.estimates.end()) continue;
    const DeviceEstimate* chosen = &selection.estimates[*selection.chosen];
    if (!counts(*chosen)) chosen = &*known;
    judge(report.selector, piece, *time_on(piece, chosen->device_id), *fastest);
    judge(report.by_source[chosen->source == EstimateSource::kInterpolated ? 0 : 1], piece, *time_on(piece, chosen->device_id),
          *fastest);
  }
  return report;
}

}  // namespace fuselab
