// SPDX-License-Identifier: Apache-2.0
// The performance gate on a device that is in trouble itself, whatever it runs: the machine's fault, with what shows it.
#include <cstdlib>
#include <stop_token>

#include "app/gate/check/check_record.h"
#include "core/gate/exit_decision.h"
#include "tests/faults/support/check_fixture.h"

namespace fuselab {
namespace {

class CheckInTrouble : public Check {
 protected:
  void TearDown() override {
    unsetenv("FUSELAB_NULL_TROUBLE");
    Check::TearDown();
  }
  // Of processes that are started from here on.
  static void trouble(const char* what) { setenv("FUSELAB_NULL_TROUBLE", what, 1); }

  engine::CheckSpec drill_spec() const {
    engine::CheckSpec spec = spec_of();
    spec.drill = 0.05;
    return spec;
  }
};

TEST_F(CheckInTrouble, ADisturbedMachineIsUnfitAndItsEvidenceIsKept) {
  save();
  trouble("throttled");
  auto run = engine::run_check(config_, drill_spec(), {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  const std::filesystem::path record = folder_ / "check.jsonl", again = folder_ / "again.jsonl";
  ASSERT_TRUE(engine::write_check_record(record, run.value()).ok());
  const CheckReport report = engine::report_of(std::move(run).value());
  const CaseOutcome outcome = only(report);
  EXPECT_EQ(outcome.state, CaseState::kUnfit) << name_of(outcome.state) << ": " << outcome.reason;
  EXPECT_EQ(outcome.reason.rfind("the machine is not fit to compare on: 6 of 6 processes were disturbed while timing: ", 0), 0U)
      << outcome.reason;
  EXPECT_NE(outcome.reason.find("the device was throttled: thermal slowdown by the hardware"), std::string::npos) << outcome.reason;
  EXPECT_EQ(outcome.disturbed, 6);
  EXPECT_FALSE(outcome.comparison);
  EXPECT_EQ(report.exit_code, 6);
  const auto read = engine::read_check_record(record);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read.value().cases[0].first);
  EXPECT_EQ(read.value().cases[0].first->processes.size(), 6U);
  EXPECT_FALSE(read.value().cases[0].first->processes[0].samples.candidate.empty());
  ASSERT_TRUE(engine::write_check_record(again, read.value()).ok());
  EXPECT_EQ(text_of(record), text_of(again)) << "byte for byte";
}

// "Every null device" does not pass without one that was there when the baseline was saved.
TEST_F(CheckInTrouble, ADeviceThatTheBaselineWasSavedOnAndIsGoneIsNotPassedOver) {
  save();
  edit([](engine::Baseline& baseline) {
    baseline.kernels.push_back(baseline.kernels.front());
    baseline.kernels.back().device_id = "null:9";
  });
  engine::CheckSpec spec = spec_of();
  spec.config.cases.front().devices = {"null"};
  const CheckReport report = check(spec);
  ASSERT_EQ(report.cases.size(), 3U) << "both that are here, and the one that is not";
  EXPECT_EQ(report.cases[0].state, CaseState::kSame) << report.cases[0].reason;
  EXPECT_EQ(report.cases[1].state, CaseState::kSame) << report.cases[1].reason;
  EXPECT_EQ(report.cases[2].state, CaseState::kUnfit);
  EXPECT_EQ(report.cases[2].device, "null:9");
  EXPECT_NE(report.cases[2].reason.find("null:9, which the baseline was saved on, is not here"), std::string::npos);
  EXPECT_EQ(report.exit_code, 6);
  spec.devices = {"null:0"};  // of the others whoever asks so wants nothing
  EXPECT_EQ(check(spec).cases.size(), 1U);
}

// What no clock gives is no fault of a kernel; what was measured stays in the record.
TEST_F(CheckInTrouble, AClockThatGoesBackwardsIsUnfitAndItsEvidenceIsKept) {
  save();
  trouble("clock");
  auto run = engine::run_check(config_, drill_spec(), {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  const std::filesystem::path record = folder_ / "check.jsonl", again = folder_ / "again.jsonl";
  ASSERT_TRUE(engine::write_check_record(record, run.value()).ok());
  const CheckReport report = engine::report_of(std::move(run).value());
  const CaseOutcome outcome = only(report);
  EXPECT_EQ(outcome.state, CaseState::kUnfit) << name_of(outcome.state) << ": " << outcome.reason;
  EXPECT_NE(outcome.reason.find("6 of 6 processes were disturbed while timing: a sample of -"), std::string::npos)
      << outcome.reason;
  EXPECT_NE(outcome.reason.find(" ns, which no clock gives"), std::string::npos) << outcome.reason;
  EXPECT_EQ(report.exit_code, 6);
  const auto read = engine::read_check_record(record);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().cases[0].first->processes.size(), 6U);
  ASSERT_TRUE(engine::write_check_record(again, read.value()).ok());
  EXPECT_EQ(text_of(record), text_of(again)) << "byte for byte";
}

TEST_F(CheckInTrouble, ADeviceThatIsLostIsNoFaultOfTheCandidate) {
  save();
  trouble("lost");
  const CheckReport report = check(drill_spec());
  const CaseOutcome outcome = only(report);
  EXPECT_EQ(outcome.state, CaseState::kUnfit) << name_of(outcome.state) << ": " << outcome.reason;
  EXPECT_EQ(outcome.reason.rfind("null:0 is lost: it runs neither kernel any more; candidate: crashed: worker", 0), 0U)
      << outcome.reason;
  EXPECT_NE(outcome.reason.find("its last words: scripted: the device is lost"), std::string::npos) << outcome.reason;
  EXPECT_EQ(report.exit_code, 6);
}

// What was measured by then is not lost, and what was not is told.
TEST_F(CheckInTrouble, AnInterruptedRunKeepsWhatItHasAndDoesNotPass) {
  const std::string second = "[[case]]\nname = 'two'\nsubject = 'w3'\nshape = 'rows=8,cols=32'\ndevices = 'null:0'\n";
  engine::BaselineSpec saved;
  saved.config = cases(second);
  ASSERT_TRUE(engine::save_baseline(config_, saved, file(), {}, {}).ok());
  engine::CheckSpec spec = spec_of(second);
  spec.drill = 0.05;
  std::stop_source stop;
  auto run = engine::run_check(
      config_, spec, [&](const CaseOutcome&, std::size_t) { stop.request_stop(); }, stop.get_token());
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_TRUE(run.value().interrupted);
  run.value().fail_on = {CaseState::kWrongResult};
  const std::filesystem::path record = folder_ / "check.jsonl";
  ASSERT_TRUE(engine::write_check_record(record, run.value()).ok());
  const CheckReport report = engine::report_of(std::move(run).value());
  ASSERT_EQ(report.cases.size(), 2U);
  EXPECT_TRUE(report.cases[0].comparison) << "measured before it was interrupted";
  EXPECT_EQ(report.cases[0].state, CaseState::kInconclusive);
  EXPECT_EQ(report.cases[0].reason, "called regressed, and could not be confirmed: cancelled");
  EXPECT_EQ(report.cases[1].name, "two");
  EXPECT_EQ(report.cases[1].state, CaseState::kInconclusive);
  EXPECT_EQ(report.cases[1].reason, "the run was interrupted before it was compared");
  EXPECT_EQ(report.exit_code, 4) << "though neither end counts";
  const auto again = engine::read_check_record(record);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(engine::exit_code_of(again.value()), 4);
}

// It still runs the other one.
TEST_F(CheckInTrouble, AKernelThatFailsOnASoundDeviceIsItsOwnFault) {
  device_ = "null:1";
  save();
  EXPECT_EQ(only(check("config = 'fault=launch-error'\n")).state, CaseState::kFailed);
  edit([](engine::Baseline& baseline) { baseline.kernels[0].kernel.binary.data.resize(10); });
  EXPECT_EQ(only(check("config = 'a=6,b=6'\n")).state, CaseState::kNoBaseline);
}

}  // namespace
}  // namespace fuselab
