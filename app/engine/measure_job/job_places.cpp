// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/job_places.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace fuselab::engine {

std::vector<Place> JobPlaces::all(bool once) const {
  std::vector<Place> found;
  std::set<std::pair<std::string, const DeviceTuner*>> seen;
  for (std::size_t index = 0; index < parts_.fused_models.size(); ++index) {
    for (const Piece& piece : parts_.fused_models[index].pieces) {
      if (!piece.not_measured.empty()) continue;
      for (const auto& tuner : parts_.tuners) {
        if (!once || seen.insert({piece.key, tuner.get()}).second) found.push_back({index, &piece, tuner.get()});
      }
    }
  }
  return found;
}

const CompareRow* JobPlaces::row_of(const Place& place) const {
  const auto& rows = tables_.all()[place.table].rows;
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const CompareRow& each) { return each.piece_key == place.piece->key; });
  return row == rows.end() ? nullptr : &*row;
}

const CompareCell* JobPlaces::cell_of(const Place& place) const {
  const CompareRow* const row = row_of(place);
  if (row == nullptr) return nullptr;
  const auto cell = std::find_if(row->cells.begin(), row->cells.end(),
                                 [&](const CompareCell& each) { return each.device_id == place.tuner->device().id; });
  return cell == row->cells.end() ? nullptr : &*cell;
}

bool JobPlaces::is_recommended(const Place& place) const {
  const CompareRow* const row = row_of(place);
  return row != nullptr && row->recommended_device == place.tuner->device().id;
}

double JobPlaces::recommended_ns(const Place& place) const {
  const CompareRow* const row = row_of(place);
  for (std::size_t index = 0; row != nullptr && index < row->cells.size(); ++index) {
    const CompareCell& cell = row->cells[index];
    const Cell& plan = row->recommended_plan == PlanKind::kFused ? cell.fused : cell.unfused;
    if (cell.device_id == row->recommended_device && plan.figure) return row->count * plan.figure->median_ns;
  }
  return std::numeric_limits<double>::infinity();
}

void JobPlaces::most_time_first(std::vector<Place>& places) const {
  std::vector<std::pair<double, Place>> timed;
  for (const Place& place : places) timed.emplace_back(recommended_ns(place), place);
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::transform(timed.begin(), timed.end(), places.begin(), [](const auto& each) { return each.second; });
}

std::vector<Place> JobPlaces::unconfirmed() const {
  std::vector<Place> found = all(true);
  std::erase_if(found, [this](const Place& place) {
    const CompareCell* const cell = cell_of(place);
    if (cell == nullptr || !is_recommended(place)) return true;
    const auto& figure = (row_of(place)->recommended_plan == PlanKind::kFused ? cell->fused : cell->unfused).figure;
    return !figure || figure->confirmed;
  });
  return found;
}

std::vector<Place> JobPlaces::uncompared() const {
  std::vector<Place> found = all(true);
  std::erase_if(found, [this](const Place& place) {
    const CompareCell* const cell = cell_of(place);
    const bool is_pair = cell != nullptr && cell->fused.figure && cell->unfused.figure && !cell->is_one_plan();
    return !is_pair || (cell->gain_processes > 1 && !parts_.context.spec.decide);
  });
  return found;
}

}  // namespace fuselab::engine
