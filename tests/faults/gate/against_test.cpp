// SPDX-License-Identifier: Apache-2.0
// `fuselab check --against`: today's cases held against the same cases at a commit, their lines and their models, on the synthetic
// device.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/gate/check/check.h"
#include "app/gate/source/repository.h"
#include "core/gate/exit_decision.h"
#include "tests/faults/support/check_fixture.h"

namespace fuselab {
namespace {

// A repository whose cases lie in its folder ci.
class Against : public Check {
 protected:
  void SetUp() override {
    Check::SetUp();
    std::filesystem::create_directories(repository() / "ci");
    if (!git({"init", "-q"}).ok()) GTEST_SKIP() << "there is no git";
  }

  std::filesystem::path repository() const { return folder_ / "repository"; }
  Result<std::string> git(std::vector<std::string> words) const {
    words.insert(words.begin(), {"-c", "user.name=nobody", "-c", "user.email=nobody@nowhere"});
    return engine::run_git(repository(), words, {});
  }
  void write(const char* name, const std::string& text) const { std::ofstream(repository() / "ci" / name) << text; }
  void commit() const {
    ASSERT_TRUE(git({"add", "--all"}).ok());
    const auto committed = git({"commit", "-q", "-m", "cases"});
    ASSERT_TRUE(committed.ok()) << committed.error().message;
  }
  Result<engine::CheckRun> run_against(const std::string& ref) {
    engine::CheckSpec spec;
    spec.config = engine::read_check_config(repository() / "ci/fuselab.toml").value();
    spec.against = ref;
    return engine::run_check(config_, spec, {}, {});
  }
  CheckReport against(const std::string& ref) {
    auto run = run_against(ref);
    EXPECT_TRUE(run.ok()) << run.error().message;
    return run.ok() ? engine::report_of(std::move(run).value()) : CheckReport();
  }
};

TEST_F(Against, ComparesAModelWithWhatItWasAtACommit) {
  write("old.graph", "graph(x: f32[64,64]) { y = Relu(x); return y }");
  write("same.graph", "graph(x: f32[64,64]) { y = Exp(x); return y }");
  write("fuselab.toml",
        "[check]\ndevices = 'null:0'\n[[case]]\nsubject = 'old.graph'\n[[case]]\nsubject = 'same.graph'\n[[case]]\nsubject = "
        "'new.graph'\n");
  ASSERT_NO_FATAL_FAILURE(commit());
  write("old.graph", "graph(x: f32[64,64]) { y = Relu(x); z = Add(y, x); r = ReduceSum(z, axes=[1]); return r }");
  write("new.graph", "graph(x: f32[8,8]) { y = Relu(x); return y }");
  const CheckReport report = against("HEAD");
  ASSERT_EQ(report.cases.size(), 3U);
  const CaseOutcome &changed = report.cases[0], &same = report.cases[1], &added = report.cases[2];
  ASSERT_TRUE(changed.comparison) << name_of(changed.state) << ": " << changed.reason;
  EXPECT_EQ(changed.baseline->origin, "git " + report.commit.substr(0, 12));
  EXPECT_GT(std::abs(changed.comparison->ratio - 1), 0.01) << "the two were two graphs";
  EXPECT_EQ(same.state, CaseState::kSame) << same.reason;
  EXPECT_EQ(added.state, CaseState::kNoBaseline);
  EXPECT_NE(added.reason.find("new.graph is not there"), std::string::npos) << added.reason;
  const auto trees = git({"worktree", "list"});
  ASSERT_TRUE(trees.ok());
  EXPECT_EQ(trees.value().find('\n'), std::string::npos) << "nothing is left behind: " << trees.value();
  for (const char* ref : {"nosuch", "--help", "-x", "HEAD:ci"}) {
    const auto refused = run_against(ref);
    ASSERT_FALSE(refused.ok()) << ref;
    EXPECT_EQ(refused.error().code, ErrorCode::kNotFound) << refused.error().message;
    EXPECT_NE(refused.error().message.find("names no commit"), std::string::npos) << refused.error().message;
  }
}

std::string case_of(const char* name, const char* lines) {
  return std::string("[[case]]\nname = '") + name + "'\ndevices = 'null:0'\n" + lines + "\n";
}

// What a case is made of is said by its lines as much as by its model.
TEST_F(Against, HoldsACaseAgainstItsOwnLinesOfThen) {
  const char* const kept = "subject = 'w3'\nshape = 'rows=8,cols=16'\nconfig = 'a=6,b=6'";
  write("fuselab.toml", case_of("kept", kept) + case_of("tuned", "subject = 'w3'\nshape = 'rows=8,cols=16'\nconfig = 'a=6,b=6'") +
                            case_of("grown", "subject = 'w3'\nshape = 'rows=8,cols=16'") +
                            case_of("other", "subject = 'w5'\nshape = 'rows=8,cols=16'") +
                            case_of("typed", "subject = 'w3'\nshape = 'rows=8,cols=16'\ndtypes = ['f64', 'f32']"));
  ASSERT_NO_FATAL_FAILURE(commit());
  write("fuselab.toml", case_of("kept", kept) + case_of("tuned", "subject = 'w3'\nshape = 'rows=8,cols=16'\nconfig = 'a=0,b=0'") +
                            case_of("grown", "subject = 'w3'\nshape = 'rows=512,cols=1024'") +
                            case_of("other", "subject = 'w3'\nshape = 'rows=8,cols=16'") +
                            case_of("typed", "subject = 'w3'\nshape = 'rows=8,cols=16'\ndtypes = ['f32', 'f16']") +
                            case_of("added", kept));
  const CheckReport report = against("HEAD");
  ASSERT_EQ(report.cases.size(), 7U);
  const CaseOutcome &same = report.cases[0], &tuned = report.cases[1], &grown = report.cases[2], &other = report.cases[3];
  EXPECT_EQ(same.state, CaseState::kSame) << same.reason;
  ASSERT_TRUE(tuned.comparison) << name_of(tuned.state) << ": " << tuned.reason;
  EXPECT_GT(std::abs(tuned.comparison->ratio - 1), 0.01);
  EXPECT_EQ(tuned.configuration, "fuselab.toml: a=0,b=0,fault=none");
  EXPECT_EQ(tuned.baseline->configuration, "fuselab.toml: a=6,b=6,fault=none");
  EXPECT_EQ(tuned.baseline->note, "");
  ASSERT_TRUE(grown.comparison) << name_of(grown.state) << ": " << grown.reason;
  EXPECT_EQ(grown.baseline->note, "there it is w3-residual-rmsnorm cols=16,rows=8 f32");
  ASSERT_TRUE(other.comparison) << name_of(other.state) << ": " << other.reason;
  EXPECT_EQ(report.cases[4].name, "typed f32");
  EXPECT_EQ(report.cases[4].state, CaseState::kSame) << report.cases[4].reason;
  EXPECT_EQ(report.cases[5].name, "typed f16");
  EXPECT_EQ(report.cases[5].state, CaseState::kNoBaseline);
  EXPECT_NE(report.cases[5].reason.find("no such element type or extents"), std::string::npos) << report.cases[5].reason;
  EXPECT_EQ(report.cases[6].state, CaseState::kNoBaseline);
  EXPECT_NE(report.cases[6].reason.find(": fuselab.toml has no case 'added'"), std::string::npos) << report.cases[6].reason;
}

TEST_F(Against, OtherLinesThatComeToTheSameKernelsAreTheSame) {
  write("fuselab.toml", case_of("norm", "subject = 'w3'\nshape = 'rows=8,cols=16'\nconfig = 'a=0,b=0'"));
  ASSERT_NO_FATAL_FAILURE(commit());
  write("fuselab.toml", case_of("norm", "subject = 'w3'\nshape = 'rows=8,cols=16'\nconfig = 'b=0,a=0'"));
  const CaseOutcome outcome = only(against("HEAD"));
  EXPECT_EQ(outcome.state, CaseState::kSame) << outcome.reason;
  EXPECT_EQ(outcome.reason, "other lines, the very same kernels");
}

TEST_F(Against, WithoutCasesOfItsOwnACommitIsNoBaseline) {
  write("notes", "nothing yet");
  ASSERT_NO_FATAL_FAILURE(commit());
  write("fuselab.toml", "[[case]]\nsubjects = 'w3'\n");
  ASSERT_NO_FATAL_FAILURE(commit());
  write("fuselab.toml", case_of("norm", "subject = 'w3'\nshape = 'rows=8,cols=16'"));
  const CheckReport none = against("HEAD~1");
  EXPECT_EQ(only(none).state, CaseState::kNoBaseline) << name_of(only(none).state);
  EXPECT_NE(only(none).reason.find(": it has no fuselab.toml"), std::string::npos) << only(none).reason;
  EXPECT_EQ(exit_code_of(none, usual_fail_on()), 5);
  const CaseOutcome broken = only(against("HEAD"));
  EXPECT_EQ(broken.state, CaseState::kNoBaseline) << name_of(broken.state);
  EXPECT_NE(broken.reason.find(": fuselab.toml:"), std::string::npos) << broken.reason;
  EXPECT_EQ(broken.reason.find("/tree/"), std::string::npos) << "no path of a folder that is gone: " << broken.reason;
}

// As where the disk is full: nothing is wrong with the name of the commit.
TEST_F(Against, ACommitThatCannotBeCheckedOutIsTheMachinesFault) {
  write("fuselab.toml", case_of("norm", "subject = 'w3'\nshape = 'rows=8,cols=16'"));
  ASSERT_NO_FATAL_FAILURE(commit());
  const auto blob = git({"rev-parse", "HEAD:ci/fuselab.toml"});
  ASSERT_TRUE(blob.ok()) << blob.error().message;
  const std::filesystem::path object = repository() / ".git/objects" / blob.value().substr(0, 2) / blob.value().substr(2);
  ASSERT_TRUE(std::filesystem::remove(object)) << object;
  const auto refused = run_against("HEAD");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kIo) << refused.error().message;
  EXPECT_EQ(refused.error().message.rfind("checking out git ", 0), 0U) << refused.error().message;
}

}  // namespace
}  // namespace fuselab
