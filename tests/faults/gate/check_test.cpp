// SPDX-License-Identifier: Apache-2.0
// The performance gate on the synthetic device: every way in which a case can end, and what it does with a baseline that is
// missing, expired, somebody else's or changed.
#include "app/gate/check/check.h"

#include <fstream>
#include <thread>

#include "app/gate/baseline/baseline_making.h"
#include "app/gate/check/check_record.h"
#include "core/gate/exit_decision.h"
#include "tests/faults/support/check_fixture.h"

namespace fuselab {
namespace {

using engine::Baseline;
using engine::BaselineKernel;

TEST_F(Check, MeasuresNothingOfTheVerySameKernel) {
  save();
  const CheckReport report = check();
  const CaseOutcome outcome = only(report);
  EXPECT_EQ(outcome.state, CaseState::kSame) << outcome.reason;
  EXPECT_FALSE(outcome.comparison);
  EXPECT_EQ(report.kernel_seconds, 0);
  EXPECT_EQ(outcome.where.line, 1);
  EXPECT_EQ(outcome.reproduce, "fuselab check --case norm");
}

TEST_F(Check, FindsARegressionAndAnImprovement) {
  save("config = 'a=0,b=0'\n");
  // Which of these is faster is the device's secret, but it is not the same.
  const CaseOutcome there = only(check("config = 'a=6,b=6'\n"));
  ASSERT_TRUE(there.state == CaseState::kRegressed || there.state == CaseState::kImproved) << name_of(there.state) << there.reason;
  ASSERT_TRUE(there.comparison && there.confirmation && there.baseline);
  EXPECT_EQ(there.baseline->kind, "paired");
  EXPECT_EQ(there.comparison->verdict, there.confirmation->verdict);
  save("config = 'a=6,b=6'\n");
  const CaseOutcome back = only(check("config = 'a=0,b=0'\n"));
  EXPECT_EQ(back.state, there.state == CaseState::kRegressed ? CaseState::kImproved : CaseState::kRegressed) << back.reason;
  EXPECT_NEAR(back.comparison->ratio * there.comparison->ratio, 1, 0.01);
}

TEST_F(Check, DrillsSingleCasesAndMarksThem) {
  const std::string two = "[[case]]\nname = 'two'\nsubject = 'w5'\nshape = 'rows=8,cols=16'\ndevices = '" + device_ + "'\n";
  engine::CheckSpec spec = spec_of(two);
  engine::BaselineSpec saved;
  saved.config = spec.config;
  ASSERT_TRUE(engine::save_baseline(config_, saved, file(), {}, {}).ok());
  spec.drills = {{"two", 0.05}};
  const CheckReport report = check(spec);
  ASSERT_EQ(report.cases.size(), 2U);
  EXPECT_EQ(report.cases[0].state, CaseState::kSame) << report.cases[0].reason;
  EXPECT_EQ(report.cases[0].drill, 0);
  EXPECT_EQ(report.cases[1].state, CaseState::kRegressed) << report.cases[1].reason;
  EXPECT_EQ(report.cases[1].drill, 0.05);
  spec.drill = 0.1;
  EXPECT_EQ(check(spec).cases[0].drill, 0.1) << "those that are not named get the common one";
  spec.drills = {{"nosuch", 0.05}};
  const auto refused = engine::run_check(config_, spec, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "there is no case 'nosuch'; there are norm, two");
}

// Identical code is compared all the same, and no baseline is needed for it.
TEST_F(Check, ANullControlComparesACaseWithItself) {
  engine::CheckSpec spec = spec_of();
  spec.null_control = true;
  auto run = engine::run_check(config_, spec, {}, {});
  ASSERT_TRUE(run.ok()) << run.error().message;
  const std::filesystem::path record = folder_ / "check.jsonl";
  ASSERT_TRUE(engine::write_check_record(record, run.value()).ok());
  const CaseOutcome outcome = only(engine::report_of(std::move(run).value()));
  ASSERT_TRUE(outcome.comparison) << name_of(outcome.state) << ": " << outcome.reason;
  EXPECT_EQ(outcome.state, CaseState::kEquivalent) << outcome.reason;
  EXPECT_TRUE(outcome.null_control);
  EXPECT_EQ(outcome.baseline->origin, "itself, as a null control");
  spec.drills = {{"norm", 0.05}};
  const CaseOutcome drilled = only(check(spec));
  EXPECT_EQ(drilled.state, CaseState::kRegressed) << drilled.reason;
  EXPECT_EQ(drilled.drill, 0.05);
  auto again = engine::read_check_record(record);
  ASSERT_TRUE(again.ok()) << again.error().message;
  const CaseOutcome kept = only(engine::report_of(std::move(again).value()));
  EXPECT_TRUE(kept.null_control);
  EXPECT_EQ(kept.detect, 0.05);
}

TEST_F(Check, TwoCasesOfOneGraphHaveTheirOwnBaselines) {
  const std::string two = "config = 'a=0,b=0'\n[[case]]\nname = 'two'\nsubject = 'w3'\nshape = 'rows=8,cols=16'\ndevices = '" +
                          device_ + "'\nconfig = 'a=6,b=6'\n";
  engine::BaselineSpec spec;
  spec.config = cases(two);
  ASSERT_TRUE(engine::save_baseline(config_, spec, file(), {}, {}).ok());
  const CheckReport report = check(two);
  ASSERT_EQ(report.cases.size(), 2U);
  for (const CaseOutcome& outcome : report.cases) EXPECT_EQ(outcome.state, CaseState::kSame) << outcome.name << outcome.reason;
}

// Two cases of one graph differ in their configurations; another device's kernel is one of the same case, and that is said.
TEST_F(Check, TakesNoOtherCasesKernelAndNamesAnotherDevices) {
  save("config = 'a=6,b=6'\n");
  engine::CheckSpec renamed = spec_of();
  renamed.config.cases[0].name = "added";
  const CaseOutcome added = only(check(renamed));
  EXPECT_EQ(added.state, CaseState::kRenamed) << name_of(added.state);
  EXPECT_NE(
      added.reason.find(" has no kernel of this case for null, and one of the same graph for case 'norm', which is gone: was it "
                        "renamed?"),
      std::string::npos)
      << added.reason;
  EXPECT_FALSE(added.baseline);
  edit([](Baseline& baseline) { baseline.kernels[0].device_id = "null:1"; });
  const CaseOutcome moved = only(check("config = 'a=0,b=0'\n"));
  ASSERT_TRUE(moved.comparison && moved.baseline) << name_of(moved.state) << moved.reason;
  EXPECT_EQ(moved.baseline->note, "saved on null:1");
  EXPECT_EQ(moved.baseline->configuration, "a=6,b=6,fault=none");
  EXPECT_EQ(moved.configuration, "fuselab.toml: a=0,b=0,fault=none");
}

TEST_F(Check, FindsADrill) {
  save();
  CheckReport report = check("", 0.05);
  const CaseOutcome outcome = only(report);
  EXPECT_EQ(outcome.state, CaseState::kRegressed) << name_of(outcome.state) << outcome.reason;
  ASSERT_TRUE(outcome.comparison);
  EXPECT_NEAR(outcome.comparison->ratio, 1.05, 0.01);
  EXPECT_EQ(exit_code_of(report, usual_fail_on()), 1);
}

TEST_F(Check, SaysHowACandidateFails) {
  device_ = "null:1";  // which can fail in every way
  save();
  const CaseOutcome wrong = only(check("config = 'fault=wrong'\n"));
  EXPECT_EQ(wrong.state, CaseState::kWrongResult) << wrong.reason;
  const CaseOutcome crash = only(check("config = 'fault=crash'\n"));
  EXPECT_EQ(crash.state, CaseState::kFailed) << crash.reason;
  EXPECT_EQ(crash.reason.rfind("candidate: crashed", 0), 0U) << crash.reason;
  const CaseOutcome broken = only(check("config = 'fault=compile-error'\n"));
  EXPECT_EQ(broken.state, CaseState::kFailed) << broken.reason;
  const CaseOutcome nonsense = only(check("config = 'threads=3'\n"));
  EXPECT_EQ(nonsense.state, CaseState::kMisconfigured) << nonsense.reason;
}

TEST_F(Check, ABaselineThatFailsHereIsNoRegression) {
  save();
  edit([](Baseline& baseline) { baseline.kernels[0].kernel.binary.data.resize(10); });
  const CaseOutcome outcome = only(check("config = 'a=6,b=6'\n"));
  EXPECT_EQ(outcome.state, CaseState::kNoBaseline) << name_of(outcome.state) << ": " << outcome.reason;
}

// A pull request that adds a case passes; what it changed of the other cases is judged as before.
TEST_F(Check, ACaseThatTheBaselineNeverHadIsNew) {
  save("config = 'a=0,b=0'\n");
  const CheckReport report = check(
      "config = 'a=0,b=0'\n[[case]]\nname = 'added'\nsubject = 'w5'\nshape = 'rows=8,cols=16'\ndevices = '" + device_ + "'\n");
  ASSERT_EQ(report.cases.size(), 2U);
  EXPECT_EQ(report.cases[0].state, CaseState::kSame) << report.cases[0].reason;
  EXPECT_EQ(report.cases[1].state, CaseState::kNew) << name_of(report.cases[1].state) << report.cases[1].reason;
  EXPECT_EQ(exit_code_of(report, usual_fail_on()), 0);
  EXPECT_EQ(exit_code_of(report, {CaseState::kNew}), 5);
}

TEST_F(Check, SaysWhyThereIsNoBaseline) {
  CheckReport missing = check();
  EXPECT_EQ(only(missing).state, CaseState::kNoBaseline);
  EXPECT_NE(only(missing).reason.find("fuselab.baseline is not there"), std::string::npos) << only(missing).reason;
  EXPECT_EQ(exit_code_of(missing, usual_fail_on()), 5);
  save("", 1);
  EXPECT_EQ(only(check()).state, CaseState::kSame);
  edit([](Baseline& baseline) { baseline.expires_at = "2026-01-01T00:00:00Z"; });
  EXPECT_EQ(only(check()).state, CaseState::kExpired);
  EXPECT_EQ(exit_code_of(check(), usual_fail_on()), 5);
  EXPECT_NE(only(check()).reason.find("expired on 2026-01-01"), std::string::npos) << only(check()).reason;
  save();
  const auto another = engine::parse_check_config(
      "[[case]]\nname = 'norm'\nsubject = 'w3'\nshape = 'rows=8,cols=32'\ndevices = 'null:0'\n", "fuselab.toml", folder_);
  engine::CheckSpec spec;
  spec.config = another.value();
  spec.baseline = file();
  const auto report = engine::run_check(config_, spec, {}, {});
  ASSERT_TRUE(report.ok());
  const CaseOutcome outcome = only(engine::report_of(report.value()));
  EXPECT_NE(outcome.reason.find("knows this case as another graph"), std::string::npos) << outcome.reason;
}

TEST_F(Check, NamesTheBaselinesKernelsThatNoCaseAsksFor) {
  const auto unused = [&] {
    std::string named = "(none)";
    for (const auto& [name, value] : check().environment) {
      if (name == kUnusedKernels) named = value;
    }
    return named;
  };
  save();
  EXPECT_EQ(unused(), "(none)");
  edit([](Baseline& baseline) {
    BaselineKernel other = baseline.kernels.front();
    other.case_name = "renamed";
    baseline.kernels.push_back(other);
  });
  EXPECT_EQ(unused(), "renamed on null:0");
}

// Not even as what today's kernels are the same as: whoever may commit a file could pass the gate with it.
TEST_F(Check, AStrangersFileIsNoBaseline) {
  save();
  std::filesystem::rename(config_.key_directory, folder_ / "stranger");
  const CaseOutcome outcome = only(check());
  EXPECT_EQ(outcome.state, CaseState::kUntrusted);
  EXPECT_NE(outcome.reason.find("whom you do not trust"), std::string::npos) << outcome.reason;
  EXPECT_NE(outcome.reason.find("fuselab trust add \"fuselab-ed25519 "), std::string::npos) << outcome.reason;
}

TEST_F(Check, TheSameCodeOnMoreThreadsIsAnotherKernel) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor has no second thread";
  device_ = "cpu:0";
  save("config = 'threads=1'\n");
  const CaseOutcome one = only(check("config = 'threads=1'\n"));
  EXPECT_EQ(one.state, CaseState::kSame);
  EXPECT_EQ(one.reference, "") << "nothing was measured";
  CaseOutcome two = only(check("config = 'threads=2'\n"));
  EXPECT_NE(two.state, CaseState::kSame) << two.reason;
  // Beside other tests the machine may be too busy to time the reference on.
  for (int again = 0; again < 4 && two.reference.empty(); ++again) two = only(check("config = 'threads=2'\n"));
  if (two.reference.empty() && two.disturbed > 0) GTEST_SKIP() << "this machine is too busy to time the reference kernel on";
  EXPECT_EQ(two.reference.rfind("softmax f32[64,1024], kernel ", 0), 0U)
      << "its history survives another baseline" << two.reference;
  EXPECT_GT(two.reference_ns, 0);
}

TEST_F(Check, CompilesAnewWhatThisProcessorDoesNotRun) {
  device_ = "cpu:0";
  save("config = 'threads=1'\n");
  edit([](Baseline& baseline) {
    BaselineKernel& saved = baseline.kernels[0];
    if (saved.target.arch != "x86-64") return;
    // As if it had been saved on a processor with more: the very same text, made for a target that no processor runs.
    std::string& flags = saved.kernel.identity.flags;
    const std::size_t place = flags.find("-march=" + saved.target.id);
    ASSERT_NE(place, std::string::npos);
    flags.replace(place, 7 + saved.target.id.size(), "-march=x86-64-v9");
    saved.target.id = saved.kernel.identity.target = "x86-64-v9";
    saved.kernel.binary.data.assign(64, std::byte{0xff});
  });
  const CaseOutcome outcome = only(check("config = 'threads=1'\n"));
  EXPECT_EQ(outcome.state, CaseState::kSame) << name_of(outcome.state) << outcome.reason;
  ASSERT_TRUE(outcome.baseline);
  EXPECT_TRUE(outcome.baseline->recompiled);
  edit([](Baseline& baseline) {
    CompiledKernel& kernel = baseline.kernels[0].kernel;
    kernel.config.set("vector", std::int64_t{4096});
    kernel.identity.config = kernel.config.text();
  });
  const CaseOutcome wide = only(check("config = 'threads=1'\n"));
  EXPECT_EQ(wide.state, CaseState::kNoBaseline) << name_of(wide.state);
  EXPECT_NE(wide.reason.find("would be slow here for that alone"), std::string::npos) << wide.reason;
  save("config = 'threads=1'\n");
  edit([](Baseline& baseline) {
    baseline.kernels[0].kernel.binary.data.clear();
    baseline.kernels[0].kernel.identity.flags += " -fplugin=evil";
  });
  const CaseOutcome plugin = only(check("config = 'threads=1'\n"));
  EXPECT_EQ(plugin.state, CaseState::kNoBaseline);
  EXPECT_NE(plugin.reason.find("'-fplugin=evil'"), std::string::npos) << plugin.reason;
  edit([](Baseline& baseline) {
    CompiledKernel& kernel = baseline.kernels[0].kernel;
    kernel.source.text.clear();
    kernel.identity.source = ContentHash::of(kernel.source.text);
  });
  const CaseOutcome bare = only(check("config = 'threads=1'\n"));
  EXPECT_EQ(bare.state, CaseState::kNoBaseline);
  EXPECT_NE(bare.reason.find("its source was not kept either"), std::string::npos) << bare.reason;
}

TEST_F(Check, RefusesAFileThatSomebodyChanged) {
  save();
  std::string text = text_of(file());
  const std::size_t signature = text.find(' ', text.find(' ') + 1) + 1;
  text[signature] = text[signature] == '0' ? '1' : '0';
  std::ofstream(file(), std::ios::binary | std::ios::trunc) << text;
  engine::CheckSpec spec;
  spec.config = cases();
  spec.baseline = file();
  const auto report = engine::run_check(config_, spec, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(report.error().message.find("somebody changed it"), std::string::npos) << report.error().message;
}

// It is no kernel's fault, and nothing is measured before it is told.
TEST_F(Check, ADatabaseThatCannotBeReadEndsTheRun) {
  save();
  const auto refusal = [&] {
    const auto refused = engine::run_check(config_, spec_of(), [](const CaseOutcome&, std::size_t) { ADD_FAILURE(); }, {});
    return refused.ok() ? Error{ErrorCode::kInternal, "it was read"} : refused.error();
  };
  std::filesystem::remove(config_.database);
  std::ofstream(config_.database) << "no database, but notes that are longer than the head of one would be: "
                                  << std::string(200, '.');
  EXPECT_EQ(refusal().code, ErrorCode::kCorrupt) << refusal().message;
  EXPECT_NE(refusal().message.find("results.db"), std::string::npos) << refusal().message;
  engine::BaselineSpec saving;
  saving.config = cases();
  const auto unsaved = engine::save_baseline(config_, saving, folder_ / "other.baseline", {}, {});
  ASSERT_FALSE(unsaved.ok());
  EXPECT_EQ(unsaved.error().code, ErrorCode::kCorrupt) << unsaved.error().message;
  std::filesystem::remove(config_.database);
  EXPECT_EQ(only(check()).state, CaseState::kSame) << "whoever has none has nothing tuned";
  std::filesystem::create_directories(config_.database);
  EXPECT_NE(refusal().message, "it was read");
}

TEST_F(Check, ADeviceThatIsNotThereIsNoFaultOfTheCode) {
  save();
  engine::CheckSpec spec;
  spec.config = cases();
  spec.baseline = file();
  spec.devices = {"cuda:7"};
  const auto report = engine::run_check(config_, spec, {}, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const CaseOutcome outcome = only(engine::report_of(report.value()));
  EXPECT_EQ(outcome.state, CaseState::kUnfit) << outcome.reason;
}

TEST_F(Check, NamesTheCasesThatThereAre) {
  engine::CheckSpec spec;
  spec.config = cases();
  spec.cases = {"nosuch"};
  const auto report = engine::run_check(config_, spec, {}, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().message, "there is no case 'nosuch'; there are norm");
}

TEST_F(Check, LeavesAnothersFileAlone) {
  std::ofstream(file()) << "my notes";
  engine::BaselineSpec spec;
  spec.config = cases();
  const auto made = engine::save_baseline(config_, spec, file(), {}, {});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(text_of(file()), "my notes");
}

}  // namespace
}  // namespace fuselab
