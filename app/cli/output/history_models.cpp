// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/history_models.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "core/changes/change_models.h"
#include "core/stats/error_rate.h"

namespace fuselab::cli {
namespace {

constexpr int kBefore = 60;
// Fewer than usual, so that thousands of series can be tried; it costs a little power and no false alarm.
constexpr int kSurrogates = 999;
// So many times more series without a step are tried, where each is looked at once: a rate of a percent needs thousands to be told
// from two, and most of them are given up after a few surrogates.
constexpr int kMoreStationary = 10;
// A change counts as the step that was made when it is found no further away.
constexpr int kNear = 5;

enum class Asked {
  kAny,      // any change at all, looked for once
  kWatched,  // any change at all, looked for after each of as many further observations
  kAtLast,   // the step, looked for once, when all observations are there
  kWithin,   // the step, looked for after each of them
  kDrift,    // a drift instead of a step
};

struct Trials {
  const SeriesModel* model = nullptr;
  double step = 0;
  int after = 0;
  Asked asked = Asked::kAny;
  ErrorRate rate;
};

ChangePoints judged(std::span<const Observation> series, std::uint64_t seed) {
  ChangePointRule rule;
  rule.surrogates = kSurrogates;
  rule.seed = ~seed;  // another stream than the series was drawn from
  auto found = find_change_points(series, rule);
  return found.ok() ? std::move(found).value() : ChangePoints{};
}

bool is_found(const ChangePoints& found) {
  return std::any_of(found.changes.begin(), found.changes.end(), [](const ChangePoint& change) {
    return change.change > 0 && std::abs(static_cast<int>(change.at) - kBefore) <= kNear;
  });
}

bool shows(const Trials& trials, const ChangePoints& found) {
  if (trials.asked == Asked::kAny || trials.asked == Asked::kWatched) return !found.changes.empty();
  return trials.asked == Asked::kDrift ? !found.drifts.empty() : is_found(found);
}

bool happens(const Trials& trials, std::uint64_t seed) {
  const auto series = draw_series(*trials.model, seed, kBefore, trials.after, trials.step);
  const bool after_each = trials.asked == Asked::kWatched || trials.asked == Asked::kWithin;
  const std::size_t first = after_each ? kBefore + 1 : series.size();
  for (std::size_t length = series.size(); length >= first; --length) {
    if (shows(trials, judged(std::span(series).first(length), seed))) return true;
  }
  return false;
}

std::int64_t trials_of(Asked asked, int count) {
  if (asked == Asked::kAny) return std::int64_t{count} * kMoreStationary;
  // Sixty times the work.
  return asked == Asked::kWatched ? std::max(1, count / 4) : count;
}

std::vector<Trials> all_trials() {
  std::vector<Trials> all;
  for (const SeriesModel& model : series_models()) {
    all.push_back({&model, 0, 0, Asked::kAny, {}});
    if (model.outlier_share == 0 && model.drift == 0 && model.unevenness == 1)
      all.push_back({&model, 0, kBefore, Asked::kWatched, {}});
    if (model.drift > 0) {
      all.push_back({&model, 0, 0, Asked::kDrift, {}});
      continue;
    }
    all.push_back({&model, 1, 30, Asked::kAtLast, {}});
    all.push_back({&model, 2, 5, Asked::kAtLast, {}});
    all.push_back({&model, 2, 5, Asked::kWithin, {}});
    all.push_back({&model, 2, 10, Asked::kWithin, {}});
    all.push_back({&model, 3, 5, Asked::kWithin, {}});
  }
  return all;
}

// Returns whether best_power() holds for this step and noise.
bool is_bounded(const Trials& trials) {
  return trials.step > 0 && trials.model->outlier_share == 0 && trials.model->unevenness == 1;
}

double bound_of(const Trials& trials) {
  return best_power(*trials.model, kBefore, trials.after, trials.step, ChangePointRule{}.alpha);
}

std::string in_percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string series_text(const Trials& trials) {
  if (trials.asked == Asked::kWatched) return std::to_string(kBefore) + " runs, then as many";
  if (trials.step == 0) return std::to_string(kBefore) + " runs";
  char text[64];
  std::snprintf(text, sizeof text, "%d runs, then %d at +%g", kBefore, trials.after, trials.step);
  return text;
}

const char* question_text(const Trials& trials) {
  switch (trials.asked) {
    case Asked::kAny: return "any change";
    case Asked::kWatched: return "any change, after any run";
    case Asked::kAtLast: return "the step, at the end";
    case Asked::kWithin: return "the step, after any run";
    case Asked::kDrift: return "called a drift";
  }
  return "";
}

std::string rate_text(const Trials& trials) {
  const ErrorRate& rate = trials.rate;
  return std::to_string(rate.events) + " of " + std::to_string(rate.trials) + ", " + in_percent(rate.lower_bound()) + " to " +
         in_percent(rate.upper_bound());
}

nlohmann::json row_of(const Trials& trials) {
  nlohmann::json row = {{"model", trials.model->name},
                        {"before", kBefore},
                        {"after", trials.after},
                        {"step", trials.step},
                        {"asked", question_text(trials)},
                        {"events", trials.rate.events},
                        {"trials", trials.rate.trials},
                        {"low", trials.rate.lower_bound()},
                        {"high", trials.rate.upper_bound()}};
  if (is_bounded(trials)) row["best"] = bound_of(trials);
  return row;
}

}  // namespace

ExitCode try_history_models(int count, std::uint64_t seed, bool json) {
  std::vector<Trials> all = all_trials();
  std::vector<std::vector<std::string>> cells;
  nlohmann::json rows = nlohmann::json::array();
  for (Trials& trials : all) {
    trials.rate.trials = trials_of(trials.asked, count);
    for (std::int64_t trial = 0; trial < trials.rate.trials; ++trial)
      trials.rate.events += happens(trials, seed + 1'000'003ULL * static_cast<std::uint64_t>(trial)) ? 1 : 0;
    rows.push_back(row_of(trials));
    cells.push_back({std::string(trials.model->name), series_text(trials), question_text(trials), rate_text(trials),
                     is_bounded(trials) ? in_percent(bound_of(trials)) : ""});
  }
  if (json) return print_document({{"schema", "fuselab.history-models/1"}, {"rows", rows}});
  const std::vector<Column> columns = {{"model"}, {"series"}, {"looked for"}, {"found"}, {"told the place", Align::kRight}};
  std::fputs(render_table(columns, cells, Terminal::of_stdout()).c_str(), stdout);
  std::printf(
      "Steps in deviations of one run. Bounds hold with 95 %% confidence on either side. \"told the place\": what the best test "
      "there\n"
      "is finds when it knows the place, the noise and the step, and errs in %g %%. With %d surrogates; a history is judged by "
      "%d.\n",
      100 * ChangePointRule{}.alpha, kSurrogates, ChangePointRule{}.surrogates);
  for (const SeriesModel& model : series_models()) std::printf("%s: %s\n", model.name.data(), model.what.data());
  return ExitCode::kOk;
}

}  // namespace fuselab::cli
