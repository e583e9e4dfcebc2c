// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/report_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/tables.h"

namespace fuselab::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string page_with(const std::string& piece) {
  auto table = table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "f"), measured(3000, 2900, 3100, "u"))});
  table.rows[0].name = piece;
  return report_html({"results.db", "today", "warm", {}}, {table});
}

TEST(ReportHtml, CutsALabelThatWouldRunUnderTheBars) {
  const std::string shown = "encoder/layer.0/attention/self/" + std::string(24, 'x');  // 55 letters, 368 of 380 units with the next
  const std::string longer = shown + "yz<";
  EXPECT_THAT(page_with(longer), HasSubstr("y=\"13.0\"><title>" + shown + "yz&lt;</title>" + shown + "…</text>"));
}

TEST(ReportHtml, LeavesALabelThatFitsAlone) {
  const std::string page = page_with("Add+Gelu");
  EXPECT_THAT(page, HasSubstr("y=\"13.0\">Add+Gelu</text>"));
  EXPECT_THAT(page.substr(page.find("<svg")), Not(HasSubstr("<title>")));
}

TEST(ReportHtml, CountsCharactersAndNotBytes) {
  std::string arrows;
  for (int count = 0; count < 56; ++count) arrows += "→";
  EXPECT_THAT(page_with(arrows), HasSubstr("y=\"13.0\">" + arrows + "</text>"));
}

TEST(ReportHtml, SaysWhatShareIsCoveredOnlyWhenNotAll) {
  auto table = table_of({cell_on("cpu:0", {}, {})});
  EXPECT_THAT(report_html({"results.db", "today", "warm", {}}, {table}), Not(HasSubstr("covered")));
  table.covered_share = 1.0 / 3.0;
  EXPECT_THAT(report_html({"results.db", "today", "warm", {}}, {table}), HasSubstr("<p>33% of the operators read; the rest"));
}

}  // namespace
}  // namespace fuselab::cli
