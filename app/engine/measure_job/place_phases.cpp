// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/place_phases.h"

#include <algorithm>
#include <limits>

namespace fuselab::engine {

Result<std::size_t> PlacePhases::for_each_place(const std::string& phase, const std::vector<Place>& places, const Visit& visit,
                                                const std::function<double()>& seconds_left) {
  const double start = pace_.seconds_spent();
  double next_tables = JobTables::first_due();
  for (std::size_t done = 0; done < places.size(); ++done) {
    const double allowed = seconds_left ? seconds_left() : std::numeric_limits<double>::infinity();
    if (allowed <= 0) return places.size() - done;
    const Place& place = places[done];
    const double share = static_cast<double>(done) / static_cast<double>(places.size());
    std::optional<double> left;
    if (done > 0) left = std::min(allowed, (pace_.seconds_spent() - start) * (1 / share - 1));
    pace_.report(phase, parts_.shown_model(place.table) + ": " + place.piece->operation.name + " on " + place.tuner->device().id,
                 left);
    const Status visited = visit(*place.piece, *place.tuner);
    if (!visited.ok() && ends_job(visited.error())) return visited.error();
    if (!visited.ok())
      parts_.say(LogLine::Level::kWarning, phase + " " + place.piece->operation.name + ": " + visited.error().message);
    FL_TRY_VOID(tables_.publish_now_and_then(next_tables));
  }
  return std::size_t{0};
}

Result<std::size_t> PlacePhases::measure_places(const std::string& phase, const std::vector<Place>& places,
                                                const std::function<double()>& seconds_left) {
  const bool given = !parts_.context.spec.config.values().empty();
  const Visit visit = [&](const Piece& piece, DeviceTuner& tuner) -> Status {
    const double begun = pace_.seconds_spent();
    const int before = tuner.measurer().measured();
    const Status measured = given ? tuner.measure_given_config(piece) : tuner.measure(piece);
    if (tuner.measurer().measured() > before) pace_.budget().note_first_figures(pace_.seconds_spent() - begun);
    return measured;
  };
  return for_each_place(phase, places, visit, seconds_left);
}

// The table is filled early by it.
Status PlacePhases::measure_first_device() {
  std::vector<Place> first = places_.all(false);
  std::erase_if(first, [this](const Place& place) { return place.tuner != parts_.tuners.front().get(); });
  FL_TRY_VOID(measure_places("measuring", first, {}));
  return {};
}

// The pieces that take most time come first.
Status PlacePhases::measure_other_devices() {
  std::vector<Place> others = places_.all(false);
  const std::size_t all = others.size();
  std::erase_if(others, [this](const Place& place) { return place.tuner == parts_.tuners.front().get(); });
  if (others.empty()) return {};
  FL_TRY_VOID(tables_.publish());
  places_.most_time_first(others);
  FL_TRY(const std::size_t left,
         measure_places("measuring other devices", others, [this] { return pace_.budget().for_other_devices(); }));
  if (left > 0)
    parts_.say(LogLine::Level::kInfo, std::to_string(left) + " of " + std::to_string(all) +
                                          " pairs of a piece and a device were not looked at, so that the budget also tunes and "
                                          "confirms; the same command continues with them");
  return {};
}

// Costs one block per model and device, so that it comes before the pieces of other devices. What a stack does not take is stored
// with its reason, as of a piece.
Status PlacePhases::measure_whole_models() {
  bool any = false;
  int left = 0;
  for (const FusedModel& fused_model : parts_.fused_models) {
    if (!fused_model.whole || (!fused_model.whole->not_measured.empty() && !parts_.context.spec.slow_whole_models)) continue;
    for (const auto& tuner : parts_.tuners) {
      if (!parts_.takes_whole(*tuner)) continue;
      if (pace_.budget().for_whole_models() <= 0) {
        ++left;
        continue;
      }
      const std::string what = parts_.names.shown(stored_name(fused_model)) + " as a whole on " + tuner->device().id;
      pace_.report("measuring whole models", what, std::nullopt);
      any = true;
      const Status measured = tuner->measure(*fused_model.whole);
      if (!measured.ok() && ends_job(measured.error())) return measured;
      if (!measured.ok()) parts_.say(LogLine::Level::kWarning, what + ": " + measured.error().message);
    }
  }
  if (left > 0)
    parts_.say(LogLine::Level::kInfo,
               std::to_string(left) + (left == 1 ? " model was" : " models were") +
                   " not measured as a whole, so that the budget also tunes and confirms; the same command goes "
                   "on with that");
  return any ? tables_.publish() : Status();
}

// A confirmation may change what is recommended. Then that is confirmed in its turn. Each is tried once, be the budget spent or
// not: the time for it was kept from tuning.
Status PlacePhases::confirm_recommended() {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Place> open = places_.unconfirmed();
    std::erase_if(open, [&](const Place& place) { return !confirming_tried_.insert({place.piece, place.tuner}).second; });
    if (open.empty()) return {};
    places_.most_time_first(open);
    FL_TRY_VOID(for_each_place("confirming", open, [](const Piece& piece, DeviceTuner& tuner) { return tuner.confirm(piece); }));
    FL_TRY_VOID(tables_.publish());
  }
  return {};
}

