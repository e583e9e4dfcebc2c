// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/known_rate.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "core/base/formatted.h"
#include "core/base/shown_commit.h"

namespace fuselab::engine {
namespace {

// Cases whose comparisons have the same error rates.
struct Settings {
  std::string device, device_uuid;
  double margin = 0, alpha = 0;
  Nanoseconds budget;
  int compared = 0, cases = 0;
};

std::string number(double value) {
  return formatted("%.4g", value);
}

bool same(double left, double right) {
  return std::fabs(left - right) <= 1e-9 * std::max(std::fabs(left), std::fabs(right));
}

// Returns the settings of the cases, those with the most comparisons first.
std::vector<Settings> settings_in(const std::vector<CheckedCase>& cases) {
  std::vector<Settings> all;
  for (const CheckedCase& each : cases) {
    // A comparison with stored times also errs by the days between them, which no self-test sees.
    if (each.outcome.device_uuid.empty() || !each.past.empty()) continue;
    auto known = std::find_if(all.begin(), all.end(), [&](const Settings& one) {
      return one.device_uuid == each.outcome.device_uuid && same(one.margin, each.rule.margin) &&
             same(one.alpha, each.rule.alpha) && same(one.budget.count, each.rule.budget.count);
    });
    if (known == all.end()) {
      all.push_back({each.outcome.device, each.outcome.device_uuid, each.rule.margin, each.rule.alpha, each.rule.budget, 0, 0});
      known = std::prev(all.end());
    }
    ++known->cases;
    known->compared += each.first ? 1 : 0;
  }
  std::stable_sort(all.begin(), all.end(), [](const Settings& left, const Settings& right) {
    return std::pair(left.compared, left.cases) > std::pair(right.compared, right.cases);
  });
  return all;
}

std::string settings_text(double margin, Nanoseconds budget) {
  return "margin " + number(100 * margin) + " %, budget " + number(budget.seconds()) + " s";
}

// Returns why a self-test is not valid for such comparisons; empty: it is.
std::string why_not(const SelftestSummary& summary, const Settings& of) {
  if (summary.device_uuid != of.device_uuid) return "it is a self-test of another device";
  const bool alike =
      same(summary.margin, of.margin) && same(summary.budget.count, of.budget.count) && same(summary.alpha, of.alpha);
  if (!alike) {
    const std::string interval = same(summary.alpha, of.alpha) ? "" : ", and of other intervals";
    return "it is of " + settings_text(summary.margin, summary.budget) + ", the comparisons here of " +
           settings_text(of.margin, of.budget) + interval;
  }
  return summary.false_alarms.trials > 0 ? "" : "it holds no comparison of identical kernels yet";
}

// Returns whether two self-tests may be added up: the same program on the same kernels.
bool is_of_one_kind(const SelftestSummary& left, const SelftestSummary& right) {
  return left.version == right.version && left.commit == right.commit && left.kernels == right.kernels &&
         left.suite == right.suite && left.load == right.load;
}

// Returns the newest of the fitting self-tests, added up with all of its kind.
SelftestSummary together(const std::vector<const SelftestSummary*>& fitting) {
  SelftestSummary sum = *fitting.back();
  std::map<double, ErrorRate> power;
  sum.false_alarms = {};
  sum.wanted = sum.done = 0;
  for (const SelftestSummary* each : fitting) {
    if (!is_of_one_kind(*each, sum)) continue;
    sum.false_alarms.events += each->false_alarms.events;
    sum.false_alarms.trials += each->false_alarms.trials;
    sum.wanted += each->wanted;
    sum.done += each->done;
    for (const FoundSlowdown& found : each->power) {
      power[found.slowdown].events += found.found.events;
      power[found.slowdown].trials += found.found.trials;
    }
  }
  sum.power.clear();
  for (const auto& [slowdown, rate] : power) sum.power.push_back({slowdown, rate});
  return sum;
}

// Returns the commit for printing. A record may contain any text, but a commit is letters and digits.
std::string commit_text(const std::string& commit) {
  const bool plain = !commit.empty() && std::all_of(commit.begin(), commit.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '+';
  });
  if (!plain) return "unknown";
  return shown_commit(commit) + (commit.ends_with("-dirty") ? "-dirty" : "");
}

std::string origin_of(const SelftestSummary& summary, const Settings& of) {
  std::string text = "of " + of.device + ", " + settings_text(summary.margin, summary.budget) + ", " +
                     std::to_string(summary.kernels.size()) + (summary.kernels.size() == 1 ? " kernel" : " kernels") +
                     ", Fuselab's commit " + commit_text(summary.commit);
  if (!summary.at.empty()) text += ", " + summary.at.substr(0, 10);
  if (summary.load) text += ", beside a CPU kept busy";
  if (summary.done < summary.wanted)
    text += ", " + std::to_string(summary.done) + " of its " + std::to_string(summary.wanted) + " comparisons so far";
  return text;
}

// Returns the command of the self-test with these settings.
std::string command_for(const Settings& of) {
  std::string command = "fuselab selftest --aa 200 --slowed 50";
  if (of.device != "cpu:0") command += " --device " + of.device;
  if (!same(of.margin, 0.01)) command += " --margin " + number(100 * of.margin);
  if (!same(of.budget.count, 2e9)) command += " --budget " + number(of.budget.seconds());
  return command;
}

}  // namespace

Result<KnownRates> KnownRates::open(const Config& config, const std::filesystem::path& record) {
  KnownRates rates;
  rates.record_ = record.string();
  if (record.empty()) {
    rates.known_ = kept_summaries(selftests_of(config));
    // Self-tests under load answer another question and are left out.
    std::erase_if(rates.known_, [](const SelftestSummary& each) { return each.load; });
    return rates;
  }
  const auto stored = read_selftest(record);
  if (stored.ok()) rates.known_.push_back(summary_of(stored.value()));
  // A file of another version of Fuselab means one side note less, and is no reason to refuse the check.
  const bool is_other_version = !stored.ok() && stored.error().code == ErrorCode::kUnavailable;
  if (is_other_version) rates.unread_ = stored.error().message;
  if (!stored.ok() && !is_other_version) return stored.error();
  return rates;
}

void KnownRates::tell(CheckRun& run) const {
  const std::vector<Settings> all = settings_in(run.cases);
  int compared = 0;
  for (const Settings& each : all) compared += each.compared;
  for (const Settings& each : all) {
    if (compared > 0 && each.compared == 0) break;
    std::vector<const SelftestSummary*> fitting;
    for (const SelftestSummary& summary : known_) {
      if (why_not(summary, each).empty()) fitting.push_back(&summary);
    }
    if (fitting.empty()) continue;
    const SelftestSummary found = together(fitting);
    std::string of = origin_of(found, each);
    if (each.compared < compared)
      of += "; it speaks of " + std::to_string(each.compared) + " of the " + std::to_string(compared) + " comparisons here";
    run.report.false_alarms = found.false_alarms;
    run.report.selftest = SelftestNote{std::move(of), found.power};
    return;
  }
  std::string why = unread_;
  if (why.empty() && !record_.empty() && !all.empty()) why = record_ + " is left out: " + why_not(known_.front(), all.front());
  if (compared > 0) why += (why.empty() ? "`" : "; `") + command_for(all.front()) + "` measures it";
  if (!why.empty()) run.report.selftest = SelftestNote{std::move(why), {}};
}

}  // namespace fuselab::engine
