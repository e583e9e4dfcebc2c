// SPDX-License-Identifier: Apache-2.0
// The parts of a job around its tuning: first figures before it, and afterwards what makes them last.
#include <algorithm>
#include <set>

#include "app/engine/measure_job.h"

namespace fuselab::engine {

// The first device comes first, so that the table is whole early. With other devices the pieces that take most time come first.
Status MeasureJob::measure_first_figures() {
  const bool given = !context_.spec.config.values().empty();
  const Visit visit = [&](const Piece& piece, DeviceTuner& tuner) -> Status {
    const double begun = seconds_spent();
    const int before = tuner.measurer().measured();
    const Status measured = given ? tuner.measure_given_config(piece) : tuner.measure(piece);
    if (tuner.measurer().measured() > before) budget_.note_first_figures(seconds_spent() - begun);
    return measured;
  };
  std::vector<Place> first = places(false);
  const auto others = std::stable_partition(first.begin(), first.end(),
                                            [this](const Place& place) { return place.tuner == tuners_.front().get(); });
  std::vector<Place> rest(others, first.end());
  first.erase(others, first.end());
  FL_TRY_VOID(for_each_place("measuring", first, visit));
  if (rest.empty()) return {};
  FL_TRY_VOID(publish_tables());
  most_time_first(rest);
  FL_TRY(const std::size_t left, for_each_place("measuring", rest, visit, [this] { return budget_.for_other_devices(); }));
  if (left > 0)
    say(LogLine::Level::kInfo, std::to_string(left) + " of " + std::to_string(first.size() + rest.size()) +
                                   " pairs of a piece and a device were not looked at, so that the budget also tunes and "
                                   "confirms; the same command goes on with them");
  return {};
}

// A confirmation may change what is recommended. Then that is confirmed in its turn. Each is tried once, be the budget spent or
// not: the time for it was kept from tuning.
Status MeasureJob::confirm_recommended() {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Place> open = unconfirmed();
    std::erase_if(open, [&](const Place& place) { return !confirming_tried_.insert({place.piece, place.tuner}).second; });
    if (open.empty()) return {};
    most_time_first(open);
    FL_TRY_VOID(for_each_place("confirming", open, [](const Piece& piece, DeviceTuner& tuner) { return tuner.confirm(piece); }));
    FL_TRY_VOID(publish_tables());
  }
  return {};
}

Status MeasureJob::confirm_what_stands() {
  std::vector<Place> open = places(true);
  std::erase_if(open, [this](const Place& place) {
    return place.tuner->device().id != context_.spec.confirm_only || !context_.spec.confirm_pieces.contains(place.piece->key);
  });
  FL_TRY_VOID(for_each_place("confirming", open, [](const Piece& piece, DeviceTuner& tuner) { return tuner.confirm(piece); }));
  return publish_tables();
}

void MeasureJob::say_what_is_unconfirmed() {
  const std::size_t open = unconfirmed().size();
  if (open == 0) return;
  say(LogLine::Level::kWarning,
      std::to_string(open) + (open == 1 ? " recommended plan was" : " recommended plans were") +
          " not confirmed: what a fresh process measured is not to be trusted, or failed; `fuselab compare` "
          "shows which");
}

// For the plans that are best by then, those of the recommended devices first. Without it a gain rests on one process, and the next
// one may show another.
Status MeasureJob::decide_gains() {
  std::vector<Place> open = uncompared();
  most_time_first(open);
  std::stable_partition(open.begin(), open.end(), [this](const Place& place) { return is_recommended(place); });
  const Visit visit = [](const Piece& piece, DeviceTuner& tuner) -> Status {
    FL_TRY(const bool given_up, tuner.is_given_up(piece));
    return given_up ? Status() : tuner.decide_gain(piece);
  };
  FL_TRY(const std::size_t left, for_each_place("fused against unfused", open, visit, [this] { return budget_.left(); }));
  if (left > 0)
    say(LogLine::Level::kInfo, std::to_string(left) + (left == 1 ? " gain stands" : " gains stand") +
                                   " on one process each, since the budget ended; the same command goes on with them");
  int undecided = 0;
  for (const auto& tuner : tuners_) undecided += tuner->undecided_gains();
  if (undecided > 0)
    say(LogLine::Level::kWarning, std::to_string(undecided) + (undecided == 1 ? " gain stands" : " gains stand") +
                                      " on one process each, since the machine was not fit to compare on; the same command tries "
                                      "that again");
  return open.empty() ? Status() : publish_tables();
}

// Measures disturbed pieces again at the end, since disturbances often pass; once, since some machines are never quiet.
Status MeasureJob::measure_disturbed_again() {
  const auto again = [](const Piece& piece, DeviceTuner& tuner) { return tuner.measure_disturbed_again(piece); };
  std::vector<Place> all = places(true);
  std::erase_if(all, [](const Place& place) { return !place.tuner->was_disturbed(*place.piece); });
  most_time_first(all);
  FL_TRY_VOID(for_each_place("measuring again", all, again, [this] { return budget_.left(); }));
  return {};
}

// Takes its time beside the budget: somebody asked for it.
Status MeasureJob::measure_cold() {
  FL_TRY_VOID(for_each_place("measuring cold", places(false),
                             [](const Piece& piece, DeviceTuner& tuner) { return tuner.measure_cold(piece); }));
  return {};
}

void MeasureJob::say(LogLine::Level level, std::string text) {
  context_.events.push(LogLine{level, std::move(text)});
}

}  // namespace fuselab::engine
