// SPDX-License-Identifier: Apache-2.0
// Cases of the gate that are commands of the user's own. Their times are printed, so no verdict depends on this machine.
#include <filesystem>
#include <fstream>

#include "app/gate/check/case_plans.h"
#include "app/gate/check/check.h"
#include "app/gate/check/check_record.h"
#include "app/gate/source/repository.h"
#include "core/gate/exit_decision.h"
#include "tests/faults/support/check_fixture.h"

namespace fuselab {
namespace {

class Command : public Check {
 protected:
  // Runs the gate on cases with these lines, in `folder`.
  CheckReport run(const std::string& text, const std::string& against = "", double drill = 0) {
    auto checked = checked_of(text, against, drill);
    return checked.ok() ? engine::report_of(std::move(checked).value()) : CheckReport();
  }
  Result<engine::CheckRun> checked_of(const std::string& text, const std::string& against = "", double drill = 0) {
    std::ofstream(folder_ / "fuselab.toml") << text;
    engine::CheckSpec spec;
    spec.config = engine::read_check_config(folder_ / "fuselab.toml").value();
    spec.baseline = file();
    spec.against = against;
    spec.drill = drill;
    auto checked = engine::run_check(config_, spec, {}, {});
    EXPECT_TRUE(checked.ok()) << checked.error().message;
    return checked;
  }
  CaseOutcome one(const std::string& lines, double drill = 0) { return only(run("[[case]]\n" + lines, "", drill)); }
};

constexpr const char* kOld = "baseline-command = \"echo 'fuselab: 1 ms'\"\n";

TEST_F(Command, IsComparedByTheTimeThatItPrints) {
  const CaseOutcome slower = one(std::string("time = 'printed'\ncommand = ['echo', 'fuselab: 1.05 ms']\n") + kOld);
  EXPECT_EQ(slower.state, CaseState::kRegressed) << slower.reason;
  ASSERT_TRUE(slower.comparison && slower.confirmation && slower.baseline);
  EXPECT_NEAR(slower.comparison->ratio, 1.05, 1e-3);
  EXPECT_EQ(slower.comparison->pairs, 2 * slower.comparison->processes);
  EXPECT_EQ(slower.subject, "echo 'fuselab: 1.05 ms'");
  EXPECT_EQ(slower.backend, kCommandBackend);
  EXPECT_EQ(slower.device, "");
  EXPECT_EQ(slower.baseline->origin, "`echo 'fuselab: 1 ms'`");
  EXPECT_EQ(slower.output, "");
  const CaseOutcome faster = one(std::string("time = 'printed'\ncommand = \"echo 'fuselab: 900 us'\"\n") + kOld);
  EXPECT_EQ(faster.state, CaseState::kImproved) << faster.reason;
  const CaseOutcome equal = one(std::string("time = 'printed'\ncommand = \"echo 'fuselab: 1.001 ms'\"\n") + kOld);
  EXPECT_EQ(equal.state, CaseState::kEquivalent) << equal.reason;
  const CaseOutcome drilled = one(std::string("time = 'printed'\ncommand = \"echo 'fuselab: 1 ms'\"\n") + kOld, 0.05);
  EXPECT_EQ(drilled.state, CaseState::kRegressed) << drilled.reason;
}

TEST_F(Command, IsTimedWholeInTheFolderOfTheFile) {
  std::ofstream(folder_ / "mark") << "x";
  const CaseOutcome outcome = one("command = ['test', '-f', 'mark']\nbaseline-command = 'test -f ./mark'\nbudget = 0.001\n");
  ASSERT_TRUE(outcome.comparison) << name_of(outcome.state) << ": " << outcome.reason;
  EXPECT_GT(outcome.baseline_ns, 0);
  EXPECT_GT(outcome.candidate_ns, 0);
  EXPECT_EQ(outcome.configuration, "timed whole");
}

// The processor time of what a command waits for counts, and time that it sleeps does not.
TEST_F(Command, IsComparedByItsProcessorTime) {
  const char* const kWork = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
  const CaseOutcome outcome = one(std::string("time = 'cpu'\nbudget = 0.001\ncommand = 'sh -c \"") + kWork +
                                  "\"; sleep 0.05'\nbaseline-command = '" + kWork + "'\n");
  ASSERT_TRUE(outcome.comparison) << name_of(outcome.state) << ": " << outcome.reason << outcome.output;
  EXPECT_GT(outcome.candidate_ns, 0);
  EXPECT_EQ(outcome.configuration, "its CPU time");
}

TEST_F(Command, ShowsTheOutputOfOneThatFails) {
  const CaseOutcome failed = one("command = 'echo out; echo \"no such kernel\" >&2; exit 3'\nbaseline-command = 'true'\n");
  EXPECT_EQ(failed.state, CaseState::kFailed);
  EXPECT_NE(failed.reason.find("sh exited with code 3"), std::string::npos) << failed.reason;
  EXPECT_EQ(failed.output, "out\nno such kernel\n");
  const CaseOutcome old = one("command = 'true'\nbaseline-command = 'echo gone; exit 1'\n");
  EXPECT_EQ(old.state, CaseState::kNoBaseline) << "that it fails is no fault of the candidate";
  EXPECT_EQ(old.output, "gone\n");
  const CaseOutcome slow = one("command = 'echo began; sleep 60'\nbaseline-command = 'true'\ntimeout = 0.2\n");
  EXPECT_EQ(slow.state, CaseState::kFailed);
  EXPECT_NE(slow.reason.find("took longer than"), std::string::npos) << slow.reason;
  EXPECT_EQ(slow.output, "began\n");
  const CaseOutcome mute = one("command = 'echo fast'\ntime = 'printed'\nbaseline-command = 'true'\n");
  EXPECT_EQ(mute.state, CaseState::kFailed);
  EXPECT_NE(mute.reason.find("it printed no line like `fuselab: 1.234 ms`"), std::string::npos) << mute.reason;
  EXPECT_EQ(mute.output, "fast\n");
  const CaseOutcome absent = one("command = ['no-such-program-here']\nbaseline-command = 'true'\n");
  EXPECT_EQ(absent.state, CaseState::kMisconfigured) << absent.reason;
  EXPECT_NE(absent.reason.find("there is no program 'no-such-program-here' in PATH"), std::string::npos) << absent.reason;
}

TEST_F(Command, WithoutAnotherSideHasNoBaseline) {
  const CaseOutcome outcome = one("command = 'true'\n");
  EXPECT_EQ(outcome.state, CaseState::kNoBaseline);
  EXPECT_EQ(outcome.reason, "a command needs a baseline-command in its case, or `fuselab check --against COMMIT`");
}

TEST_F(Command, SaysTheSameAgainFromItsRecord) {
  const auto checked = checked_of("[[case]]\nname = 'a'\ntime = 'printed'\ncommand = \"echo 'fuselab: 2 ms'\"\n" +
                                  std::string(kOld) + "[[case]]\nname = 'b'\ncommand = 'echo words; exit 1'\n" + kOld);
  ASSERT_TRUE(checked.ok());
  const std::filesystem::path record = folder_ / "check.jsonl";
  ASSERT_TRUE(engine::write_check_record(record, checked.value()).ok());
  auto again = engine::read_check_record(record);
  ASSERT_TRUE(again.ok()) << again.error().message;
  const CheckReport retold = engine::report_of(std::move(again).value());
  ASSERT_EQ(retold.cases.size(), 2U);
  EXPECT_EQ(retold.cases[0].state, CaseState::kRegressed);
  EXPECT_EQ(retold.cases[0].backend, kCommandBackend);
  EXPECT_EQ(retold.cases[1].state, CaseState::kFailed);
  EXPECT_EQ(retold.cases[1].output, "words\n");
  EXPECT_EQ(retold.exit_code, 1);
}

// The kernels of the file's other cases are saved, and a file of commands alone keeps nothing.
TEST_F(Command, IsKeptInNoBaselineFile) {
  save("[[case]]\nname = 'bench'\ncommand = 'true'\n");
  engine::BaselineSpec spec;
  spec.config = engine::parse_check_config("[[case]]\ncommand = 'true'\n", "fuselab.toml", folder_).value();
  const auto none = engine::save_baseline(config_, spec, folder_ / "other.baseline", {}, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message, "there are only commands: no file keeps them, `fuselab check` runs their baseline-command");
}

// A case that scatters too much for its own budget is measured on with what the decided one did not need.
TEST_F(Command, AnOpenCaseGetsWhatTheDecidedLeft) {
  engine::WorkerPoolOptions options;
  options.worker_program = config_.worker_program;
  engine::WorkerPool workers(options);
  engine::CasePlans plans(workers, {});
  // Each run of the scattered command prints the next of a few times, which repeat at a length that fits no block.
  const char* const kScattered = "echo >>count; n=$(wc -l <count); echo \"fuselab: $((1000 + n * 7919 % 613)) us\"";
  std::vector<engine::CheckedCase> cases;
  for (const char* const line : {"echo 'fuselab: 1 ms'", kScattered}) {
    engine::CheckedCase& each = cases.emplace_back();
    each.rule = engine::CommandPair::command_rule({});
    each.rule.most_processes = 6;
    each.rule.budget = {1e12};
    engine::CommandPair pair;
    pair.candidate.command = {{line}, true};
    pair.candidate.time = engine::CommandTime::kPrinted;
    pair.candidate.folder = folder_;
    pair.baseline = pair.candidate;
    pair.rule = each.rule;
    plans.add_case();
    engine::CommandTrouble trouble;
    auto compared = plans.compare(cases.size() - 1, pair, trouble);
    ASSERT_TRUE(compared.ok()) << compared.error().message << trouble.output;
    each.first = std::move(compared).value();
  }
  ASSERT_EQ(cases[0].first->result.verdict, Verdict::kEquivalent);
  ASSERT_EQ(cases[1].first->result.verdict, Verdict::kInconclusive);
  const engine::Replay before = *cases[1].first;
  engine::spend_leftover(cases, plans, {});
  const engine::Replay& after = *cases[1].first;
  EXPECT_EQ(before.result.processes, 6);
  EXPECT_GT(after.result.processes, before.result.processes);
  EXPECT_EQ(after.processes[0].samples.candidate, before.processes[0].samples.candidate) << "what was measured before counts";
  EXPECT_EQ(cases[0].first->result.processes, 5) << "a decided case is left as it is";
}

TEST_F(Command, IsComparedWithItselfAtACommit) {
  const auto git = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"-c", "user.name=nobody", "-c", "user.email=nobody@nowhere"});
    return engine::run_git(folder_, words, {});
  };
  if (!git({"init", "-q"}).ok()) GTEST_SKIP() << "there is no git";
  const std::string bench =
      "[[case]]\nname = 'bench'\ncommand = './made'\nbuild = 'cp bench.sh made && chmod +x made'\ntime = 'printed'\n";
  std::ofstream(folder_ / "bench.sh") << "#!/bin/sh\necho 'fuselab: 1 ms'\n";
  std::ofstream(folder_ / "fuselab.toml") << bench;
  ASSERT_TRUE(git({"add", "bench.sh", "fuselab.toml"}).ok());
  ASSERT_TRUE(git({"commit", "-q", "-m", "cases"}).ok());
  std::ofstream(folder_ / "bench.sh") << "#!/bin/sh\necho 'fuselab: 1.1 ms'\n";
  const CheckReport report = run(bench + "[[case]]\nname = 'added'\ncommand = 'true'\n", "HEAD");
  ASSERT_EQ(report.cases.size(), 2U);
  const CaseOutcome &slower = report.cases[0], &added = report.cases[1];
  EXPECT_EQ(slower.state, CaseState::kRegressed) << slower.reason << slower.output;
  ASSERT_TRUE(slower.baseline);
  EXPECT_EQ(slower.baseline->origin.substr(0, 4), "git ");
  EXPECT_EQ(added.state, CaseState::kNoBaseline);
  EXPECT_NE(added.reason.find("fuselab.toml has no case 'added'"), std::string::npos) << added.reason;
}

}  // namespace
}  // namespace fuselab
