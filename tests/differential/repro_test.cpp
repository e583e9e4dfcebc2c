// SPDX-License-Identifier: Apache-2.0
// The line that a failed trial prints is one that the program takes.
#include <gtest/gtest.h>

#include "app/cli/command_line.h"
#include "backends/cpu/cpu_backend.h"
#include "core/graph/graph_text.h"
#include "tests/differential/kernel_trial.h"
#include "tests/support/shell_words.h"

namespace fuselab::testing {
namespace {

constexpr const char* kGraphs[] = {
    R"(graph(x: f32[5,65], b: param f32[65]) { s = Add(x, b); y = Gelu(s, approximate="tanh"); return y })",
    R"(graph(x: f32[5,65], l: i64[5]) { y = SoftmaxCrossEntropyLoss(x, l, reduction="none"); return y })",
    R"(graph(x: f32[3,4], w: param f32[4,3]) { p = MatMul(x, w); y = Clip(p, min=-0.5, max=0.5); return y })",
};

// What the program makes of an option; empty when it takes the line otherwise or not at all.
std::string read_by_program(const std::string& line, const char* option) {
  cli::Invocation invocation;
  const auto app = cli::make_command_line(invocation);
  std::vector<const char*> words;
  const std::vector<std::string> split = shell_words(line);
  for (const std::string& word : split) words.push_back(word.c_str());
  try {
    app->parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    ADD_FAILURE() << line << "\n" << error.what();
    return "";
  }
  const auto values = app->get_subcommand("bench")->get_option(option)->results();
  return values.size() == 1 ? values.front() : "";
}

TEST(Repro, IsALineThatTheProgramTakes) {
  const auto backend = make_cpu_backend();
  const auto devices = backend->enumerate();
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  std::vector<Target> targets = devices.value().front().other_targets;
  targets.push_back(devices.value().front().target);
  for (const char* text : kGraphs) {
    const Graph graph = parse_graph(text).value();
    for (const Target& target : targets) {
      for (const LaunchConfig& config : backend->generator()->space(graph, target).enumerate(3)) {
        const std::string line = repro(graph, config, target);
        const auto read = parse_graph(read_by_program(line, "SUBJECT"));
        ASSERT_TRUE(read.ok()) << line << "\n" << read.error().message;
        EXPECT_EQ(graph_key(read.value()).hex(), graph_key(graph).hex()) << line;
        EXPECT_EQ(LaunchConfig::parse(read_by_program(line, "--config")).value(), config) << line;
        EXPECT_EQ(read_by_program(line, "--target"), target.id) << line;
        EXPECT_EQ(read_by_program(line, "--device"), devices.value().front().id) << line;
      }
    }
  }
}

}  // namespace
}  // namespace fuselab::testing
