// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/judgement.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/stats/noise_model.h"

namespace fuselab::engine {
namespace {

// What so much slower a candidate gives under a rule, with a little noise.
Replay replay_of(double slowdown, const ComparisonRule& rule, std::uint64_t seed) {
  Comparison comparison(rule);
  NoiseSource noise(noise_models().front(), seed);
  Replay replay;
  while (const auto rounds = comparison.next_rounds()) {
    ReplayedProcess process;
    process.samples = noise.next_process(*rounds, slowdown);
    process.spent = {1e6};
    EXPECT_TRUE(comparison.tell(process.samples, process.spent).ok());
    replay.processes.push_back(std::move(process));
  }
  replay.result = comparison.result();
  return replay;
}

CheckedCase checked(double slowdown, std::optional<double> again, std::size_t suite = 1) {
  CheckedCase made;
  made.first = replay_of(slowdown, made.rule, 1);
  if (again) made.confirmation = replay_of(*again, confirmation_rule(made.rule, suite), 2);
  return made;
}

TEST(Judgement, CallsWhatIsConfirmed) {
  std::vector<CheckedCase> cases = {checked(0.05, 0.05, 3), checked(-0.05, -0.05, 3), checked(0, std::nullopt)};
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kRegressed);
  EXPECT_EQ(cases[1].outcome.state, CaseState::kImproved);
  EXPECT_EQ(cases[2].outcome.state, CaseState::kEquivalent);
  EXPECT_LE(cases[0].outcome.q_value, kFalseDiscoveryRate);
  EXPECT_EQ(cases[2].outcome.q_value, 1);
  EXPECT_GT(cases[0].outcome.candidate_ns, cases[0].outcome.baseline_ns);
  EXPECT_EQ(cases[0].outcome.log_ratios.size(), cases[0].first->processes.size());
}

TEST(Judgement, LetsGoWhatIsNotConfirmed) {
  std::vector<CheckedCase> cases = {checked(0.05, 0.0), checked(0.05, -0.05)};
  judge(cases);
  for (const CheckedCase& each : cases) EXPECT_EQ(each.outcome.state, CaseState::kUnconfirmed);
  EXPECT_NE(cases[0].outcome.reason.find("called regressed, but a confirmation in"), std::string::npos);
}

// Nothing passes for want of a confirmation.
TEST(Judgement, WhatNobodyConfirmedIsInconclusive) {
  std::vector<CheckedCase> cases = {checked(0.05, std::nullopt), checked(0.05, std::nullopt)};
  cases[1].unconfirmed_because = "the machine is not fit";
  judge(cases);
  for (const CheckedCase& each : cases) EXPECT_EQ(each.outcome.state, CaseState::kInconclusive);
  EXPECT_EQ(cases[1].outcome.reason, "called regressed, and could not be confirmed: the machine is not fit");
}

// As wide an interval as that holds the change that was called as well as none.
TEST(Judgement, AnUnsureConfirmationContradictsNothingWhereverItsRatioLies) {
  std::vector<CheckedCase> cases = {checked(0.05, 0.0), checked(-0.05, 0.0), checked(0.05, 0.0)};
  for (CheckedCase& each : cases) each.confirmation->result.verdict = Verdict::kInconclusive;
  cases[0].confirmation->result.ratio = 0.999;
  cases[0].confirmation->result.interval = {0.90, 1.10};
  cases[1].confirmation->result.ratio = 1.001;
  cases[1].confirmation->result.interval = {0.90, 1.10};
  cases[2].confirmation->result.interval = {0.90, 1.005};
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kInconclusive);
  EXPECT_EQ(cases[1].outcome.state, CaseState::kInconclusive);
  EXPECT_EQ(cases[2].outcome.state, CaseState::kUnconfirmed) << "a change beyond the margin is excluded";
}

// A confirmation that looked convincing for a while and ended with another verdict confirms nothing.
TEST(Judgement, EvidenceOfAConfirmationThatEndedOtherwiseDoesNotStand) {
  std::vector<CheckedCase> cases = {checked(0.05, 0.0)};
  ASSERT_EQ(cases[0].confirmation->result.verdict, Verdict::kEquivalent);
  cases[0].confirmation->result.p_regressed = 1e-6;
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kUnconfirmed);
  EXPECT_EQ(cases[0].outcome.q_value, 1);
}

// Neither confirmed nor contradicted: nothing that may pass.
TEST(Judgement, WhatAConfirmationLeavesOpenIsInconclusive) {
  std::vector<CheckedCase> cases = {checked(0.05, 0.05)};
  cases[0].confirmation->result.verdict = Verdict::kInconclusive;
  cases[0].confirmation->result.p_regressed = 1;
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kInconclusive);
  EXPECT_NE(cases[0].outcome.reason.find("could not be sure of it"), std::string::npos) << cases[0].outcome.reason;
}

