// SPDX-License-Identifier: Apache-2.0
// The part of a job that goes through pieces on devices: which, in what order, and for how long.
#include <algorithm>
#include <limits>
#include <set>

#include "app/engine/measure_job.h"
#include "core/platform/system/clock.h"

namespace fuselab::engine {
namespace {

constexpr double kSecondsBetweenTables = 2;
constexpr double kTimesTheirCost = 10;  // so that building tables takes a tenth of the job at most

}  // namespace

std::vector<MeasureJob::Place> MeasureJob::places(bool once) const {
  std::vector<Place> found;
  std::set<std::pair<std::string, const DeviceTuner*>> seen;
  for (std::size_t index = 0; index < fused_models_.size(); ++index) {
    for (const Piece& piece : fused_models_[index].pieces) {
      if (!piece.not_measured.empty()) continue;
      for (const auto& tuner : tuners_) {
        if (!once || seen.insert({piece.key, tuner.get()}).second) found.push_back({index, &piece, tuner.get()});
      }
    }
  }
  return found;
}

const CompareRow* MeasureJob::row_of(const Place& place) const {
  const auto& rows = tables_[place.table].rows;
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const CompareRow& each) { return each.piece_key == place.piece->key; });
  return row == rows.end() ? nullptr : &*row;
}

const CompareCell* MeasureJob::cell_of(const Place& place) const {
  const CompareRow* const row = row_of(place);
  if (row == nullptr) return nullptr;
  const auto cell = std::find_if(row->cells.begin(), row->cells.end(),
                                 [&](const CompareCell& each) { return each.device_id == place.tuner->device().id; });
  return cell == row->cells.end() ? nullptr : &*cell;
}

bool MeasureJob::is_recommended(const Place& place) const {
  const CompareRow* const row = row_of(place);
  return row != nullptr && row->recommended_device == place.tuner->device().id;
}

double MeasureJob::recommended_ns(const Place& place) const {
  const CompareRow* const row = row_of(place);
  for (std::size_t index = 0; row != nullptr && index < row->cells.size(); ++index) {
    const CompareCell& cell = row->cells[index];
    const Cell& plan = row->recommended_plan == PlanKind::kFused ? cell.fused : cell.unfused;
    if (cell.device_id == row->recommended_device && plan.figure) return row->count * plan.figure->median_ns;
  }
  return std::numeric_limits<double>::infinity();
}

void MeasureJob::most_time_first(std::vector<Place>& places) const {
  std::vector<std::pair<double, Place>> timed;
  for (const Place& place : places) timed.emplace_back(recommended_ns(place), place);
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::transform(timed.begin(), timed.end(), places.begin(), [](const auto& each) { return each.second; });
}

std::vector<MeasureJob::Place> MeasureJob::unconfirmed() const {
  std::vector<Place> found = places(true);
  std::erase_if(found, [this](const Place& place) {
    const CompareCell* const cell = cell_of(place);
    if (cell == nullptr || !is_recommended(place)) return true;
    const auto& figure = (row_of(place)->recommended_plan == PlanKind::kFused ? cell->fused : cell->unfused).figure;
    return !figure || figure->confirmed;
  });
  return found;
}

std::vector<MeasureJob::Place> MeasureJob::uncompared() const {
  std::vector<Place> found = places(true);
  std::erase_if(found, [this](const Place& place) {
    const CompareCell* const cell = cell_of(place);
    const bool is_pair = cell != nullptr && cell->fused.figure && cell->unfused.figure && !cell->is_one_plan();
    return !is_pair || (cell->gain_processes > 1 && !context_.spec.decide);
  });
  return found;
}

Result<std::size_t> MeasureJob::for_each_place(const std::string& phase, const std::vector<Place>& places, const Visit& visit,
                                               const std::function<double()>& seconds_left) {
  const double start = seconds_spent();
  double next_tables = platform::monotonic_now().seconds() + kSecondsBetweenTables;
  for (std::size_t done = 0; done < places.size(); ++done) {
    const double allowed = seconds_left ? seconds_left() : std::numeric_limits<double>::infinity();
    if (allowed <= 0) return places.size() - done;
    const Place& place = places[done];
    const double share = static_cast<double>(done) / static_cast<double>(places.size());
    std::optional<double> left;
    if (done > 0) left = std::min(allowed, (seconds_spent() - start) * (1 / share - 1));
    report(phase, shown_model(place.table) + ": " + place.piece->operation.name + " on " + place.tuner->device().id, share, left);
    const Status visited = visit(*place.piece, *place.tuner);
    if (!visited.ok() && ends_job(visited.error())) return visited.error();
    if (!visited.ok()) say(LogLine::Level::kWarning, phase + " " + place.piece->operation.name + ": " + visited.error().message);
    FL_TRY_VOID(publish_tables_now_and_then(next_tables));
  }
  return std::size_t{0};
}

Status MeasureJob::publish_tables_now_and_then(double& next) {
  const double now = platform::monotonic_now().seconds();
  if (now < next) return {};
  FL_TRY_VOID(publish_tables());
  const double after = platform::monotonic_now().seconds();
  next = after + std::max(kSecondsBetweenTables, kTimesTheirCost * (after - now));
  return {};
}

}  // namespace fuselab::engine
