// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/check_options.h"

#include <gtest/gtest.h>

namespace fuselab::cli {
namespace {

TEST(CheckOptions, TheUsualRunIsTheShortCommand) {
  const CheckOptions options;
  EXPECT_EQ(command_again(options, ""), "fuselab check");
  EXPECT_EQ(command_again(options, "soft max"), "fuselab check --case 'soft max'");
}

// What is left out runs on another database, or ends with another code.
TEST(CheckOptions, EverythingThatDecidesAVerdictIsSaidAgain) {
  CheckOptions options;
  options.config = "ci/fuselab.toml";
  options.baseline = "main baseline";
  options.baseline_mode = "historical";
  options.spec.cross_machine = true;
  options.spec.devices = {"cpu:0", "cuda"};
  options.spec.target = "x86-64-v3";
  options.spec.cases = {"a", "b"};
  options.spec.seed = 7;
  options.drills = {"2.5", "a=5"};
  options.fail_on = {"regressed", "unfit"};
  options.selftest = "selftest.jsonl";
  options.database = "results of may.db";
  options.synthetic = true;
  const std::string shared =
      "fuselab check --config ci/fuselab.toml --baseline 'main baseline' --baseline-mode historical --cross-machine --device cpu:0 "
      "--device cuda --target x86-64-v3 --drill 2.5 --drill a=5 --seed 7 --db 'results of may.db' --synthetic";
  EXPECT_EQ(command_again(options, "a"), shared + " --case a");
  EXPECT_EQ(command_again(options, ""),
            shared + " --case a --case b --fail-on regressed --fail-on unfit --selftest selftest.jsonl");
}

TEST(CheckOptions, DrillsAreOfAllCasesOrOfOne) {
  CheckOptions options;
  options.drills = {"5", "soft=max=2.5"};
  ASSERT_TRUE(take_drills(options).ok());
  EXPECT_DOUBLE_EQ(options.spec.drill, 0.05);
  EXPECT_EQ(options.spec.drills, (std::map<std::string, double>{{"soft=max", 0.025}}));
  for (const char* text : {"", "five", "0", "-1", "a=", "=5", "a=0", "a=5 %", "nan", "inf"}) {
    options.drills = {text};
    const Status refused = take_drills(options);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(CheckOptions, ACommitIsNamedAsItWasAskedFor) {
  CheckOptions options;
  options.spec.against = "HEAD~1";
  EXPECT_EQ(command_again(options, "a"), "fuselab check --against 'HEAD~1' --case a");
}

}  // namespace
}  // namespace fuselab::cli
