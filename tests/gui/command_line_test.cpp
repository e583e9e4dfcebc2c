// SPDX-License-Identifier: Apache-2.0
#include "app/gui/command_line.h"

#include <gtest/gtest.h>

namespace fuselab::gui::test {
namespace {

Result<Options> parse(std::initializer_list<const char*> arguments) {
  QStringList list{"fuselab-gui"};
  for (const char* argument : arguments) list << QLatin1String(argument);
  return parse_options(list);
}

TEST(CommandLine, TakesEveryOption) {
  auto const parsed = parse({"--db", "a.db", "--run", "--page", "results", "--theme", "dark", "--screenshot", "s.png", "--size",
                             "1920x1080", "resnet50", "w3"});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  const Options& options = parsed.value();
  EXPECT_EQ(options.database, "a.db");
  EXPECT_TRUE(options.run);
  EXPECT_EQ(options.page, PageId::kResults);
  EXPECT_EQ(options.theme, ThemeChoice::kDark);
  EXPECT_EQ(options.size, QSize(1920, 1080));
  EXPECT_EQ(options.job.subjects, (std::vector<std::string>{"resnet50", "w3"}));
}

TEST(CommandLine, TakesTheJobOptionsThatRunHandsOn) {
  auto const parsed = parse({"--run", "--budget", "20", "--trials", "12", "--device", "cpu:0", "--shape", "batch=2", "--strategy",
                             "random", "--mode", "cold", "--seed", "7", "--remeasure", "bert-layer"});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  const session::JobSpec& job = parsed.value().job;
  EXPECT_EQ(job.budget_seconds, 20);
  EXPECT_EQ(job.budget_trials, 12);
  EXPECT_EQ(job.devices, std::vector<std::string>{"cpu:0"});
  EXPECT_EQ(job.bindings, std::vector<std::string>{"batch=2"});
  EXPECT_EQ(job.strategy, "random");
  EXPECT_EQ(job.protocol.mode, CacheMode::kCold);
  EXPECT_EQ(job.seed, 7U);
  EXPECT_TRUE(job.remeasure);
  EXPECT_FALSE(parse({"--budget", "soon"}).ok());
  EXPECT_FALSE(parse({"--budget", "-3"}).ok());
  EXPECT_FALSE(parse({"--mode", "lukewarm"}).ok());
}

TEST(CommandLine, SaysWhatIsWrongAndWhatIsRight) {
  EXPECT_NE(parse({"--page", "graphs"}).error().message.find("devices, models, tuning, compare or results"), std::string::npos);
  EXPECT_NE(parse({"--size", "big"}).error().message.find("1280x800"), std::string::npos);
  EXPECT_NE(parse({"--theme", "pink"}).error().message.find("dark, light or system"), std::string::npos);
  EXPECT_FALSE(parse({"--no-such-option"}).ok());
  EXPECT_FALSE(parse({"--run", "--read-only"}).ok());
  EXPECT_FALSE(parse({"--size", "100000x100000"}).ok());
}

TEST(CommandLine, HelpIsPrintedNotShown) {
  EXPECT_TRUE(parse({"--help"}).value().information.contains("--screenshot"));
}

}  // namespace
}  // namespace fuselab::gui::test
