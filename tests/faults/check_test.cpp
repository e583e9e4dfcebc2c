// SPDX-License-Identifier: Apache-2.0
// The performance gate on the synthetic device: every way in which a case can end, and what it does with a baseline that is
// missing, expired, somebody else's or changed.
#include "app/session/gate/check.h"

#include <fstream>
#include <iterator>

#include "app/session/gate/baseline_making.h"
#include "core/check/exit_decision.h"
#include "tests/faults/support/session_fixture.h"

namespace fuselab {
namespace {

using session::Baseline;

class Check : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    config_ = config_in(folder_);
    config_.synthetic = true;
  }

  // A fuselab.toml of one case, with these lines besides.
  session::CheckConfig cases(const std::string& more = "") const {
    auto parsed = session::parse_check_config(
        "[[case]]\nname = 'norm'\nsubject = 'w3'\nshape = 'rows=8,cols=16'\ndevices = '" + device_ + "'\n" + more, "fuselab.toml",
        folder_);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    return std::move(parsed).value();
  }
  std::filesystem::path file() const { return folder_ / "fuselab.baseline"; }

  void save(const std::string& more = "", int expires = 0) {
    session::BaselineSpec spec;
    spec.config = cases(more);
    spec.expires_after_days = expires;
    auto const made = session::save_baseline(config_, spec, file(), {}, {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    ASSERT_EQ(made.value().baseline.kernels.size(), 1U);
  }
  // Changes the file's content and signs it anew.
  template <typename Change>
  void edit(Change change) {
    db::Trust trust(config_.key_directory);
    auto read = session::read_baseline(file(), trust);
    ASSERT_TRUE(read.ok()) << read.error().message;
    change(read.value());
    ASSERT_TRUE(session::write_baseline(file(), read.value(), trust).ok());
  }

  CheckReport check(const std::string& more = "", double drill = 0) {
    session::CheckSpec spec;
    spec.config = cases(more);
    spec.baseline = file();
    spec.drill = drill;
    spec.reproduce = [](const std::string& name) { return "fuselab check --case " + name; };
    auto report = session::run_check(config_, spec, {}, {});
    EXPECT_TRUE(report.ok()) << report.error().message;
    return report.ok() ? std::move(report).value() : CheckReport();
  }
  CaseOutcome only(const CheckReport& report) {
    EXPECT_EQ(report.cases.size(), 1U);
    return report.cases.empty() ? CaseOutcome() : report.cases.front();
  }

  session::Config config_;
  std::string device_ = "null:0";
};

TEST_F(Check, MeasuresNothingOfTheVerySameKernel) {
  save();
  CheckReport const report = check();
  CaseOutcome const outcome = only(report);
  EXPECT_EQ(outcome.state, CaseState::kSame) << outcome.reason;
  EXPECT_FALSE(outcome.comparison);
  EXPECT_EQ(report.kernel_seconds, 0);
  EXPECT_EQ(outcome.where.line, 1);
  EXPECT_EQ(outcome.reproduce, "fuselab check --case norm");
}

TEST_F(Check, FindsARegressionAndAnImprovement) {
  save("config = 'a=0,b=0'\n");
  // Which of these is faster is the device's secret, but it is not the same.
  CaseOutcome const there = only(check("config = 'a=6,b=6'\n"));
  ASSERT_TRUE(there.state == CaseState::kRegressed || there.state == CaseState::kImproved) << name_of(there.state) << there.reason;
  ASSERT_TRUE(there.comparison && there.confirmation && there.baseline);
  EXPECT_EQ(there.baseline->kind, "paired");
  EXPECT_EQ(there.comparison->verdict, there.confirmation->verdict);
  save("config = 'a=6,b=6'\n");
  CaseOutcome const back = only(check("config = 'a=0,b=0'\n"));
  EXPECT_EQ(back.state, there.state == CaseState::kRegressed ? CaseState::kImproved : CaseState::kRegressed) << back.reason;
  EXPECT_NEAR(back.comparison->ratio * there.comparison->ratio, 1, 0.01);
}

TEST_F(Check, FindsADrill) {
  save();
  CheckReport report = check("", 0.05);
  CaseOutcome const outcome = only(report);
  EXPECT_EQ(outcome.state, CaseState::kRegressed) << name_of(outcome.state) << outcome.reason;
  ASSERT_TRUE(outcome.comparison);
  EXPECT_NEAR(outcome.comparison->ratio, 1.05, 0.01);
  EXPECT_EQ(exit_code_of(report, usual_fail_on()), 1);
}

TEST_F(Check, SaysHowACandidateFails) {
  device_ = "null:1";  // which can fail in every way
  save();
  CaseOutcome const wrong = only(check("config = 'fault=wrong'\n"));
  EXPECT_EQ(wrong.state, CaseState::kWrongResult) << wrong.reason;
  CaseOutcome const crash = only(check("config = 'fault=crash'\n"));
  EXPECT_EQ(crash.state, CaseState::kFailed) << crash.reason;
  EXPECT_EQ(crash.reason.rfind("candidate: crashed", 0), 0U) << crash.reason;
  CaseOutcome const broken = only(check("config = 'fault=compile-error'\n"));
  EXPECT_EQ(broken.state, CaseState::kFailed) << broken.reason;
  CaseOutcome const nonsense = only(check("config = 'threads=3'\n"));
  EXPECT_EQ(nonsense.state, CaseState::kMisconfigured) << nonsense.reason;
}

TEST_F(Check, ABaselineThatFailsHereIsNoRegression) {
  save();
  edit([](Baseline& baseline) { baseline.kernels[0].kernel.binary.data.clear(); });
  CaseOutcome const outcome = only(check("config = 'a=6,b=6'\n"));
  EXPECT_EQ(outcome.state, CaseState::kNoBaseline) << name_of(outcome.state) << ": " << outcome.reason;
}

TEST_F(Check, SaysWhyThereIsNoBaseline) {
  CheckReport missing = check();
  EXPECT_EQ(only(missing).state, CaseState::kNoBaseline);
  EXPECT_NE(only(missing).reason.find("fuselab.baseline is not there"), std::string::npos) << only(missing).reason;
  EXPECT_EQ(exit_code_of(missing, usual_fail_on()), 5);
  save("", 1);
  EXPECT_EQ(only(check()).state, CaseState::kSame);
  edit([](Baseline& baseline) { baseline.expires_at = "2026-01-01T00:00:00Z"; });
  EXPECT_NE(only(check()).reason.find("expired on 2026-01-01"), std::string::npos) << only(check()).reason;
  save();
  auto const another = session::parse_check_config(
      "[[case]]\nname = 'norm'\nsubject = 'w3'\nshape = 'rows=8,cols=32'\ndevices = 'null:0'\n", "fuselab.toml", folder_);
  session::CheckSpec spec;
  spec.config = another.value();
  spec.baseline = file();
  auto const report = session::run_check(config_, spec, {}, {});
  ASSERT_TRUE(report.ok());
  EXPECT_NE(only(report.value()).reason.find("knows this case as another graph"), std::string::npos) << only(report.value()).reason;
}

TEST_F(Check, NeverRunsAStrangersBinary) {
  save();
  std::filesystem::rename(config_.key_directory, folder_ / "stranger");
  CaseOutcome const outcome = only(check("config = 'a=6,b=6'\n"));
  EXPECT_EQ(outcome.state, CaseState::kNoBaseline);
  EXPECT_NE(outcome.reason.find("whom you do not trust"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("fuselab trust add \"fuselab-ed25519 "), std::string::npos) << outcome.reason;
}

TEST_F(Check, RefusesAFileThatSomebodyChanged) {
  save();
  std::string text;
  {
    std::ifstream stream(file(), std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(stream), {});
  }
  std::size_t const signature = text.find(' ', text.find(' ') + 1) + 1;
  text[signature] = text[signature] == '0' ? '1' : '0';
  std::ofstream(file(), std::ios::binary | std::ios::trunc) << text;
  session::CheckSpec spec;
  spec.config = cases();
  spec.baseline = file();
  auto const report = session::run_check(config_, spec, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(report.error().message.find("somebody changed it"), std::string::npos) << report.error().message;
}

TEST_F(Check, ADeviceThatIsNotThereIsNoFaultOfTheCode) {
  save();
  session::CheckSpec spec;
  spec.config = cases();
  spec.baseline = file();
  spec.devices = {"cuda:7"};
  auto const report = session::run_check(config_, spec, {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(only(report.value()).state, CaseState::kUnfit) << only(report.value()).reason;
}

TEST_F(Check, NamesTheCasesThatThereAre) {
  session::CheckSpec spec;
  spec.config = cases();
  spec.cases = {"nosuch"};
  auto const report = session::run_check(config_, spec, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "there is no case 'nosuch'; there are norm");
}

TEST_F(Check, LeavesAnothersFileAlone) {
  std::ofstream(file()) << "my notes";
  session::BaselineSpec spec;
  spec.config = cases();
  auto const made = session::save_baseline(config_, spec, file(), {}, {});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
  std::ifstream stream(file());
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "my notes");
}

}  // namespace
}  // namespace fuselab
