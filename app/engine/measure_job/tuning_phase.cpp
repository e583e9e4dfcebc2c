// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/tuning_phase.h"

#include <algorithm>
#include <numeric>

#include "app/engine/tune/budget_splitter.h"

namespace fuselab::engine {

// Counts every search, ended or not, so that the same job gives each search the same budget again.
Status TuningPhase::make_search_budget() {
  int searches = 0;
  for (const Place& place : places_.all(true)) {
    FL_TRY(const int here, place.tuner->searches().count(*place.piece));
    searches += here;
  }
  for (const auto& tuner : parts_.tuners) tuner->searches().set_budget(search_budget_of(parts_.context.spec, searches));
  return {};
}

Result<std::vector<TuningPhase::Turn>> TuningPhase::turns_by_worth() {
  std::vector<Turn> turns;
  for (const Place& place : places_.all(true)) {
    FL_TRY(const int searches, place.tuner->searches().left(*place.piece));
    FL_TRY(const bool awaits_winners, place.tuner->awaits_winners(*place.piece));
    // What the budget left without first figures is the next job's.
    const CompareCell* const cell = places_.cell_of(place);
    if (cell != nullptr && cell->fused.state == CellState::kPending && cell->unfused.state == CellState::kPending) continue;
    const TuningWorth worth = worth_of(place);
    if (searches > 0 && !worth.given_up.empty()) {
      FL_TRY_VOID(give_up(place, worth));
      continue;
    }
    if (searches > 0 || awaits_winners) turns.push_back({place, searches == 0 ? 0 : worth.ns, searches});
  }
  std::stable_sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.worth > b.worth; });
  return turns;
}

TuningWorth TuningPhase::worth_of(const Place& place) const {
  const CompareRow* const row = places_.row_of(place);
  return row == nullptr ? TuningWorth() : tuning_worth(*row, place.tuner->device().id);
}

Status TuningPhase::give_up(const Place& place, const TuningWorth& worth) {
  given_up_.push_back(place.piece->operation.name + " on " + place.tuner->device().id + ": " + worth.given_up);
  return place.tuner->searches().note_untuned(*place.piece, worth.given_up);
}

// Names each pair where they are few; where they are many, the first, since each stands in the table with all columns.
void TuningPhase::say_what_was_given_up() {
  constexpr std::size_t kToName = 4;
  for (std::size_t index = 0; index < std::min(kToName, given_up_.size()); ++index)
    parts_.say(LogLine::Level::kInfo, "not tuned: " + given_up_[index]);
  if (given_up_.size() <= kToName) return;
  parts_.say(LogLine::Level::kInfo, "not tuned for such a reason: " + std::to_string(given_up_.size() - kToName) +
                                        " more pairs of a piece and a device; `fuselab compare --wide` marks "
                                        "them, --json has the reasons");
}

Status TuningPhase::say_that_all_is_tuned() {
  int pieces = 0, untuned = 0, given_up = 0;
  for (const Place& place : places_.all(true)) {
    FL_TRY(const bool tuned, place.tuner->searches().is_tuned(*place.piece));
    FL_TRY(const bool left, place.tuner->searches().is_given_up(*place.piece));
    ++pieces;
    given_up += left ? 1 : 0;
    untuned += tuned || left ? 0 : 1;
  }
  if (untuned == 0 && given_up > 0) {
    parts_.say(LogLine::Level::kInfo,
               "All pieces are tuned for this budget already, except where a device cannot win (pairs of a piece "
               "and a device: " +
                   std::to_string(given_up) + "); a larger --budget or --remeasure looks again.");
    return {};
  }
  const std::string what = untuned == 0 ? "All pieces are tuned for this budget already"
                                        : "This budget was spent already, before " + std::to_string(untuned) + " of " +
                                              std::to_string(pieces) + " pieces were tuned";
  parts_.say(LogLine::Level::kInfo, what + "; a larger --budget searches on, --remeasure starts over.");
  return {};
}

