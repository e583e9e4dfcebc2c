// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/historical.h"

#include <algorithm>
#include <cstdlib>

#include "app/gate/source/utc_dates.h"

namespace fuselab::engine {
namespace {

constexpr const char* kAddOne = "; `fuselab baseline extend` adds a session";

constexpr std::int64_t kOneSession = 3600;  // seconds

// Merges timing runs that began within an hour of the one before, since so close together they share what the machine was doing.
// They are taken in the order of the clock, whatever that of the file is. A run without a readable time is merged with the one
// before.
std::vector<RunSamples> sessions_of(std::vector<const TimingRun*> timed) {
  std::ranges::stable_sort(timed, {}, [](const TimingRun* each) { return each->at; });
  std::vector<RunSamples> sessions;
  const TimingRun* before = nullptr;
  for (const TimingRun* const each : timed) {
    const auto apart = before == nullptr ? std::nullopt : seconds_between(before->at, each->at);
    const bool another = before == nullptr || (apart && std::abs(*apart) >= kOneSession);
    if (another) {
      sessions.push_back(each->processes);
    } else {
      sessions.back().insert(sessions.back().end(), each->processes.begin(), each->processes.end());
    }
    before = each;
  }
  return sessions;
}

std::string sessions_text(const std::vector<const TimingRun*>& timed, std::size_t sessions) {
  const std::string first = timed.front()->at.substr(0, 10), last = timed.back()->at.substr(0, 10);
  const std::string days = first == last ? first : first + " to " + last;
  const std::string takes =
      timed.size() == sessions ? "" : " (timed " + std::to_string(timed.size()) + " times, what lies within an hour is one)";
  return std::to_string(sessions) + (sessions == 1 ? " session of " : " sessions of ") + days + takes + ", not run again";
}

// Returns why today's kernel cannot be compared with these times; empty: it can.
std::string unusable(const TimingRun& run) {
  if (!is_known(run.machine)) return "its times do not say on which machine they were taken (an older Fuselab saved them)";
  if (run.protocol != Protocol::kVersion) return "its times were measured in another way, by another version of Fuselab";
  if (run.is_whole()) return "";
  return "its times are of " + std::to_string(run.processes.size()) + " processes, and it takes " +
         std::to_string(kTimingRunProcesses);
}

std::vector<const TimingRun*> of_one_machine(const std::vector<const TimingRun*>& sessions, const EnvironmentIdentity& machine) {
  std::vector<const TimingRun*> same;
  for (const TimingRun* const each : sessions) {
    if (machine_differences(each->machine, machine).empty()) same.push_back(each);
  }
  return same;
}

}  // namespace

Result<StoredTimes> stored_times(const BaselineKernel& saved, const EnvironmentIdentity& here, bool cross_machine) {
  std::vector<const TimingRun*> usable;
  std::string lacks = "it keeps no times of this kernel";
  for (const TimingRun& each : saved.sessions) {
    const std::string missing = unusable(each);
    if (missing.empty()) {
      usable.push_back(&each);
    } else {
      lacks = missing;
    }
  }
  if (usable.empty()) return Error{ErrorCode::kNotFound, lacks + kAddOne};
  StoredTimes stored;
  std::vector<const TimingRun*> chosen = of_one_machine(usable, here);
  if (chosen.empty()) {
    const std::string differs = machine_differences(usable.back()->machine, here);
    if (!cross_machine)
      return Error{ErrorCode::kNotFound, "its times were taken elsewhere: " + differs + "; --cross-machine shows them"};
    chosen = of_one_machine(usable, usable.back()->machine);
    stored.other_machine = true;
    stored.note = "; taken elsewhere: " + differs;
  }
  stored.sessions = sessions_of(chosen);
  stored.note = sessions_text(chosen, stored.sessions.size()) + stored.note;
  return stored;
}

Result<Replay> measure_beside_past(WorkerPool& workers, const ReplaySpec& spec, std::span<const RunSamples> past,
                                   std::stop_token stop) {
  TimingRunSpec run;
  run.device = spec.device;
  run.plan = spec.candidate;
  run.budget = spec.rule.budget;
  run.who = ComparedSide::kCandidate;
  Replay replay;
  FL_TRY(MeasuredTimingRun measured, measure_timing_run(workers, run, std::move(stop)));
  replay.processes = std::move(measured.processes);
  if (!replay.fitness().ok()) return replay;
  FL_TRY(replay.result, verdict_of(replay.processes, past, spec.rule));
  return replay;
}

Result<ComparisonResult> verdict_of(const std::vector<ReplayedProcess>& processes, std::span<const RunSamples> past,
                                    const ComparisonRule& rule) {
  if (past.empty()) return verdict_of(processes, rule);
  FL_TRY(ComparisonResult result, compare_with_past(past, samples_of(processes), {rule.margin, rule.alpha}));
  for (const ReplayedProcess& process : processes) {
    if (process.disturbed.empty()) result.spent.count += process.spent.count;
  }
  return result;
}

}  // namespace fuselab::engine
