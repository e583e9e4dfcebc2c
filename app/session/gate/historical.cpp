// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/historical.h"

#include <algorithm>
#include <cstdlib>

#include "app/session/gate/utc_dates.h"

namespace fuselab::session {
namespace {

constexpr const char* kAddOne = "; `fuselab baseline extend` adds a session";

constexpr std::int64_t kOneSession = 3600;  // seconds

// The processes of what was timed within an hour of the one before together: what lies so close shares what the machine was doing.
// In the order of the clock, whatever that of the file is; what has no readable time is not known to be of another session.
std::vector<SessionSamples> sessions_of(std::vector<const TimedSession*> timed) {
  std::ranges::stable_sort(timed, {}, [](const TimedSession* each) { return each->at; });
  std::vector<SessionSamples> sessions;
  const TimedSession* before = nullptr;
  for (const TimedSession* const each : timed) {
    auto const apart = before == nullptr ? std::nullopt : seconds_between(before->at, each->at);
    bool const another = before == nullptr || (apart && std::abs(*apart) >= kOneSession);
    if (another) {
      sessions.push_back(each->processes);
    } else {
      sessions.back().insert(sessions.back().end(), each->processes.begin(), each->processes.end());
    }
    before = each;
  }
  return sessions;
}

std::string sessions_text(const std::vector<const TimedSession*>& timed, std::size_t sessions) {
  std::string const first = timed.front()->at.substr(0, 10), last = timed.back()->at.substr(0, 10);
  std::string const days = first == last ? first : first + " to " + last;
  std::string const takes =
      timed.size() == sessions ? "" : " (timed " + std::to_string(timed.size()) + " times, what lies within an hour is one)";
  return std::to_string(sessions) + (sessions == 1 ? " session of " : " sessions of ") + days + takes + ", not run again";
}

// Why nothing can be held against it; empty: something can.
std::string unusable(const TimedSession& session) {
  if (!is_known(session.machine)) return "its times do not say on which machine they were taken (an older Fuselab saved them)";
  if (session.protocol != Protocol::kVersion) return "its times were measured in another way, by another version of Fuselab";
  if (session.is_whole()) return "";
  return "its times are of " + std::to_string(session.processes.size()) + " processes, and it takes " +
         std::to_string(kSessionProcesses);
}

std::vector<const TimedSession*> of_one_machine(const std::vector<const TimedSession*>& sessions,
                                                const EnvironmentIdentity& machine) {
  std::vector<const TimedSession*> same;
  for (const TimedSession* const each : sessions) {
    if (machine_differences(each->machine, machine).empty()) same.push_back(each);
  }
  return same;
}

}  // namespace

Result<StoredTimes> stored_times(const BaselineKernel& saved, const EnvironmentIdentity& here, bool cross_machine) {
  std::vector<const TimedSession*> usable;
  std::string lacks = "it keeps no times of this kernel";
  for (const TimedSession& each : saved.sessions) {
    std::string const missing = unusable(each);
    if (missing.empty()) {
      usable.push_back(&each);
    } else {
      lacks = missing;
    }
  }
  if (usable.empty()) return Error{ErrorCode::kNotFound, lacks + kAddOne};
  StoredTimes stored;
  std::vector<const TimedSession*> chosen = of_one_machine(usable, here);
  if (chosen.empty()) {
    std::string const differs = machine_differences(usable.back()->machine, here);
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

Result<Replay> measure_beside_past(WorkerHouse& workers, const ReplaySpec& spec, std::span<const SessionSamples> past,
                                   std::stop_token stop) {
  SessionSpec session;
  session.device = spec.device;
  session.plan = spec.candidate;
  session.budget = spec.rule.budget;
  session.who = ComparedSide::kCandidate;
  Replay replay;
  FL_TRY(MeasuredSession measured, measure_session(workers, session, std::move(stop)));
  replay.processes = std::move(measured.processes);
  if (!replay.fitness().ok()) return replay;
  FL_TRY(replay.result, verdict_of(replay.processes, past, spec.rule));
  return replay;
}

Result<ComparisonResult> verdict_of(const std::vector<ReplayedProcess>& processes, std::span<const SessionSamples> past,
                                    const ComparisonRule& rule) {
  if (past.empty()) return verdict_of(processes, rule);
  FL_TRY(ComparisonResult result, compare_with_past(past, samples_of(processes), {rule.margin, rule.alpha}));
  for (const ReplayedProcess& process : processes) {
    if (process.disturbed.empty()) result.spent.count += process.spent.count;
  }
  return result;
}

}  // namespace fuselab::session
