// SPDX-License-Identifier: Apache-2.0
// Whoever wrote a database or a model wrote its names: they reach a terminal, a page and a document as words alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "app/cli/output/jobs/job_progress.h"
#include "app/cli/output/report_html.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/json_output.h"
#include "tests/unit/cli/tables.h"

namespace fuselab::cli {
namespace {

using ::testing::HasSubstr;

// Clears the screen, as C0, as C1 in UTF-8 and as a byte.
const std::string kEvil =
    "evil\x1b[2J\xc2\x9b"
    "2J\x9b"
    "2J\x7f";
const std::string kTamed = "evil?[2J?2J?2J?";

bool is_plain(const std::string& text) {
  return text.find_first_of("\x1b\x7f\x9b") == std::string::npos;
}

// Every text of a table is somebody's.
engine::CompareTable hostile_table() {
  auto table = table_of({cell_on(kEvil, failed("fused crashed: " + kEvil), measured(2000, 1900, 2100, "u"))});
  table.model = table.binding = table.dtype = table.level = kEvil;
  table.also_measured = {{kEvil, kEvil, kEvil}};
  engine::CompareRow& row = table.rows[0];
  row.name = row.pattern = row.graph = row.recommended_device = kEvil;
  row.reason = kEvil + ": " + kEvil;
  engine::ModelTotal total;
  total.device_id = kEvil;
  total.pieces = total.measured_pieces = 1;
  table.totals = {total};
  return table;
}

TEST(HostileText, MovesNoCursorInAComparison) {
  for (const Detail detail : {Detail::kUsual, Detail::kAll}) {
    const std::string text = compare_text(hostile_table(), detail, Terminal());
    EXPECT_TRUE(is_plain(text)) << text;
    EXPECT_THAT(text, HasSubstr(kTamed + " → " + kTamed + ": " + kTamed));
  }
}

TEST(HostileText, IsNoMarkupAndNoControlCharacterOfThePage) {
  const std::string page = report_html({"now", kEvil, "warm", {kEvil}}, {hostile_table()});
  EXPECT_TRUE(is_plain(page)) << page;
  EXPECT_THAT(page, HasSubstr("<td>" + kTamed + "</td>"));
}

TEST(HostileText, IsTamedInProgressLogAndErrors) {
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.phase = progress.activity = progress.detail = kEvil;
  testing::internal::CaptureStderr();
  JobProgressPrinter printer(Terminal(), false);
  printer.show(progress);
  printer.show(engine::LogLine{engine::LogLine::Level::kWarning, kEvil + "\nnext line"});
  fail(Invocation(), invalid_argument(kEvil));
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(is_plain(text)) << text;
  EXPECT_THAT(text, HasSubstr("warning: " + kTamed + "\nnext line\n"));
  EXPECT_THAT(text, HasSubstr("fuselab: " + kTamed + "\n"));
}

TEST(HostileText, IsEscapedInADocumentAndMeansTheSame) {
  const std::string name =
      "evil\x1b[2J\xc2\x9b"
      "2J\x7f µs";
  testing::internal::CaptureStdout();
  print_document({{"name", name}}, std::nullopt);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_TRUE(is_plain(text)) << text;
  EXPECT_EQ(nlohmann::json::parse(text).at("name").get<std::string>(), name);
}

}  // namespace
}  // namespace fuselab::cli
