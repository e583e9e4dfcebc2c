// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/history_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/shell_word.h"
#include "core/base/shown_commit.h"
#include "core/base/words.h"
#include "core/stats/noise_of_series.h"

namespace fuselab::cli {
namespace {

// 0.02 as "2.02 %": what a log-ratio means for the time.
double percent_of(double log_ratio) {
  return 100 * std::expm1(log_ratio);
}

std::string day_of(const std::string& started_at) {
  return plain_line(started_at.substr(0, started_at.find('T')));
}

std::string short_commit(const std::string& commit) {
  return plain_line(shown_commit(commit));
}

const CheckReport& run_behind(const HistoryPoint& point, std::span<const CheckReport> reports) {
  return reports[point.report];
}

std::vector<double> values_of(const History& history) {
  std::vector<double> values;
  for (const HistoryPoint& point : history.points) values.push_back(point.observation.value);
  return values;
}

// For a picture: an outlier at the edge instead of everything else on one line.
std::vector<double> drawn_values(const JudgedHistory& judged) {
  std::vector<double> values = values_of(judged.history);
  const std::vector<double>& levels = judged.found.levels;
  if (levels.empty() || !(judged.found.deviation > 0)) return values;
  const double room = 4 * judged.found.deviation;
  const double low = *std::min_element(levels.begin(), levels.end()) - room;
  const double high = *std::max_element(levels.begin(), levels.end()) + room;
  for (double& value : values) value = std::clamp(value, low, high);
  return values;
}

std::string counts_text(const History& history) {
  std::string text;
  if (history.identical > 0) text += ", " + std::to_string(history.identical) + " of the very same kernel";
  if (history.without_figure > 0) text += ", " + std::to_string(history.without_figure) + " without a figure";
  if (history.older > 0) text += ", " + std::to_string(history.older) + " older not looked at";
  if (history.duplicates > 0) text += ", " + std::to_string(history.duplicates) + " given twice";
  return text;
}

std::string place_text(const ChangePoint& change, const History& history) {
  const HistoryPoint& first = history.points[change.at];
  std::string text = " since " + (first.commit.empty() ? "run " + std::to_string(change.at + 1) : short_commit(first.commit));
  if (!first.started_at.empty()) text += " (" + day_of(first.started_at) + ")";
  return text;
}

// Names the commits to search for the cause, or says why there are none.
std::string search_text(const ChangePoint& change, const History& history) {
  const CommitRange range = commits_around(change, history);
  if (range.good.empty() || range.bad.empty()) return "    the runs around it do not know their commits\n";
  if (range.good == range.bad) return "    " + short_commit(range.good) + " on both sides: what changed is not in the repository\n";
  return "    after " + short_commit(range.good) + ", in " + short_commit(range.bad) + " at the latest: fuselab bisect " +
         shell_word(short_commit(range.good)) + " " + shell_word(short_commit(range.bad)) + " --case " +
         shell_word(plain_line(history.name)) + "\n";
}

std::vector<EnvironmentChange> environment_around(const ChangePoint& change, const History& history,
                                                  std::span<const CheckReport> reports) {
  return environment_changes(run_behind(history.points[change.at - 1], reports), run_behind(history.points[change.at], reports));
}

std::string change_text(const ChangePoint& change, const History& history, std::span<const CheckReport> reports,
                        const Terminal& terminal) {
  const double size = percent_of(change.change), low = percent_of(change.interval.low), high = percent_of(change.interval.high);
  const bool slower = change.change > 0;
  const std::string amount = slower ? formatted("slower by %.2f %% [%.2f, %.2f]", size, low, high)
                                    : formatted("faster by %.2f %% [%.2f, %.2f]", -size, -high, -low);
  std::string text = "  " + (slower ? terminal.red(amount) : terminal.green(amount)) + place_text(change, history);
  if (change.earliest != change.latest)
    text += formatted(", run %zu to %zu of %zu", change.earliest + 1, change.latest + 1, history.points.size());
  else
    text += formatted(", run %zu of %zu", change.at + 1, history.points.size());
  text += formatted(", p = %.2g\n", change.p_value) + search_text(change, history);
  for (const EnvironmentChange& each : environment_around(change, history, reports))
    text +=
        "    with it changed " + plain_line(each.name) + ": " + plain_line(each.before) + " -> " + plain_line(each.after) + "\n";
  return text;
}

std::string drift_text(const Drift& drift, const History& history) {
  const double size = percent_of(drift.change);
  return formatted("  drifts by %+.2f %% from run %zu to %zu", size, drift.first + 1, drift.last + 1) +
         (drift.first == 0 && drift.last + 1 == history.points.size() ? "" : formatted(" of %zu", history.points.size())) +
         ": no single place to look for\n";
}

std::string verdict_text(const JudgedHistory& judged, std::span<const CheckReport> reports, const Terminal& terminal) {
  std::string text;
  for (const ChangePoint& change : judged.found.changes) text += change_text(change, judged.history, reports, terminal);
  for (const Drift& drift : judged.found.drifts) text += drift_text(drift, judged.history);
  if (!text.empty()) return text;
  const ChangePointRule rule;
  const std::size_t needed = static_cast<std::size_t>(rule.least_before) + static_cast<std::size_t>(rule.least_after);
  const std::size_t runs = judged.history.points.size();
  if (runs < needed) return "  too few runs to look for a change: it takes " + std::to_string(needed) + "\n";
  return "  no change of its level\n";
}

}  // namespace

std::string sparkline(std::span<const double> values, int columns) {
  static constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (values.empty() || columns < 1) return {};
  const std::size_t bars = std::min(values.size(), static_cast<std::size_t>(columns));
  std::vector<double> heights;
  for (std::size_t bar = 0; bar < bars; ++bar) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(bar * values.size() / bars);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>((bar + 1) * values.size() / bars);
    std::vector<double> several(first, end);
    heights.push_back(median_in_place(several));
  }
  const double low = *std::min_element(heights.begin(), heights.end());
  const double span = *std::max_element(heights.begin(), heights.end()) - low;
  std::string text;
  for (const double height : heights) {
    const double share = span > 0 ? (height - low) / span : 0;
    text += kBars[std::clamp(static_cast<int>(share * 8), 0, 7)];
  }
  return text;
}

