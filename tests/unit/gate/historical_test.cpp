// SPDX-License-Identifier: Apache-2.0
// Which of a baseline's sessions today's kernel may be held against, and what is said of them.
#include "app/gate/judge/historical.h"

#include <gtest/gtest.h>

#include "app/gate/judge/judgement.h"
#include "core/stats/noise_model.h"

namespace fuselab::engine {
namespace {

EnvironmentIdentity usual_machine() {
  return {"a-host", "a-device", "535.1", "AMD EPYC", "0x1", "Linux 6.1", "performance, boost off", "0.1.0"};
}

RunSamples drawn_session(std::uint64_t seed, double slowdown = 0) {
  NoiseSource source(noise_models()[1], seed);
  RunSamples session;
  for (int i = 0; i < kTimingRunProcesses; ++i) session.push_back(source.next_process(8, slowdown).candidate);
  return session;
}

TimingRun stored_engine(const std::string& day, std::uint64_t seed = 1) {
  return {day + "T00:00:00Z", usual_machine(), Protocol::kVersion, drawn_session(seed)};
}

std::string lack_of(const BaselineKernel& saved, const EnvironmentIdentity& here = usual_machine()) {
  const auto stored = stored_times(saved, here, false);
  if (stored.ok()) return "(none)";
  EXPECT_EQ(stored.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(stored.error().message.find('\n'), std::string::npos);
  return stored.error().message;
}

TEST(StoredTimes, AreOfThisMachineAlone) {
  BaselineKernel saved;
  saved.sessions = {stored_engine("2026-11-20"), stored_engine("2026-11-21"), stored_engine("2026-11-22")};
  saved.sessions[1].machine.microcode = "0x2";
  const StoredTimes here = stored_times(saved, usual_machine(), false).value();
  EXPECT_EQ(here.sessions.size(), 2U);
  EXPECT_EQ(here.note, "2 sessions of 2026-11-20 to 2026-11-22, not run again");
  EXPECT_FALSE(here.other_machine);
  // Of this machine there are some: the flag adds no others.
  EXPECT_EQ(stored_times(saved, usual_machine(), true).value().note, here.note);
  EnvironmentIdentity newer = usual_machine();
  newer.tool_version = "9.9.9";  // what is gated, not where
  EXPECT_EQ(stored_times(saved, newer, false).value().sessions.size(), 2U);
}

TEST(StoredTimes, WithinAnHourAreOneSession) {
  BaselineKernel saved;
  saved.sessions = {stored_engine("2026-11-20"), stored_engine("2026-11-20"), stored_engine("2026-11-20"),
                    stored_engine("2026-11-20")};
  saved.sessions[1].at = "2026-11-20T00:59:59Z";
  saved.sessions[2].at = "2026-11-20T01:00:00Z";  // an hour from the first, though a second from the one before
  saved.sessions[3].at = "not a moment";          // not known to be of another session
  EXPECT_EQ(stored_times(saved, usual_machine(), false).value().sessions.size(), 1U);
  saved.sessions[2].at = "2026-11-20T02:00:00Z";
  std::swap(saved.sessions[0], saved.sessions[2]);  // the clock's order counts, not the file's
  const StoredTimes stored = stored_times(saved, usual_machine(), false).value();
  ASSERT_EQ(stored.sessions.size(), 2U);
  EXPECT_EQ(stored.sessions[0].size(), std::size_t{2} * kTimingRunProcesses);
  std::swap(saved.sessions[0], saved.sessions[2]);
  saved.sessions.resize(2);
  EXPECT_EQ(stored_times(saved, usual_machine(), false).value().note,
            "1 session of 2026-11-20 (timed 2 times, what lies within an hour is one), not run again");
}

TEST(StoredTimes, NameInWhatTheMachinesDiffer) {
  BaselineKernel saved;
  saved.sessions = {stored_engine("2026-11-20")};
  const auto differing = [&](auto change) {
    EnvironmentIdentity here = usual_machine();
    change(here);
    return lack_of(saved, here);
  };
  EXPECT_EQ(differing([](auto& here) { here.microcode = "0x2"; }),
            "its times were taken elsewhere: microcode 0x1, here 0x2; --cross-machine shows them");
  EXPECT_NE(differing([](auto& here) { here.cpu_model = "Intel\nXeon"; }).find("processor AMD EPYC, here Intel"),
            std::string::npos);
  EXPECT_NE(differing([](auto& here) { here.driver = ""; }).find("driver 535.1, here unknown"), std::string::npos);
  EXPECT_NE(differing([](auto& here) { here.os_kernel = "Linux 6.2"; }).find("operating system Linux 6.1, here Linux 6.2"),
            std::string::npos);
  EXPECT_NE(differing([](auto& here) { here.clock_policy = "powersave"; }).find("clock policy"), std::string::npos);
  EXPECT_NE(differing([](auto& here) { here.host = "b"; }).find("another host"), std::string::npos);
  EXPECT_NE(differing([](auto& here) { here.device_uuid = "b"; }).find("another device of its kind"), std::string::npos);
}

TEST(StoredTimes, AcrossMachinesAreThoseOfTheMachineThatWasTimedLast) {
  BaselineKernel saved;
  saved.sessions = {stored_engine("2026-11-20"), stored_engine("2026-11-21"), stored_engine("2026-11-22")};
  saved.sessions[1].machine.host = saved.sessions[2].machine.host = "another";
  EnvironmentIdentity here = usual_machine();
  here.os_kernel = "Linux 6.2";
  const StoredTimes stored = stored_times(saved, here, true).value();
  EXPECT_TRUE(stored.other_machine);
  EXPECT_EQ(stored.note,
            "2 sessions of 2026-11-21 to 2026-11-22, not run again; taken elsewhere: operating system Linux 6.1, here Linux 6.2; "
            "another host");
}

TEST(StoredTimes, WhatTheFileLacksIsSaid) {
  BaselineKernel saved;
  EXPECT_EQ(lack_of(saved), "it keeps no times of this kernel; `fuselab baseline extend` adds a session");
  saved.sessions = {stored_engine("2026-11-20")};
  saved.sessions[0].processes.resize(5);
  EXPECT_NE(lack_of(saved).find("its times are of 5 processes, and it takes 10"), std::string::npos);
  saved.sessions = {stored_engine("2026-11-20")};
  saved.sessions[0].protocol = Protocol::kVersion + 1;
  EXPECT_NE(lack_of(saved).find("measured in another way"), std::string::npos);
  saved.sessions[0].machine = {};
  EXPECT_NE(lack_of(saved).find("do not say on which machine they were taken (an older Fuselab saved them)"), std::string::npos);
}

// What a historical comparison would be told: sessions of before, and today's processes, the last of them disturbed.
CheckedCase held_against(double slowdown, std::size_t sessions, std::optional<double> again = std::nullopt) {
  CheckedCase made;
  made.outcome.baseline = BaselineUsed{"historical", "a file", "", "a-device", false, "sessions", false};
  for (std::size_t i = 0; i < sessions; ++i) made.past.push_back(drawn_session(100 + i));
  const auto replay = [&](double factor, std::uint64_t seed, const ComparisonRule& rule) {
    Replay told;
    for (const std::vector<double>& samples : drawn_session(seed, factor))
      told.processes.push_back({{{}, samples}, {}, {1e6}, "", {}});
    told.processes.push_back({{{}, {1}}, {}, {1e6}, "disturbed", {}});
    told.result = verdict_of(told.processes, made.past, rule).value();
    return told;
  };
  made.first = replay(slowdown, 7, made.rule);
  if (again) made.confirmation = replay(*again, 8, confirmation_rule(made.rule, 1));
  return made;
}

TEST(HistoricalJudgement, CallsWhatLiesBeyondSessionsAndIsConfirmed) {
  std::vector<CheckedCase> cases = {held_against(0.15, 6, 0.15)};
  ASSERT_TRUE(cases[0].is_suspect());
  judge(cases);
  const CaseOutcome& outcome = cases[0].outcome;
  EXPECT_EQ(outcome.state, CaseState::kRegressed) << outcome.reason;
  EXPECT_NEAR(outcome.candidate_ns / outcome.baseline_ns, outcome.comparison->ratio, 1e-9);
  EXPECT_EQ(outcome.comparison->pairs, 0);
  EXPECT_EQ(outcome.comparison->processes, kTimingRunProcesses);
  EXPECT_EQ(outcome.comparison->spent.count, 1e7) << "of those that count";
  EXPECT_EQ(outcome.disturbed, 2);
  EXPECT_EQ(outcome.log_ratios.size(), std::size_t{kTimingRunProcesses});
  EXPECT_LE(outcome.q_value, kFalseDiscoveryRate);
}

TEST(HistoricalJudgement, LetsGoWhatIsNotConfirmed) {
  std::vector<CheckedCase> cases = {held_against(0.15, 6, 0.0)};
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state == CaseState::kUnconfirmed || cases[0].outcome.state == CaseState::kInconclusive, true)
      << name_of(cases[0].outcome.state);
}

TEST(HistoricalJudgement, SaysWhatItWouldTakeWhereItIsOpen) {
  std::vector<CheckedCase> cases = {held_against(0.5, 1), held_against(0.012, 2)};
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kInconclusive);
  EXPECT_EQ(
      cases[0].outcome.reason,
      "of one session it is not known how far sessions differ on this machine; `fuselab baseline extend` on another day adds a "
      "session");
  EXPECT_EQ(cases[1].outcome.state, CaseState::kInconclusive);
  EXPECT_NE(cases[1].outcome.reason.find("sessions of the unchanged kernel differ by "), std::string::npos);
}

TEST(HistoricalJudgement, OfTwoMachinesNothingIsSaid) {
  std::vector<CheckedCase> cases = {held_against(0.5, 6), held_against(-0.5, 6), held_against(0, 6)};
  for (CheckedCase& each : cases) each.outcome.baseline->other_machine = true;
  for (const CheckedCase& each : cases) EXPECT_FALSE(each.is_suspect());
  judge(cases);
  for (const CheckedCase& each : cases) {
    EXPECT_EQ(each.outcome.state, CaseState::kInconclusive);
    EXPECT_NE(each.outcome.reason.find("times of two machines say nothing of a kernel"), std::string::npos);
    EXPECT_TRUE(each.outcome.comparison) << "the figures are shown";
  }
}

}  // namespace
}  // namespace fuselab::engine
