// SPDX-License-Identifier: Apache-2.0
#include "core/select/crossover_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fuselab {
namespace {

double between(double x, double x0, double y0, double x1, double y1) {
  const double share = std::log(x / x0) / std::log(x1 / x0);
  return y0 * std::pow(y1 / y0, share);
}

// Returns the size at which the lines of two devices cross, straight in logarithms.
std::optional<double> crossing(double below, double above, double a0, double a1, double b0, double b1) {
  const double start = std::log(a0 / b0), end = std::log(a1 / b1);
  if (start == end || start * end > 0) return std::nullopt;
  return below * std::pow(above / below, start / (start - end));
}

std::vector<Crossover> crossovers_of(const std::vector<const MeasuredPiece*>& all) {
  std::vector<const MeasuredPiece*> pieces;
  std::copy_if(all.begin(), all.end(), std::back_inserter(pieces),
               [](const MeasuredPiece* piece) { return !is_within_noise(*piece); });
  std::vector<Crossover> found;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const TimeOnDevice* const first = fastest_of(*pieces[i - 1]);
    const TimeOnDevice* const second = fastest_of(*pieces[i]);
    if (first == nullptr || second == nullptr || first->device_id == second->device_id) continue;
    const TimeOnDevice* const first_later = time_on(*pieces[i], first->device_id);
    const TimeOnDevice* const second_before = time_on(*pieces[i - 1], second->device_id);
    if (first_later == nullptr || second_before == nullptr || !is_choosable(*first_later) || !is_choosable(*second_before))
      continue;
    const double below = work_size(pieces[i - 1]->work), above = work_size(pieces[i]->work);
    if (above > CrossoverTable::kWidestGap * below) continue;  // between them anything may be
    const auto size = crossing(below, above, first->ns, first_later->ns, second_before->ns, second->ns);
    if (size) found.push_back({first->device_id, second->device_id, *size});
  }
  return found;
}

}  // namespace

CrossoverTable::CrossoverTable(std::span<const MeasuredPiece> pieces) {
  for (const MeasuredPiece& piece : pieces) {
    const auto [place, added] = by_signature_.try_emplace(piece.signature, series_.size());
    if (added) series_.push_back({piece.signature, {}, {}, {}});
    CrossoverSeries& series = series_[place->second];
    series.pieces.push_back(&piece);
    for (const TimeOnDevice& time : piece.times) {
      if (!time.drawbacks.is_withheld()) continue;
      Drawbacks& withheld = series.withheld[time.device_id];
      withheld = withheld | time.drawbacks.withheld;
    }
  }
  for (CrossoverSeries& series : series_) {
    std::stable_sort(series.pieces.begin(), series.pieces.end(),
                     [](const MeasuredPiece* a, const MeasuredPiece* b) { return work_size(a->work) < work_size(b->work); });
    series.crossovers = crossovers_of(series.pieces);
  }
}

const CrossoverSeries* CrossoverTable::find(std::string_view signature) const {
  const auto found = by_signature_.find(std::string(signature));
  return found == by_signature_.end() ? nullptr : &series_[found->second];
}

Drawbacks CrossoverTable::withheld_for(std::string_view signature, const std::string& device_id, std::string_view without) const {
  const CrossoverSeries* const series = find(signature);
  if (series == nullptr) return {};
  const auto known = series->withheld.find(device_id);
  if (known == series->withheld.end()) return {};
  if (without.empty()) return known->second;
  Drawbacks withheld;
  for (const MeasuredPiece* const piece : series->pieces) {
    if (piece->key == without) continue;
    for (const TimeOnDevice& time : piece->times) {
      if (time.device_id == device_id) withheld = withheld | time.drawbacks.withheld;
    }
  }
  return withheld;
}

std::optional<Interpolated> CrossoverTable::interpolate(std::string_view signature, const std::string& device_id, double size,
                                                        std::string_view without, std::string_view nor) const {
  const CrossoverSeries* const series = find(signature);
  if (series == nullptr || size <= 0) return std::nullopt;
  const auto& pieces = series->pieces;
  const auto here = std::lower_bound(pieces.begin(), pieces.end(), size,
                                     [](const MeasuredPiece* piece, double wanted) { return work_size(piece->work) < wanted; });
  const auto usable = [&](const MeasuredPiece* piece) {
    const bool left_out = piece->key == without || piece->key == nor;
    return left_out || work_size(piece->work) <= 0 ? nullptr : time_on(*piece, device_id);
  };
  auto above = here;
  while (above != pieces.end() && usable(*above) == nullptr) ++above;
  auto below = here;
  do {
    if (below == pieces.begin()) return std::nullopt;
    --below;
  } while (usable(*below) == nullptr);
  if (above == pieces.end()) return std::nullopt;
  Interpolated result{0, work_size((*below)->work), usable(*below)->ns, work_size((*above)->work), usable(*above)->ns};
  if (result.above_size > kWidestGap * result.below_size) return std::nullopt;
  result.ns = result.above_size == result.below_size
                  ? std::sqrt(result.below_ns * result.above_ns)
                  : between(size, result.below_size, result.below_ns, result.above_size, result.above_ns);
  return result;
}

}  // namespace fuselab
