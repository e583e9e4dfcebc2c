// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/reproduce.h"

#include <gtest/gtest.h>

#include "app/cli/command_line.h"
#include "app/cli/output/compare_text.h"
#include "app/cli/output/report_html.h"
#include "core/base/shell_word.h"
#include "core/graph/graph_text.h"
#include "tests/support/shell_words.h"
#include "tests/unit/cli/tables.h"

namespace fuselab::cli {
namespace {

constexpr const char* kGraph =
    R"(graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Gelu(v0, approximate="tanh"); return v1 })";

engine::CompareTable table_with(engine::CompareCell cell) {
  auto table = table_of({std::move(cell)});
  table.rows[0].graph = kGraph;
  table.rows[0].recommended_device = "null:0";
  return table;
}

// The command as the program itself reads it.
class ReproducingCommand : public ::testing::Test {
 protected:
  const CLI::App& bench_of(const std::string& command) {
    std::vector<std::string> words = testing::shell_words(command);
    EXPECT_GE(words.size(), 3U) << command;
    if (words.size() < 3) return *app_;
    EXPECT_EQ(words[0], "fuselab");
    std::vector<const char*> given;
    for (const std::string& word : words) given.push_back(word.c_str());
    app_ = make_command_line(invocation_);
    try {
      app_->parse(static_cast<int>(given.size()), given.data());
    } catch (const CLI::ParseError& error) {
      ADD_FAILURE() << command << "\n" << error.what();
    }
    return *app_->get_subcommand("bench");
  }
  static std::string value(const CLI::App& bench, const char* option) {
    const auto values = bench.get_option(option)->results();
    return values.empty() ? "" : values.front();
  }

  Invocation invocation_;
  std::unique_ptr<CLI::App> app_ = make_command_line(invocation_);
};

TEST_F(ReproducingCommand, MeasuresTheVeryPieceOnTheRecommendedDevice) {
  const auto table = table_with(cell_on("cpu:0", measured(1, 1, 1, "f"), measured(2, 2, 2, "u")));
  const CLI::App& bench = bench_of(reproducing_command(table, table.rows[0]));
  const auto graph = parse_graph(value(bench, "SUBJECT"));
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(canonical_text(graph.value()), kGraph);
  EXPECT_EQ(value(bench, "--device"), "null:0");
  for (const char* usual : {"--level", "--mode", "--config"}) EXPECT_EQ(value(bench, usual), "") << usual;
}

TEST_F(ReproducingCommand, NamesDeviceConfigurationLevelAndModeOfAFailure) {
  auto table = table_with(cell_on("cpu:0", failed("fused crashed: signal 11"), failed("fused crashed: signal 11")));
  table.rows[0].cells[0].fused.failed_config = "threads=2,unroll=4";
  table.level = "O3";
  table.mode = CacheMode::kCold;
  const CLI::App& bench = bench_of(reproducing_command(table, table.rows[0]));
  EXPECT_EQ(value(bench, "--device"), "cpu:0");
  EXPECT_EQ(value(bench, "--config"), "threads=2,unroll=4");
  EXPECT_EQ(value(bench, "--level"), "O3");
  EXPECT_EQ(value(bench, "--mode"), "cold");
}

TEST_F(ReproducingCommand, IsPrintedBelowFailuresAndForEveryPieceOfThePage) {
  auto table = table_with(cell_on("cpu:0", measured(1, 1, 1, "f"), measured(2, 2, 2, "u")));
  const std::string command = reproducing_command(table, table.rows[0]);
  EXPECT_EQ(compare_text(table, Detail::kUsual, Terminal()).find("reproduce: "), std::string::npos);
  const std::string page = report_html({}, {table});
  const std::string escaped =
      "<code>fuselab bench 'graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Gelu(v0, "
      "approximate=&quot;tanh&quot;); return v1 }' --device null:0</code>";
  EXPECT_NE(page.find(escaped), std::string::npos) << page;
  table.rows[0].cells[0].unfused = failed("unfused crashed: signal 11");
  EXPECT_NE(compare_text(table, Detail::kUsual, Terminal()).find("reproduce: " + reproducing_command(table, table.rows[0]) + "\n"),
            std::string::npos);
  table.rows[0].graph.clear();
  EXPECT_EQ(reproducing_command(table, table.rows[0]), "") << "a barrier is never measured";
  EXPECT_EQ(report_html({}, {table}).find("<code>fuselab bench"), std::string::npos);
}

TEST_F(ReproducingCommand, QuotesForAShell) {
  for (const char* word : {"plain", "a b", "it's", "$HOME", "a\"b", "`x`", "[a]*", "~", "", "a\\b", "k=1,m=2"})
    EXPECT_EQ(testing::shell_words("x " + shell_word(word)).back(), word) << shell_word(word);
}

}  // namespace
}  // namespace fuselab::cli