TEST(Judgement, WhatCouldNotHaveSeenDetectIsInsensitive) {
  CheckedCase open = checked(0, std::nullopt);
  open.first->result.verdict = Verdict::kInconclusive;
  open.first->result.minimum_detectable = 0.03;
  std::vector<CheckedCase> cases(4, open);
  cases[0].outcome.detect = 0.05;
  cases[1].outcome.detect = 0.02;
  cases[2].outcome.detect = 0.05;
  cases[2].first->result.minimum_detectable = std::numeric_limits<double>::infinity();
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kInconclusive);
  EXPECT_EQ(cases[0].outcome.reason,
            "the budget ended before a verdict; slowdowns from 3 % would have been seen, within detect (5 %)");
  EXPECT_EQ(cases[1].outcome.state, CaseState::kInsensitive);
  EXPECT_NE(cases[1].outcome.reason.find("and that is more than detect (2 %): give it more budget"), std::string::npos)
      << cases[1].outcome.reason;
  EXPECT_EQ(cases[2].outcome.state, CaseState::kInsensitive) << "nothing is known of what it would have seen";
  EXPECT_EQ(cases[3].outcome.state, CaseState::kInconclusive) << "a record of before has no such limit";
}

// It must not pass, however sensitive the first comparison was.
TEST(Judgement, AChangeThatNothingConfirmedIsInsensitive) {
  std::vector<CheckedCase> cases = {checked(0.05, std::nullopt)};
  cases[0].outcome.detect = 0.5;
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kInsensitive);
}

TEST(Judgement, AConfirmationThatFailsEndsTheCaseAsItFailed) {
  std::vector<CheckedCase> cases = {checked(0.05, std::nullopt)};
  cases[0].unconfirmed_because = "candidate: wrong result";
  cases[0].instead = CaseState::kWrongResult;
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kWrongResult);
}

TEST(Judgement, FindsALoneRegressionAmongAHundred) {
  std::vector<CheckedCase> cases;
  for (int i = 0; i < 99; ++i) cases.push_back(checked(0, std::nullopt));
  cases.push_back(checked(0.03, 0.03, 100));
  judge(cases);
  EXPECT_EQ(cases[99].outcome.state, CaseState::kRegressed) << cases[99].outcome.q_value;
}

TEST(Judgement, LeavesAloneWhatWasNotCompared) {
  std::vector<CheckedCase> cases(2);
  cases[0].outcome.state = CaseState::kSame;
  cases[1].outcome.state = CaseState::kNoBaseline;
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kSame);
  EXPECT_EQ(cases[1].outcome.state, CaseState::kNoBaseline);
  EXPECT_FALSE(cases[0].outcome.comparison);
}

// What each of so many processes measured counts for nothing.
Replay disturbed_throughout(std::size_t processes) {
  Replay replay;
  NoiseSource noise(noise_models().front(), 3);
  for (std::size_t i = 0; i < processes; ++i) {
    ReplayedProcess& process = replay.processes.emplace_back();
    process.samples = noise.next_process(20, 0.05);
    process.disturbed = "disturbed while timing: steal";
  }
  return replay;
}

TEST(Judgement, AnUnfitMachineKeepsItsEvidenceAndGivesNoFigure) {
  std::vector<CheckedCase> cases(1);
  cases[0].first = disturbed_throughout(6);
  EXPECT_EQ(comparisons_of(cases), 0U);
  EXPECT_FALSE(cases[0].is_suspect());
  judge(cases);
  const CaseOutcome& outcome = cases[0].outcome;
  EXPECT_EQ(outcome.state, CaseState::kUnfit);
  EXPECT_EQ(outcome.reason, "the machine is not fit to compare on: 6 of 6 processes were disturbed while timing: steal");
  EXPECT_EQ(outcome.disturbed, 6);
  EXPECT_FALSE(outcome.comparison);
}

TEST(Judgement, AConfirmationOnAnUnfitMachineConfirmsNothing) {
  std::vector<CheckedCase> cases = {checked(0.05, std::nullopt)};
  cases[0].confirmation = disturbed_throughout(7);
  cases[0].unconfirmed_because = cases[0].confirmation->fitness().error().message;
  cases[0].instead = CaseState::kUnfit;
  judge(cases);
  EXPECT_EQ(cases[0].outcome.state, CaseState::kUnfit);
  EXPECT_EQ(cases[0].outcome.disturbed, 7);
  EXPECT_EQ(cases[0].outcome.q_value, 1);
  EXPECT_FALSE(cases[0].outcome.confirmation);
}

TEST(Judgement, CountsDiscardedProcessesAndUsesNone) {
  CheckedCase disturbed = checked(0, std::nullopt);
  disturbed.first->processes.front().disturbed = "steal";
  std::vector<CheckedCase> cases = {disturbed};
  judge(cases);
  EXPECT_EQ(cases[0].outcome.disturbed, 1);
  EXPECT_EQ(cases[0].outcome.log_ratios.size(), disturbed.first->processes.size() - 1);
}

}  // namespace
}  // namespace fuselab::engine
