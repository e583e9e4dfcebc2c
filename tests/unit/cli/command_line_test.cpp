// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/shell/completions.h"
#include "app/cli/shell/usage.h"

namespace fuselab::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class CommandLine : public testing::Test {
 protected:
  static ExitCode exit_code(std::vector<const char*> words) {
    words.insert(words.begin(), "fuselab");
    return run_command_line(static_cast<int>(words.size()), words.data());
  }

  // What the parser says of these words; empty when it takes them.
  std::string refusal(const std::string& words) {
    try {
      app_->parse(words, /*program_name_included=*/false);
    } catch (const CLI::ParseError& error) {
      return usage_error(*app_, error).message;
    }
    return "";
  }

  Invocation invocation_;
  std::unique_ptr<CLI::App> app_ = make_command_line(invocation_);
};

TEST_F(CommandLine, TakesCommonOptionsAfterTheVerb) {
  EXPECT_EQ(refusal("bench w3 --json --db x.db -q"), "");
  EXPECT_TRUE(invocation_.json);
  EXPECT_TRUE(invocation_.quiet);
  EXPECT_EQ(invocation_.config.database, "x.db");
  EXPECT_TRUE(invocation_.action);
}

TEST_F(CommandLine, SaysWhatThereIsForAnUnknownVerb) {
  EXPECT_THAT(refusal("nosuch"), MatchesRegex("there is no verb 'nosuch'; there are run, bench, .*; `fuselab --help` explains"));
}

TEST_F(CommandLine, HelpHidesNoUnknownVerb) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  EXPECT_EQ(exit_code({"nosuch", "--help"}), ExitCode::kUsage);
  EXPECT_EQ(exit_code({"--help", "nosuch"}), ExitCode::kUsage);
  EXPECT_EQ(exit_code({"db", "sell", "--help"}), ExitCode::kUsage);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      MatchesRegex("fuselab: there is no verb 'nosuch'; there are run, .*\n.*'nosuch'.*\n.*db has no verb 'sell'; it has .*\n"));
  testing::internal::CaptureStdout();
  EXPECT_EQ(exit_code({"db", "--help"}), ExitCode::kOk);
  EXPECT_EQ(exit_code({"fuse", "w3", "--help"}), ExitCode::kOk);
  EXPECT_EQ(exit_code({"--version"}), ExitCode::kOk);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("fuselab fuse"));
}

TEST_F(CommandLine, SaysWhatAVerbTakesForAnUnknownOption) {
  EXPECT_EQ(
      refusal("fuse --nosuch"),
      "fuse does not know --nosuch; it takes --help, --shape, --value, --level, --device, --no-device, --prefer, --statistics, "
      "--verify, --why; `fuselab "
      "fuse --help` "
      "explains");
}

TEST_F(CommandLine, NamesWhatIsMissing) {
  EXPECT_THAT(refusal(""), MatchesRegex("say what to do: run, bench, .*; `fuselab --help` explains"));
  EXPECT_EQ(refusal("fuse"), "fuse needs SUBJECT; `fuselab fuse --help` explains");
  EXPECT_EQ(refusal("db"), "db needs to know what to do: info, verify, gc, merge, import; `fuselab db --help` explains");
  EXPECT_EQ(refusal("tune w3 --budget"), "--budget needs a value; `fuselab tune --help` explains");
  EXPECT_EQ(refusal("compare --db a --db b"), "--db is given twice; `fuselab compare --help` explains");
}

TEST_F(CommandLine, ChecksNumbersAndClosedLists) {
  EXPECT_EQ(refusal("tune w3 --trials -1"), "--trials: '-1' is no number above 0; `fuselab tune --help` explains");
  EXPECT_EQ(refusal("tune w3 --budget inf"), "--budget: 'inf' is no finite number; `fuselab tune --help` explains");
  EXPECT_EQ(refusal("run w3 --budget nan"), "--budget: 'nan' is no number above 0; `fuselab run --help` explains");
  for (const char* verb : {"run", "bench", "tune"})
    EXPECT_EQ(refusal(std::string(verb) + " w3 --seed -1"),
              std::string("--seed: '-1' is no number from 0 on; `fuselab ") + verb + " --help` explains");
  EXPECT_EQ(refusal("bench w3 --seed 0"), "");
  EXPECT_THAT(refusal("tune w3 --strategy luck"),
              HasSubstr("'luck' is none of exhaustive, random, coordinate-descent, evolutionary"));
  EXPECT_EQ(refusal("tune w3 --strategy random --trials 3 --budget 0.5"), "");
}

TEST_F(CommandLine, WhatCanBeMeasuredCanBeShownAgainInTheSameMode) {
  for (const char* verb : {"run", "bench", "tune", "compare", "select", "report"}) {
    for (const char* mode : {"warm", "cold", "rotating", "first-launch"})
      EXPECT_EQ(refusal(std::string(verb) + " --mode " + mode), "");
    EXPECT_EQ(refusal(std::string(verb) + " --mode tepid"),
              std::string("--mode: 'tepid' is none of warm, cold, rotating, first-launch; `fuselab ") + verb + " --help` explains");
    EXPECT_THAT(app_->get_subcommand(verb)->help(), HasSubstr("warm|cold|rotating|first-launch")) << verb;
  }
}

TEST_F(CommandLine, EveryVerbHasExamplesAndPointsToTheCommonOptions) {
  for (const CLI::App* verb : app_->get_subcommands({})) {
    EXPECT_THAT(verb->help(), HasSubstr("Examples:\n  ")) << verb->get_name();
    EXPECT_THAT(verb->help(), HasSubstr("see `fuselab --help`")) << verb->get_name();
  }
}

TEST_F(CommandLine, CompletionsKnowEveryVerbAndClosedList) {
  for (const std::string& script : {bash_completions(*app_, {}), zsh_completions(*app_, {}), fish_completions(*app_, {})}) {
    for (const CLI::App* verb : app_->get_subcommands({})) EXPECT_THAT(script, HasSubstr(verb->get_name()));
    EXPECT_THAT(script, HasSubstr("exhaustive random coordinate-descent evolutionary"));
  }
}

}  // namespace
}  // namespace fuselab::cli
