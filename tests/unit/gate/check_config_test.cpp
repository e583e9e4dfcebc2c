// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/check_config.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/platform/files/temporary_folder.h"

namespace fuselab::engine {
namespace {

Result<CheckConfig> read(const std::string& text, const std::filesystem::path& folder = ".") {
  return parse_check_config(text, "fuselab.toml", folder);
}

std::string complaint(const std::string& text, const std::filesystem::path& folder = ".") {
  const auto parsed = read(text, folder);
  if (parsed.ok()) return "(none)";
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  return parsed.error().message;
}

TEST(CheckConfig, ReadsCasesAndWhatTheyHaveInCommon) {
  const auto read_config = read(R"([check]
margin = 2
budget = 1.5
devices = "cpu"
fail-on = ["regressed", "wrong-result"]
baseline = "ci/main.baseline"
baseline-mode = "historical"
selftest = "ci/selftest.jsonl"

[[case]]
name = "softmax"
subject = "w5"
shape = "rows=128,cols=1024"

[[case]]
subject = "graph(x: f32[n]) { y = Relu(x); return y }"
shape = {n = 4096}
dtypes = ["f16", "f32"]
devices = ["cpu:0"]
margin = 5.5
budget = 4
config = "threads=1"
)");
  ASSERT_TRUE(read_config.ok()) << read_config.error().message;
  const CheckConfig& config = read_config.value();
  EXPECT_EQ(config.fail_on, (std::vector<std::string>{"regressed", "wrong-result"}));
  EXPECT_EQ(config.baseline, std::filesystem::path("./ci/main.baseline"));
  EXPECT_EQ(config.selftest, std::filesystem::path("./ci/selftest.jsonl"));
  EXPECT_EQ(config.baseline_mode, BaselineMode::kHistorical);
  ASSERT_EQ(config.cases.size(), 2U);
  const CheckCase &first = config.cases[0], &second = config.cases[1];
  EXPECT_EQ(first.name, "softmax");
  EXPECT_EQ(first.shape, "cols=1024,rows=128");
  EXPECT_EQ(first.devices, std::vector<std::string>{"cpu"});
  EXPECT_EQ(first.dtypes, std::vector<std::string>{"f32"});
  EXPECT_DOUBLE_EQ(first.margin, 0.02);
  EXPECT_DOUBLE_EQ(first.budget.count, 1.5e9);
  EXPECT_EQ(first.where.file, "fuselab.toml");
  EXPECT_EQ(first.where.line, 10);
  EXPECT_TRUE(first.file.empty());
  EXPECT_EQ(second.name, second.subject);
  EXPECT_EQ(second.shape, "n=4096");
  EXPECT_EQ(second.dtypes, (std::vector<std::string>{"f16", "f32"}));
  EXPECT_EQ(second.devices, std::vector<std::string>{"cpu:0"});
  EXPECT_DOUBLE_EQ(second.margin, 0.055);
  EXPECT_EQ(second.launch_config, "threads=1");
  EXPECT_EQ(second.where.line, 15);
}

TEST(CheckConfig, WhatMustNotGoUnseenIsAboveTheMargin) {
  EXPECT_DOUBLE_EQ(read("[[case]]\nsubject = 'w5'\n").value().cases[0].detect, 0.05);
  EXPECT_DOUBLE_EQ(read("[[case]]\nsubject = 'w5'\nmargin = 3\n").value().cases[0].detect, 0.07);
  EXPECT_DOUBLE_EQ(read("[check]\ndetect = 8\n[[case]]\nsubject = 'w5'\n").value().cases[0].detect, 0.08);
  EXPECT_DOUBLE_EQ(read("[check]\ndetect = 8\n[[case]]\nsubject = 'w5'\ndetect = 2\n").value().cases[0].detect, 0.02);
  EXPECT_EQ(complaint("[check]\ndetect = 8\n[[case]]\nsubject = 'w5'\nmargin = 8\n"),
            "fuselab.toml:3: the case's detect must be above its margin: no smaller change is ever called");
}

TEST(CheckConfig, ReadsCommands) {
  const auto read_config = read(R"([check]
margin = 2
devices = "cpu"
[[case]]
command = "./bench --size 64 | tee log"
[[case]]
name = "python"
command = ["python3", "bench.py", "a b"]
baseline-command = ["python3", "old/bench.py"]
build = "make bench"
time = "printed"
timeout = 5
budget = 7
)",
                                "there");
  ASSERT_TRUE(read_config.ok()) << read_config.error().message;
  const CheckCase &shell = read_config.value().cases[0], &direct = read_config.value().cases[1];
  EXPECT_TRUE(shell.command.command.by_shell);
  EXPECT_EQ(shell.name, "./bench --size 64 | tee log");
  EXPECT_EQ(shell.command.time, CommandTime::kWhole);
  EXPECT_EQ(shell.command.folder, "there");
  EXPECT_FALSE(shell.command.baseline.is_set() || shell.command.build.is_set());
  EXPECT_DOUBLE_EQ(shell.budget.count, 30e9) << "a run of a command takes longer than one of a kernel";
  EXPECT_DOUBLE_EQ(shell.margin, 0.02);
  EXPECT_TRUE(shell.devices.empty());
  EXPECT_FALSE(direct.command.command.by_shell);
  EXPECT_EQ(direct.subject, "python3 bench.py 'a b'");
  EXPECT_EQ(direct.command.baseline.text(), "python3 old/bench.py");
  EXPECT_EQ(direct.command.build.text(), "make bench");
  EXPECT_EQ(direct.command.time, CommandTime::kPrinted);
  EXPECT_DOUBLE_EQ(direct.command.timeout_seconds, 5);
  EXPECT_DOUBLE_EQ(direct.budget.count, 7e9);
  EXPECT_DOUBLE_EQ(read("[check]\nbudget = 3\n[[case]]\ncommand = 'true'\n").value().cases[0].budget.count, 3e9);
}

TEST(CheckConfig, ACommandHasNothingOfASubject) {
  EXPECT_EQ(complaint("[[case]]\ncommand = 'true'\nsubject = 'w5'\n"), "fuselab.toml:3: subject does not go with a command");
  EXPECT_EQ(complaint("[[case]]\nsubject = 'w5'\nbuild = 'make'\n"),
            "fuselab.toml:3: build goes with a command, and the case has none");
  EXPECT_EQ(complaint("[[case]]\ncommand = 'true'\ntime = 'gpu'\n").substr(0, 27), "fuselab.toml:3: time is 'gp");
  EXPECT_EQ(read("[[case]]\ncommand = 'true'\ntime = 'cpu'\n").value().cases[0].command.time, CommandTime::kProcessor);
  EXPECT_EQ(complaint("[[case]]\ncommand = ''\n"), "fuselab.toml:2: command is empty");
  EXPECT_EQ(complaint("[[case]]\ncommand = []\n"), "fuselab.toml:2: command is an empty list");
  EXPECT_EQ(complaint("[[case]]\ncommand = 'true'\ntimeout = 0\n"),
            "fuselab.toml:3: timeout must lie above 0 and be at most 3600 seconds of one run");
}

TEST(CheckConfig, NamesTheLineOfAModeThatIsNone) {
  EXPECT_EQ(complaint("[check]\nmargin = 2\nbaseline-mode = 'latest'\n[[case]]\nsubject = 'w5'\n"),
            "fuselab.toml:3: baseline-mode cannot be used: 'latest' is none; there are paired, historical and golden");
  EXPECT_NE(complaint("[check]\nbaseline-mode = 3\n[[case]]\nsubject = 'w5'\n").find("fuselab.toml:2: baseline-mode"),
            std::string::npos);
  EXPECT_FALSE(read("[[case]]\nsubject = 'w5'\n").value().baseline_mode) << "not said";
}

TEST(CheckConfig, NamesTheLineOfWhatItDoesNotKnow) {
  EXPECT_EQ(complaint("[[case]]\nsubject = 'w5'\nshapes = 'rows=1'\n"),
            "fuselab.toml:3: [[case]] knows no 'shapes'; it has name, subject, shape, dtypes, devices, config, margin, budget, "
            "detect, command, "
            "baseline-command, build, time, timeout");
  EXPECT_EQ(complaint("[chek]\n[[case]]\nsubject = 'w5'\n"), "fuselab.toml:1: the file knows no 'chek'; it has check, case");
  EXPECT_EQ(complaint("[check]\nmargins = 1\n[[case]]\nsubject = 'w5'\n").substr(0, 40),
            "fuselab.toml:2: [check] knows no 'margin");
}

TEST(CheckConfig, NamesTheLineOfAWrongType) {
  EXPECT_EQ(complaint("[[case]]\nsubject = 5\n"), "fuselab.toml:2: subject must be a text in quotes");
  EXPECT_EQ(complaint("[[case]]\nsubject = 'w5'\nmargin = 'wide'\n"),
            "fuselab.toml:3: margin must be a number, in percent of the baseline's time");
  EXPECT_EQ(complaint("[[case]]\nsubject = 'w5'\ndevices = 3\n"), "fuselab.toml:3: devices must be a text or a list of texts");
  EXPECT_EQ(complaint("[[case]]\nsubject = 'w5'\nshape = {rows = 1.5}\n"),
            "fuselab.toml:3: shape gives 'rows' what is no whole number");
  EXPECT_EQ(complaint("[case]\nsubject = 'w5'\n"), "fuselab.toml:1: case must be written [[case]], in double brackets");
  EXPECT_EQ(complaint("check = 3\n[[case]]\nsubject = 'w5'\n"), "fuselab.toml:1: check must be a table: [check]");
  EXPECT_EQ(complaint("[[case]]\nname = 'x'\n"),
            "fuselab.toml:1: [[case]] has no subject, a workload (\"w5\") or a model's path, and no command (\"./bench\")");
  EXPECT_EQ(complaint("# nothing\n"), "fuselab.toml:1: there is no [[case]]: name one with subject = \"w5\"");
}

TEST(CheckConfig, RefusesWhatLiesBeyondItsBounds) {
  EXPECT_EQ(complaint("[[case]]\nsubject = 'w5'\nmargin = 0\n"),
            "fuselab.toml:3: margin must lie above 0 and be at most 1000 percent of the baseline's time");
  EXPECT_NE(complaint("[[case]]\nsubject = 'w5'\nmargin = nan\n"), "(none)");
  EXPECT_NE(complaint("[[case]]\nsubject = 'w5'\nbudget = inf\n"), "(none)");
  EXPECT_NE(complaint("[[case]]\nsubject = 'w5'\nbudget = 1e9\n"), "(none)");
  EXPECT_NE(complaint("[[case]]\nsubject = 'w5'\nshape = 'rows=9223372036854775807'\n"), "(none)");
  EXPECT_NE(complaint("[[case]]\nsubject = 'w5'\nshape = {rows = -1}\n"), "(none)");
  EXPECT_NE(complaint("[[case]]\nsubject = 'w5'\ndtypes = ['f33']\n"), "(none)");
  EXPECT_NE(complaint("[[case]]\nsubject = 'w5'\nconfig = 'threads'\n"), "(none)");
  EXPECT_NE(complaint("[[case]]\nsubject = '" + std::string(1001, 'w') + "'\n"), "(none)");
  EXPECT_NE(complaint("[[case]]\nsubject = \"w5\\u001b[2J\"\n"), "(none)");
  EXPECT_EQ(complaint("[[case]]\nsubject = 'w5'\n[[case]]\nsubject = 'w5'\n"), "fuselab.toml:3: there are two cases called 'w5'");
}

TEST(CheckConfig, SurvivesTextsThatAreNoToml) {
  EXPECT_EQ(complaint("[[case]]\nsubject = \n").substr(0, 15), "fuselab.toml:2:");
  for (const std::string& text :
       {std::string("\0\0\0", 3), std::string("\xff\xfe\n"), std::string(100'000, '['), "a = " + std::string(100'000, '['),
        "[[case]]\n" + std::string(10'000, '\n') + "x", std::string("[[ [x]]\n"), std::string("[=]\n"), std::string("[\n"),
        std::string("[[\n"), std::string("\t[[.a]]\n"), std::string("\xc2\xa0[[[x]]]\n"), std::string("["), std::string("[[")}) {
    EXPECT_EQ(complaint(text).substr(0, 13), "fuselab.toml:");
  }
}

TEST(CheckConfig, ReadsModelsOfItsFolderOnly) {
  const auto folder = platform::TemporaryFolder::create("fuselab-check-config");
  ASSERT_TRUE(folder.ok());
  const std::filesystem::path root = folder.value().path() / "repository";
  std::filesystem::create_directories(root / "models");
  std::ofstream(folder.value().path() / "secret.onnx") << "x";
  std::ofstream(root / "models/own.onnx") << "x";
  std::filesystem::create_symlink(folder.value().path() / "secret.onnx", root / "link.onnx");
  std::filesystem::create_directory_symlink(folder.value().path(), root / "out");
  const auto subject = [&](const std::string& path) { return complaint("[[case]]\nsubject = '" + path + "'\n", root); };
  EXPECT_EQ(subject("models/own.onnx"), "(none)");
  EXPECT_EQ(read("[[case]]\nsubject = 'models/own.onnx'\n", root).value().cases[0].file, root / "models/own.onnx");
  EXPECT_EQ(subject("../secret.onnx"), "fuselab.toml:2: subject leaves the folder of the file; models lie inside it");
  EXPECT_EQ(subject("models/../../secret.onnx"), "fuselab.toml:2: subject leaves the folder of the file; models lie inside it");
  EXPECT_EQ(subject("/etc/passwd"), "fuselab.toml:2: subject is an absolute path; models lie inside the folder of the file");
  EXPECT_EQ(subject("link.onnx"), "fuselab.toml:2: subject is a link out of the folder of the file");
  EXPECT_EQ(subject("out/secret.onnx"), "fuselab.toml:2: subject is a link out of the folder of the file");
}

TEST(CheckConfig, SaysWhatIsMissingOrTooLarge) {
  const auto folder = platform::TemporaryFolder::create("fuselab-check-config");
  ASSERT_TRUE(folder.ok());
  const std::filesystem::path file = folder.value().path() / "fuselab.toml";
  const auto absent = read_check_config(file);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(absent.error().message.find("fuselab.toml is not there"), std::string::npos) << absent.error().message;
  std::ofstream(file) << std::string((1 << 20) + 1, '\n');
  EXPECT_FALSE(read_check_config(file).ok());
  EXPECT_FALSE(read_check_config(folder.value().path()).ok());
}

}  // namespace
}  // namespace fuselab::engine
