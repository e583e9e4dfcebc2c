// SPDX-License-Identifier: Apache-2.0
// What a verdict of the gate stands on other than a paired replay: times of earlier sessions, a file that ends one day, another
// machine's times; and everything that such a baseline may lack.
#include <fstream>

#include "app/gate/check/check_record.h"
#include "core/gate/exit_decision.h"
#include "tests/faults/support/check_fixture.h"

namespace fuselab {
namespace {

using engine::Baseline;
using engine::BaselineMode;
using engine::TimingRun;

class BaselineModes : public Check {
 protected:
  void save_slow() { save("config = 'a=0,b=0'\n"); }
  CheckReport check_as(BaselineMode mode, const std::string& more = "config = 'a=6,b=6'\n", bool cross_machine = false) {
    engine::CheckSpec spec = spec_of(more);
    spec.baseline_mode = mode;
    spec.cross_machine = cross_machine;
    return check(spec);
  }
  // As if it had been saved long ago, and extended on other days: every session a little apart.
  void have_sessions(std::size_t count) {
    edit([&](Baseline& baseline) {
      auto& sessions = baseline.kernels[0].sessions;
      ASSERT_EQ(sessions.size(), 1U);
      sessions[0].at = "2025-11-20T00:00:00Z";
      for (std::size_t i = 1; i < count; ++i) {
        TimingRun another = sessions[0];
        another.at = "2025-11-2" + std::to_string(i) + "T00:00:00Z";
        for (std::vector<double>& process : another.processes) {
          for (double& sample : process) sample *= 1 + 0.001 * static_cast<double>(i);
        }
        sessions.push_back(another);
      }
    });
  }
};

TEST_F(BaselineModes, ASavedKernelKeepsTenProcessesAndTheirMachine) {
  save_slow();
  const auto read = engine::load_baseline(config_, file());
  ASSERT_TRUE(read.ok()) << read.error().message;
  const TimingRun& kept = read.value().kernels[0].sessions.at(0);
  EXPECT_TRUE(kept.is_whole());
  EXPECT_TRUE(engine::is_known(kept.machine));
  EXPECT_EQ(kept.machine.device_uuid, read.value().kernels[0].device_uuid);
}

TEST_F(BaselineModes, OneSessionIsLookedAtAndSaysNothing) {
  save_slow();
  const CheckReport report = check_as(BaselineMode::kHistorical);
  const CaseOutcome outcome = only(report);
  EXPECT_EQ(outcome.state, CaseState::kInsensitive) << outcome.reason;
  EXPECT_NE(outcome.reason.find("of one session it is not known"), std::string::npos) << outcome.reason;
  ASSERT_TRUE(outcome.comparison && outcome.baseline);
  EXPECT_EQ(outcome.baseline->kind, "historical");
  EXPECT_NE(outcome.baseline->note.find("1 session of "), std::string::npos) << outcome.baseline->note;
  EXPECT_NE(outcome.baseline->note.find("not run again"), std::string::npos) << outcome.baseline->note;
  EXPECT_EQ(exit_code_of(report, usual_fail_on()), 4);
  EXPECT_EQ(only(check_as(BaselineMode::kHistorical, "config = 'a=0,b=0'\n")).state, CaseState::kSame) << "nothing to measure";
}

// What is held against stored times needs the baseline's machine code for nothing.
TEST_F(BaselineModes, HistoricalFindsAChangeWithoutRunningTheBaselineAndSaysTheSameAgain) {
  save_slow();
  const CaseOutcome paired = only(check("config = 'a=6,b=6'\n"));
  ASSERT_TRUE(paired.comparison) << paired.reason;
  have_sessions(6);
  edit([](Baseline& baseline) { baseline.kernels[0].kernel.binary.data.resize(10); });
  engine::CheckSpec spec = spec_of("config = 'a=6,b=6'\n");
  spec.baseline_mode = BaselineMode::kHistorical;
  auto run = engine::run_check(config_, spec, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  const std::filesystem::path record = folder_ / "check.jsonl", again = folder_ / "again.jsonl";
  ASSERT_TRUE(engine::write_check_record(record, run.value()).ok());
  const CaseOutcome outcome = only(engine::report_of(std::move(run).value()));
  EXPECT_EQ(outcome.state, paired.state) << name_of(outcome.state) << ": " << outcome.reason;
  ASSERT_TRUE(outcome.comparison && outcome.confirmation);
  EXPECT_NEAR(outcome.comparison->ratio / paired.comparison->ratio, 1, 0.01);
  EXPECT_EQ(outcome.comparison->processes, kTimingRunProcesses);
  EXPECT_NE(outcome.baseline->note.find("6 sessions of "), std::string::npos) << outcome.baseline->note;
  auto retold = engine::read_check_record(record);
  ASSERT_TRUE(retold.ok()) << retold.error().message;
  ASSERT_TRUE(engine::write_check_record(again, retold.value()).ok());
  EXPECT_EQ(text_of(record), text_of(again)) << "byte for byte";
  const CaseOutcome second = only(engine::report_of(std::move(retold).value()));
  EXPECT_EQ(second.state, outcome.state);
  EXPECT_EQ(second.comparison->interval.low, outcome.comparison->interval.low);
  EXPECT_EQ(second.confirmation->p_improved, outcome.confirmation->p_improved);
  EXPECT_EQ(second.baseline_ns, outcome.baseline_ns);
  EXPECT_EQ(second.baseline->note, outcome.baseline->note);
  // Sessions that somebody moved say something else than the record.
  std::string forged = text_of(record);
  const std::size_t past = forged.find("\"past\":[[[") + 10;
  forged.replace(past, forged.find(',', past) - past, "-1");
  std::ofstream(record, std::ios::trunc) << forged;
  const auto refused = engine::read_check_record(record);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("check.jsonl:2: sample 0 is -1"), std::string::npos) << refused.error().message;
}

TEST_F(BaselineModes, AnotherMachinesTimesAreNoBaselineUnlessAskedForAndDecideNothing) {
  save_slow();
  have_sessions(3);
  edit([](Baseline& baseline) {
    for (TimingRun& each : baseline.kernels[0].sessions) each.machine.microcode = "0xbad";
  });
  const CheckReport report = check_as(BaselineMode::kHistorical);
  EXPECT_EQ(only(report).state, CaseState::kNoBaseline);
  EXPECT_NE(only(report).reason.find("its times were taken elsewhere: microcode 0xbad, here "), std::string::npos)
      << only(report).reason;
  EXPECT_EQ(exit_code_of(report, usual_fail_on()), 5);
  EXPECT_FALSE(only(report).comparison) << "nothing was measured";
  const CheckReport across = check_as(BaselineMode::kHistorical, "config = 'a=6,b=6'\n", true);
  const CaseOutcome outcome = only(across);
  EXPECT_EQ(outcome.state, CaseState::kInsensitive) << outcome.reason;
  EXPECT_TRUE(outcome.comparison);
  EXPECT_TRUE(outcome.baseline->other_machine);
  EXPECT_NE(outcome.baseline->note.find("taken elsewhere: microcode 0xbad"), std::string::npos) << outcome.baseline->note;
  EXPECT_EQ(exit_code_of(across, usual_fail_on()), 4);
  // A paired replay runs both here: it is for all machines.
  EXPECT_NE(only(check("config = 'a=6,b=6'\n")).state, CaseState::kNoBaseline);
}

TEST_F(BaselineModes, TooFewProcessesAndStrangersTimesAreNoBaseline) {
  save_slow();
  edit([](Baseline& baseline) { baseline.kernels[0].sessions[0].processes.resize(9); });
  const CaseOutcome few = only(check_as(BaselineMode::kHistorical));
  EXPECT_EQ(few.state, CaseState::kNoBaseline);
  EXPECT_NE(few.reason.find("its times are of 9 processes, and it takes 10"), std::string::npos) << few.reason;
  edit([](Baseline& baseline) { baseline.kernels[0].sessions.clear(); });
  EXPECT_NE(only(check_as(BaselineMode::kHistorical)).reason.find("keeps no times of this kernel"), std::string::npos);
  std::filesystem::rename(config_.key_directory, folder_ / "stranger");
  const CaseOutcome foreign = only(check_as(BaselineMode::kHistorical));
  EXPECT_EQ(foreign.state, CaseState::kUntrusted);
  EXPECT_NE(foreign.reason.find("whom you do not trust"), std::string::npos) << foreign.reason;
  std::filesystem::remove(file());
  EXPECT_NE(only(check_as(BaselineMode::kHistorical)).reason.find("is not there"), std::string::npos);
}

TEST_F(BaselineModes, AGoldenFileSaysWhenItEnds) {
  save_slow();
  const CheckReport endless = check_as(BaselineMode::kGolden);
  EXPECT_EQ(only(endless).state, CaseState::kNoBaseline);
  EXPECT_NE(only(endless).reason.find("never expires, and a golden baseline must: save it with --expires"), std::string::npos);
  EXPECT_EQ(exit_code_of(endless, usual_fail_on()), 5);
  save("config = 'a=0,b=0'\n", 30);
  const CaseOutcome golden = only(check_as(BaselineMode::kGolden));
  ASSERT_TRUE(golden.comparison && golden.baseline) << golden.reason;
  EXPECT_GT(golden.comparison->pairs, 0) << "both ran";
  EXPECT_EQ(golden.baseline->kind, "golden");
  EXPECT_NE(golden.baseline->note.find(" old, "), std::string::npos) << golden.baseline->note;
  EXPECT_NE(golden.baseline->note.find(" days left"), std::string::npos) << golden.baseline->note;
  edit([](Baseline& baseline) { baseline.expires_at = "2026-01-01T00:00:00Z"; });
  const CheckReport over = check_as(BaselineMode::kGolden);
  EXPECT_NE(only(over).reason.find("expired on 2026-01-01; save it anew"), std::string::npos) << only(over).reason;
  EXPECT_EQ(exit_code_of(over, usual_fail_on()), 5);
}

// Whatever day it is, such a clock says that the file has not expired.
TEST_F(BaselineModes, AClockThatIsBehindKeepsNoFileAlive) {
  save("config = 'a=0,b=0'\n", 30);
  const auto saved_later = [&](int days) {
    edit([&](Baseline& baseline) {
      baseline.saved_at = engine::utc_now(days);
      baseline.expires_at = engine::utc_now(days + 30);
    });
    return check_as(BaselineMode::kGolden);
  };
  const CheckReport behind = saved_later(3);
  EXPECT_EQ(only(behind).state, CaseState::kExpired);
  EXPECT_NE(only(behind).reason.find("was saved after what this machine's clock says: whether it has expired is not known"),
            std::string::npos)
      << only(behind).reason;
  EXPECT_EQ(exit_code_of(behind, usual_fail_on()), 5);
  EXPECT_NE(only(saved_later(1)).state, CaseState::kNoBaseline) << "two clocks differ a little";
}

TEST_F(BaselineModes, ExtendingAddsASessionOfThisMachineAlone) {
  save_slow();
  const auto extended = engine::extend_baseline(config_, file(), {}, {});
  ASSERT_TRUE(extended.ok()) << extended.error().message;
  const auto read = engine::load_baseline(config_, file());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().kernels[0].sessions.size(), 2U);
  EXPECT_TRUE(read.value().kernels[0].sessions[1].is_whole());
  EXPECT_TRUE(read.value().trusted);
  EXPECT_EQ(read.value().saved_at, extended.value().baseline.saved_at) << "still the kernels of that day";
  edit([](Baseline& baseline) { baseline.kernels[0].sessions.back().machine.os_kernel = "Linux 2.4"; });
  const std::string before = text_of(file());
  const auto elsewhere = engine::extend_baseline(config_, file(), {}, {});
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_NE(elsewhere.error().message.find("its times were taken elsewhere: operating system Linux 2.4"), std::string::npos)
      << elsewhere.error().message;
  EXPECT_EQ(text_of(file()), before) << "as it was";
  std::filesystem::rename(config_.key_directory, folder_ / "stranger");
  const auto strangers = engine::extend_baseline(config_, file(), {}, {});
  ASSERT_FALSE(strangers.ok());
  EXPECT_EQ(strangers.error().code, ErrorCode::kUntrusted);
  EXPECT_EQ(text_of(file()), before);
}

// Its case's budget goes with a kernel, and a kernel that was never timed still knows its device.
TEST_F(BaselineModes, ExtendingTimesAKernelForItsOwnBudgetOnItsOwnDevice) {
  save("config = 'a=0,b=0'\nbudget = 0.5\n");
  EXPECT_EQ(engine::load_baseline(config_, file()).value().kernels[0].budget.seconds(), 0.5);
  edit([](Baseline& baseline) { baseline.kernels[0].sessions.clear(); });
  const auto first = engine::extend_baseline(config_, file(), {}, {});
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(first.value().baseline.kernels[0].sessions.size(), 1U);
  EXPECT_EQ(first.value().baseline.kernels[0].budget.seconds(), 0.5);
  edit([](Baseline& baseline) {
    baseline.kernels[0].sessions.clear();
    baseline.kernels[0].device_uuid = "another";
  });
  const auto elsewhere = engine::extend_baseline(config_, file(), {}, {});
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_NE(elsewhere.error().message.find("it was saved on another device than this null:0"), std::string::npos)
      << elsewhere.error().message;
}

TEST_F(BaselineModes, ADrillIsFoundBesideSessionsAsWell) {
  save_slow();
  have_sessions(6);
  engine::CheckSpec spec = spec_of("config = 'a=0,b=0'\n");
  spec.baseline_mode = BaselineMode::kHistorical;
  spec.drill = 0.2;
  const CaseOutcome outcome = only(check(spec));
  EXPECT_EQ(outcome.state, CaseState::kRegressed) << name_of(outcome.state) << ": " << outcome.reason;
  ASSERT_TRUE(outcome.comparison);
  EXPECT_NEAR(outcome.comparison->ratio, 1.2, 0.03);
}

}  // namespace
}  // namespace fuselab
