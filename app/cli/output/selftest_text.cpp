// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/selftest_text.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/shell/terminal.h"
#include "app/gate/selftest/selftest_rates.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {

using engine::SelftestRates;
using engine::SelftestReport;

std::string percentage(double share, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, 100 * share);
  return text;
}

std::string slowdown_text(double slowdown) {
  return slowdown == 0 ? "identical" : percentage(slowdown, "+%.3g %%");
}

std::string rate_text(const ErrorRate& rate, bool wanted) {
  return std::to_string(rate.events) + " of " + std::to_string(rate.trials) + (wanted ? ", at least " : ", at most ") +
         percentage(wanted ? rate.lower_bound() : rate.upper_bound());
}

nlohmann::json rate_json(const ErrorRate& rate) {
  return {{"events", rate.events}, {"trials", rate.trials}, {"low", rate.lower_bound()}, {"high", rate.upper_bound()}};
}

namespace {

constexpr double kPower = 0.95;
constexpr int kFewestForPower = 59;  // of so many, all found, the lower bound is kPower

std::string seconds_text(double seconds) {
  return format_duration({seconds * 1e9});
}

std::vector<std::string> cells_of(const std::string& name, const SelftestRates& rates, double margin) {
  const bool wanted = rates.slowdown > margin;
  return {name,
          slowdown_text(rates.slowdown),
          rate_text(rates.alarmed, wanted),
          rate_text(rates.confirmed, wanted),
          std::to_string(rates.equivalent),
          std::to_string(rates.inconclusive),
          std::to_string(rates.failed),
          rates.minimum_detectable > 0 ? percentage(rates.minimum_detectable, "+%.2g %%") : "",
          seconds_text(rates.kernel_seconds),
          seconds_text(rates.wall_seconds)};
}

// The smallest of the slowdowns tried from which on all have this; null: the largest has it not.
template <typename Has>
const SelftestRates* least_that(const std::vector<SelftestRates>& all, const Has& has) {
  const SelftestRates* least = nullptr;
  for (auto each = all.rbegin(); each != all.rend() && each->slowdown > 0; ++each) {
    if (!has(*each)) break;
    least = &*each;
  }
  return least;
}

// The smallest of the slowdowns tried that was found (or confirmed) nineteen times in twenty, for sure or as far as was tried.
std::string found_text(const std::vector<SelftestRates>& all, ErrorRate SelftestRates::*rate, const std::string& found) {
  const SelftestRates* const sure =
      least_that(all, [&](const SelftestRates& each) { return (each.*rate).lower_bound() >= kPower; });
  const SelftestRates* const seen = least_that(all, [&](const SelftestRates& each) { return (each.*rate).share() >= kPower; });
  if (seen == nullptr) return "No slowdown that was tried is " + found + " at 95 % power here.\n";
  std::string text;
  if (sure != nullptr)
    text = "The smallest slowdown " + found + " at 95 % power: " + slowdown_text(sure->slowdown) + " (" +
           rate_text(sure->*rate, true) + ").\n";
  if (seen != sure) {
    text += "The smallest slowdown " + found + " 19 times in 20: " + slowdown_text(seen->slowdown) + " (" +
            rate_text(seen->*rate, true) + "); that this is 95 % power takes more comparisons, " + std::to_string(kFewestForPower) +
            " at least.\n";
  }
  return text;
}

// Says which slowdowns a comparison finds, which the gate fails on where those are fewer, and what kept the rest from being found.
std::string power_text(const std::vector<SelftestRates>& all) {
  const bool tried = !all.empty() && all.back().slowdown > 0;
  if (!tried) return "";
  const bool lost = std::ranges::any_of(
      all, [](const SelftestRates& each) { return each.slowdown > 0 && each.confirmed.events != each.alarmed.events; });
  // The first slowdown with a comparison that ended: those of identical sides may all have failed.
  const auto middle = std::ranges::find_if(all, [](const SelftestRates& each) { return each.alarmed.trials > 0; });
  const std::string limits = middle == all.end()
                                 ? ""
                                 : "What limits it: " + percentage(middle->within_deviation) + " from round to round, " +
                                       percentage(middle->between_deviation) + " from process to process (medians, of " +
                                       slowdown_text(middle->slowdown) + ").\n";
  return found_text(all, &SelftestRates::alarmed, "found") +
         (lost ? found_text(all, &SelftestRates::confirmed, "confirmed, which a gate fails on,") : "") + limits;
}

nlohmann::json rates_json(const SelftestRates& rates) {
  return {{"slowdown", rates.slowdown},
          {"called", rate_json(rates.alarmed)},
          {"confirmed", rate_json(rates.confirmed)},
          {"equivalent", rates.equivalent},
          {"failed", rates.failed},
          {"minimum_detectable", rates.minimum_detectable},
          {"inconclusive", rates.inconclusive},
          {"kernel_s", rates.kernel_seconds},
          {"wall_s", rates.wall_seconds}};
}

}  // namespace