Status PlacePhases::confirm_what_stands() {
  std::vector<Place> open = places_.all(true);
  std::erase_if(open, [this](const Place& place) {
    return place.tuner->device().id != parts_.context.spec.confirm_only ||
           !parts_.context.spec.confirm_pieces.contains(place.piece->key);
  });
  FL_TRY_VOID(for_each_place("confirming", open, [](const Piece& piece, DeviceTuner& tuner) { return tuner.confirm(piece); }));
  return tables_.publish();
}

void PlacePhases::say_what_is_unconfirmed() {
  const std::size_t open = places_.unconfirmed().size();
  if (open == 0) return;
  parts_.say(LogLine::Level::kWarning,
             std::to_string(open) + (open == 1 ? " recommended plan was" : " recommended plans were") +
                 " not confirmed: what a fresh process measured is not to be trusted, or failed; `fuselab compare` "
                 "shows which");
}

// For the plans that are best by then, those of the recommended devices first. Without it a gain rests on one process, and the next
// one may show another.
Status PlacePhases::decide_gains() {
  std::vector<Place> open = places_.uncompared();
  places_.most_time_first(open);
  std::stable_partition(open.begin(), open.end(), [this](const Place& place) { return places_.is_recommended(place); });
  const Visit visit = [](const Piece& piece, DeviceTuner& tuner) -> Status {
    FL_TRY(const bool given_up, tuner.searches().is_given_up(piece));
    return given_up ? Status() : tuner.gains().decide(piece);
  };
  FL_TRY(const std::size_t left, for_each_place("fused against unfused", open, visit, [this] { return pace_.budget().left(); }));
  if (left > 0)
    parts_.say(LogLine::Level::kInfo, std::to_string(left) + (left == 1 ? " gain stands" : " gains stand") +
                                          " on one process each, since the budget ended; the same command continues with them");
  int undecided = 0;
  for (const auto& tuner : parts_.tuners) undecided += tuner->gains().undecided();
  if (undecided > 0)
    parts_.say(LogLine::Level::kWarning,
               std::to_string(undecided) + (undecided == 1 ? " gain stands" : " gains stand") +
                   " on one process each, since the machine was not fit to compare on; the same command tries "
                   "that again");
  return open.empty() ? Status() : tables_.publish();
}

// Measures disturbed pieces again at the end, since disturbances often pass; once, since some machines are never quiet.
Status PlacePhases::measure_disturbed_again() {
  const auto again = [](const Piece& piece, DeviceTuner& tuner) { return tuner.measure_disturbed_again(piece); };
  std::vector<Place> all = places_.all(true);
  std::erase_if(all, [](const Place& place) { return !place.tuner->was_disturbed(*place.piece); });
  places_.most_time_first(all);
  FL_TRY_VOID(for_each_place("measuring again", all, again, [this] { return pace_.budget().left(); }));
  return {};
}

// Takes its time beside the budget: somebody asked for it.
Status PlacePhases::measure_cold() {
  FL_TRY_VOID(for_each_place("measuring cold", places_.all(false),
                             [](const Piece& piece, DeviceTuner& tuner) { return tuner.measure_cold(piece); }));
  return {};
}

}  // namespace fuselab::engine