// Leaves the time that confirming what is recommended now and comparing its gains is expected to take.
double TuningPhase::seconds_for_tuning() const {
  std::vector<Place> compared = places_.uncompared();
  std::erase_if(compared, [this](const Place& place) { return !places_.is_recommended(place); });
  return pace_.budget().for_tuning(static_cast<int>(places_.unconfirmed().size()), static_cast<int>(compared.size()));
}

// Divides the budget by what each piece can win, again before every turn, so that time left over goes to the others.
Status TuningPhase::run() {
  FL_TRY_VOID(make_search_budget());
  FL_TRY(const std::vector<Turn> turns, turns_by_worth());
  if (turns.empty() && given_up_.empty()) return say_that_all_is_tuned();
  const double start = pace_.seconds_spent();
  const auto spent_so_far = [&] { return pace_.seconds_spent() - start; };
  const double budget = seconds_for_tuning();
  BudgetSplitter shares(budget, spent_so_far, parts_.context.spec.budget_seconds - budget);
  double worth_left =
      std::accumulate(turns.begin(), turns.end(), 0.0, [](double sum, const Turn& turn) { return sum + turn.worth; });
  double next_tables = 0;
  int left_out = 0;
  double done = 0;  // in searches
  const double all =
      std::accumulate(turns.begin(), turns.end(), 0.0, [](double sum, const Turn& turn) { return sum + turn.searches; });
  for (std::size_t index = 0; index < turns.size(); ++index) {
    const Turn& turn = turns[index];
    const double share = worth_left > 0 ? turn.worth / worth_left : 1.0 / static_cast<double>(turns.size() - index);
    worth_left -= turn.worth;
    const auto tell = [&](const std::string& detail) {
      const double used = spent_so_far();
      // Searches that end before their share is spent end the job before its budget is.
      const double at_this_pace = done > 0 ? used / done * (all - done) : budget;
      const double left = std::max(0.0, std::min(budget - used, at_this_pace));
      pace_.report("tuning", turn.piece->operation.name + " on " + turn.tuner->device().id, left, detail);
    };
    tell("");
    // What was tuned meanwhile may have left this device behind.
    const TuningWorth worth = turn.searches > 0 ? worth_of(turn) : TuningWorth();
    if (!worth.given_up.empty()) {
      FL_TRY_VOID(give_up(turn, worth));
      continue;
    }
    if (turn.searches > 0 && !shares.may_begin(turn.searches)) {
      FL_TRY_VOID(turn.tuner->searches().note_untuned(*turn.piece));
      left_out += turn.searches;
      continue;
    }
    shares.begin_turn(share);
    const Result<int> tuned = turn.tuner->tune(
        *turn.piece, [&](int left) { return shares.next(left); }, tell);
    if (!tuned.ok() && ends_job(tuned.error())) return tuned.error();
    if (!tuned.ok()) parts_.say(LogLine::Level::kWarning, turn.piece->operation.name + ": " + tuned.error().message);
    left_out += tuned.ok() ? tuned.value() : 0;
    done += turn.searches;
    FL_TRY_VOID(tables_.publish_now_and_then(next_tables));
  }
  if (left_out > 0) parts_.say(LogLine::Level::kInfo, shares.left_out_text(left_out));
  say_what_was_given_up();
  say_what_was_decided();
  return {};
}

void TuningPhase::say_what_was_decided() {
  SearchDecisions all;
  for (const auto& tuner : parts_.tuners) {
    all.improved += tuner->searches().decided().improved;
    all.kept += tuner->searches().decided().kept;
    all.open += tuner->searches().decided().open;
  }
  const int searches = all.improved + all.kept + all.open;
  if (searches > kSearchesToTellOf) {
    parts_.say(LogLine::Level::kInfo, std::to_string(all.improved) + " of " + std::to_string(searches) +
                                          " searches found a configuration that is shown to be faster than the one "
                                          "they began with; the others keep that one");
  }
  if (all.open == 0) return;
  parts_.say(LogLine::Level::kWarning,
             std::to_string(all.open) + " of " + std::to_string(searches) +
                 " searches keep what they began with, since the machine was not fit to hold their winners "
                 "against it; the same command tries that again");
}

}  // namespace fuselab::engine