std::string report_text(const SelftestReport& report, double margin, const Terminal& terminal) {
  const std::vector<Column> columns = {{"kernel"},
                                       {"sides"},
                                       {"called a change"},
                                       {"confirmed"},
                                       {"equivalent", Align::kRight},
                                       {"inconclusive", Align::kRight},
                                       {"failed", Align::kRight},
                                       {"would see", Align::kRight},
                                       {"kernel time", Align::kRight},
                                       {"wall time", Align::kRight}};
  std::vector<std::vector<std::string>> cells;
  std::string failures;
  for (const engine::SelftestKernel& kernel : report.kernels) {
    if (!kernel.failure.empty()) failures += plain_line(kernel.failure) + "\n";
    const std::string name = kernel.name + " " + kernel.binding;
    for (const SelftestRates& rates : engine::rates_of(report.trials, name)) {
      if (rates.slowdown == 0) cells.push_back(cells_of(name, rates, margin));
    }
  }
  const std::vector<SelftestRates> all = engine::rates_of(report.trials);
  for (const SelftestRates& rates : all) cells.push_back(cells_of("all kernels", rates, margin));
  int disturbed = 0, processes = 0;
  for (const engine::SelftestTrial& trial : report.trials) {
    disturbed += trial.first.disturbed();
    processes += static_cast<int>(trial.first.processes.size());
  }
  return render_table(columns, cells, terminal) + failures + std::to_string(disturbed) + " of " + std::to_string(processes) +
         " processes were disturbed by other load and discarded. Bounds hold with 95 % confidence;\n"
         "\"would see\" is the slowdown that such comparisons call a regression 19 times in 20; it and the times are medians.\n" +
         power_text(all);
}

nlohmann::json report_json(const SelftestReport& report, std::string_view commit) {
  nlohmann::json kernels = nlohmann::json::array(), all = nlohmann::json::array();
  for (const engine::SelftestKernel& kernel : report.kernels) {
    nlohmann::json rates = nlohmann::json::array();
    for (const SelftestRates& each : engine::rates_of(report.trials, kernel.name + " " + kernel.binding))
      rates.push_back(rates_json(each));
    nlohmann::json object = {{"name", kernel.name}, {"shape", kernel.binding}, {"rates", rates}};
    if (!kernel.failure.empty()) object["reason"] = kernel.failure;
    kernels.push_back(std::move(object));
  }
  for (const SelftestRates& each : engine::rates_of(report.trials)) all.push_back(rates_json(each));
  return {{"schema", "fuselab.selftest/1"}, {"device", report.device.id}, {"commit", commit}, {"wanted", report.wanted},
          {"done", report.trials.size()},   {"kernels", kernels},         {"all", all}};
}

std::string suites_text(const engine::SuiteRates& rates) {
  char text[900];
  std::snprintf(text, sizeof text,
                "%d suites of %d unchanged kernels each, drawn from %d sessions of up to %d consecutive comparisons:\n"
                "  red, a confirmed regression in it: %s of such suites\n"
                "  undecided, an inconclusive comparison or an unfit machine in it: %s\n"
                "%s sessions turn a suite red by themselves; were each of the %.3g that a suite takes as bad as that bound, %s of "
                "suites would be\n"
                "red by one session alone: more than that this record cannot say of suites that are not drawn from it. Bounds hold "
                "with 95 %%\n"
                "confidence.\n",
                rates.suites, rates.comparisons, rates.sessions, rates.of_session, rate_text(rates.red, false).c_str(),
                rate_text(rates.undecided, false).c_str(), rate_text(rates.red_sessions, false).c_str(), rates.sessions_of_suite,
                percentage(rates.red_bound_of_record).c_str());
  return text;
}

nlohmann::json suites_json(const engine::SuiteRates& rates) {
  return {{"schema", "fuselab.selftest-suites/1"},
          {"suites", rates.suites},
          {"comparisons", rates.comparisons},
          {"sessions", rates.sessions},
          {"sessions_of_suite", rates.sessions_of_suite},
          {"red", rate_json(rates.red)},
          {"undecided", rate_json(rates.undecided)},
          {"red_sessions", rate_json(rates.red_sessions)},
          {"red_bound_of_record", rates.red_bound_of_record}};
}

}  // namespace fuselab::cli