std::string history_text(const JudgedHistory& judged, std::span<const CheckReport> reports, const Terminal& terminal) {
  const History& history = judged.history;
  std::string text = terminal.bold(plain_line(history.name)) + " on " + plain_line(history.device);
  if (!history.beside.empty()) text += ", beside " + plain_line(history.beside);
  text += "\n  " + plain_line(history.subject) + (history.subject.empty() ? "" : "; ");
  text += counted(static_cast<std::int64_t>(history.points.size()), "run");
  if (!history.points.empty() && !history.points.front().started_at.empty())
    text += ", " + day_of(history.points.front().started_at) + " to " + day_of(history.points.back().started_at);
  text += counts_text(history) + "\n";
  if (history.points.empty()) return text + "  no run has a figure that can be compared\n";
  const std::vector<double> values = drawn_values(judged);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const std::string scale =
      formatted("  %.4gx to %.4gx, one run ±%.2g %%", std::exp(*low), std::exp(*high), percent_of(judged.found.deviation));
  const int room = std::max(20, terminal.columns - static_cast<int>(display_width(scale)) - 2);
  return text + "  " + sparkline(values, room) + terminal.dim(scale) + "\n" + verdict_text(judged, reports, terminal);
}

nlohmann::json history_json(const JudgedHistory& judged, std::span<const CheckReport> reports) {
  const History& history = judged.history;
  nlohmann::json points = nlohmann::json::array(), changes = nlohmann::json::array(), drifts = nlohmann::json::array();
  for (const HistoryPoint& point : history.points) {
    points.push_back({{"commit", point.commit},
                      {"started_at", point.started_at},
                      {"ratio", std::exp(point.observation.value)},
                      {"standard_error", point.observation.standard_error},
                      {"identical", point.observation.identical}});
  }
  for (const ChangePoint& change : judged.found.changes) {
    const CommitRange range = commits_around(change, history);
    nlohmann::json environment = nlohmann::json::array();
    for (const EnvironmentChange& each : environment_around(change, history, reports))
      environment.push_back({{"name", each.name}, {"before", each.before}, {"after", each.after}});
    changes.push_back({{"at", change.at},
                       {"earliest", change.earliest},
                       {"latest", change.latest},
                       {"ratio", std::exp(change.change)},
                       {"low", std::exp(change.interval.low)},
                       {"high", std::exp(change.interval.high)},
                       {"p", change.p_value},
                       {"good", range.good},
                       {"bad", range.bad},
                       {"environment", environment}});
  }
  for (const Drift& drift : judged.found.drifts)
    drifts.push_back({{"first", drift.first}, {"last", drift.last}, {"ratio", std::exp(drift.change)}});
  nlohmann::json levels = nlohmann::json::array();
  for (const double level : judged.found.levels) levels.push_back(std::exp(level));
  return {{"case", history.name},
          {"subject", history.subject},
          {"device", history.device},
          {"backend", history.backend},
          {"beside", history.beside},
          {"points", points},
          {"identical", history.identical},
          {"without_figure", history.without_figure},
          {"duplicates", history.duplicates},
          {"older", history.older},
          {"deviation", judged.found.deviation},
          {"autocorrelation", judged.found.autocorrelation},
          {"levels", levels},
          {"changes", changes},
          {"drifts", drifts}};
}

}  // namespace fuselab::cli
