// SPDX-License-Identifier: Apache-2.0
#include "app/gui/shell/command_line.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QRegularExpression>

#include "app/gui/pages/page_spec.h"

namespace fuselab::gui::test {
namespace {

Result<Options> parse(std::initializer_list<const char*> arguments) {
  QStringList list{"fuselab-gui"};
  for (const char* argument : arguments) list << QLatin1String(argument);
  return parse_options(list);
}

TEST(CommandLine, TakesEveryOption) {
  const auto parsed = parse({"--db", "a.db", "--run", "--page", "results", "--theme", "dark", "--screenshot", "s.png", "--size",
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
  const auto parsed = parse({"--run",      "--budget", "20",     "--trials", "12",     "--device", "cpu:0",       "--no-device",
                             "opencl",     "--prefer", "cuda",   "--prefer", "cpu",    "--decide", "--shape",     "batch=2",
                             "--strategy", "random",   "--mode", "cold",     "--seed", "7",        "--remeasure", "bert-layer"});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  const engine::JobSpec& job = parsed.value().job;
  EXPECT_EQ(job.budget_seconds, 20);
  EXPECT_EQ(job.budget_trials, 12);
  EXPECT_EQ(job.devices.only, std::vector<std::string>{"cpu:0"});
  EXPECT_EQ(job.devices.except, std::vector<std::string>{"opencl"});
  EXPECT_EQ(job.devices.prefer, (std::vector<std::string>{"cuda", "cpu"}));
  EXPECT_TRUE(job.decide);
  EXPECT_EQ(job.bindings, std::vector<std::string>{"batch=2"});
  EXPECT_EQ(job.strategy, "random");
  EXPECT_EQ(job.protocol.mode, CacheMode::kCold);
  EXPECT_EQ(job.seed, 7U);
  EXPECT_TRUE(job.remeasure);
  EXPECT_FALSE(parse({"--budget", "soon"}).ok());
  EXPECT_FALSE(parse({"--budget", "-3"}).ok());
  EXPECT_FALSE(parse({"--mode", "lukewarm"}).ok());
}

// What ./run takes for the job: the words of its two lists of options.
QStringList options_that_run_hands_on() {
  QFile script(QStringLiteral(FUSELAB_RUN_SCRIPT));
  EXPECT_TRUE(script.open(QIODevice::ReadOnly));
  static const QRegularExpression kOption(QStringLiteral("--?[a-z][a-z-]*(?==\\*|[ )])"));
  QStringList options;
  for (const QString& line : QString::fromUtf8(script.readAll()).split(QLatin1Char('\n'))) {
    if (!line.contains(QLatin1String("arguments+=(\"$1\")"))) continue;
    for (auto found = kOption.globalMatch(line); found.hasNext();) options << found.next().captured();
  }
  return options;
}

TEST(CommandLine, KnowsWhateverRunHandsOn) {
  const QStringList options = options_that_run_hands_on();
  for (const char* option : {"--budget", "--wide", "--cold", "--warm-only", "--quiet", "-q", "--json"})
    ASSERT_TRUE(options.contains(QLatin1String(option))) << option << " of " << options.join(' ').toStdString();
  for (const QString& option : options) {
    // It may want a value, or refuse this one, but never say that there is no such option.
    const auto parsed = parse_options({"fuselab-gui", "--run", option});
    const std::string said = parsed.ok() ? std::string() : parsed.error().message;
    EXPECT_EQ(said.find("nknown option"), std::string::npos) << said;
  }
  EXPECT_FALSE(parse({"--run", "--warm-only"}).value().job.cold) << "an alias of the default";
  EXPECT_TRUE(parse({"--run", "--cold"}).value().job.cold);
  EXPECT_TRUE(parse({"--run", "--whole"}).value().job.slow_whole_models);
  EXPECT_FALSE(parse({"--run", "--wide", "-q", "w3"}).value().job.cold);
  EXPECT_NE(parse({"--run", "--json"}).error().message.find("`fuselab run --json`"), std::string::npos);
}

TEST(CommandLine, RefusesWhatTheJobWouldRefuseInTheSameWords) {
  const auto said = [](std::initializer_list<const char*> arguments) {
    const auto parsed = parse(arguments);
    return parsed.ok() ? std::string("nothing") : parsed.error().message;
  };
  EXPECT_NE(said({"--level", "O9"}).find("unknown optimization level 'O9'; known: O0 (none, debug)"), std::string::npos);
  EXPECT_EQ(said({"--dtype", "i9"}), "'i9' is no element type; f16, bf16, f32 and f64 are");
  EXPECT_EQ(said({"--shape", "foo"}), "shape 'foo': expected name=number; write it as batch=8,seq=128");
  EXPECT_EQ(said({"--strategy", "luck"}), "--strategy: 'luck' is none of exhaustive, random, coordinate-descent, evolutionary");
  EXPECT_EQ(said({"--trials", "1.5"}), "--trials takes a whole number from 1 to 2147483647, not '1.5'");
  EXPECT_EQ(parse({"--level", "balanced"}).value().job.level, "O2") << "as the form lists it";
  EXPECT_EQ(parse({"--dtype", "bf16"}).value().job.dtype, "bf16");
}

TEST(CommandLine, TakesTheSeedsAndBudgetsThatTheJobTakes) {
  EXPECT_EQ(parse({"--seed", "20000000000"}).value().job.seed, 20000000000U);
  EXPECT_EQ(parse({"--seed", "18446744073709551615"}).value().job.seed, 18446744073709551615U) << "to the last digit";
  EXPECT_EQ(parse({"--budget", "2e9"}).value().job.budget_seconds, 2e9);
  EXPECT_EQ(parse({"--trials", "2147483647"}).value().job.budget_trials, 2147483647);
  EXPECT_FALSE(parse({"--seed", "18446744073709551616"}).ok());
  EXPECT_FALSE(parse({"--seed", "-1"}).ok());
  EXPECT_FALSE(parse({"--budget", "inf"}).ok());
  EXPECT_FALSE(parse({"--trials", "0"}).ok());
}

TEST(CommandLine, NamesTheSmallestSizeOfAWindow) {
  EXPECT_NE(parse({"--size", "900x600"}).error().message.find("at least 960x600"), std::string::npos);
  EXPECT_NE(parse({"--size", "1280x599"}).error().message.find("at least 960x600"), std::string::npos);
  EXPECT_EQ(parse({"--size", "960x600"}).value().size, QSize(960, 600));
  EXPECT_TRUE(parse({"--size", "960x600"}).value().size_given) << "a window is opened at it, too";
  EXPECT_FALSE(parse({}).value().size_given) << "a window opens as it was closed";
}

TEST(CommandLine, TakesFilesForHistoryAndDiff) {
  const auto parsed = parse({"--history", "a.jsonl", "--history", "b.jsonl", "--beside", "other.db", "--page", "history"});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(parsed.value().history_files, QStringList({"a.jsonl", "b.jsonl"}));
  EXPECT_EQ(parsed.value().other_databases, QStringList("other.db"));
  EXPECT_EQ(parsed.value().page, PageId::kHistory);
}

TEST(CommandLine, TheFirstSubjectIsChosenOnPagesThatShowOne) {
  const Options options = parse({"w10", "w3"}).value();
  EXPECT_EQ(key_of_subject(options, PageId::kModels), QStringLiteral("w10"));
  EXPECT_EQ(key_of_subject(options, PageId::kProfile), QStringLiteral("choose:w10"));
  EXPECT_TRUE(key_of_subject(options, PageId::kDevices).isEmpty());
  EXPECT_TRUE(key_of_subject(parse({}).value(), PageId::kProfile).isEmpty());
}

TEST(CommandLine, SaysWhatIsWrongAndWhatIsRight) {
  std::string pages = page_specs().front().name;
  for (const PageSpec& page : page_specs().subspan(1))
    pages += (&page == &page_specs().back() ? " or " : ", ") + std::string(page.name);
  EXPECT_NE(parse({"--page", "graphs"}).error().message.find(pages), std::string::npos) << pages;
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
