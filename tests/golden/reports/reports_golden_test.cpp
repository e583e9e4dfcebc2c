// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/reports/annotations.h"
#include "app/reports/check_html.h"
#include "app/reports/check_lines.h"
#include "app/reports/junit.h"
#include "app/reports/markdown.h"
#include "app/reports/sarif.h"
#include "tests/support/recorded_text.h"
#include "tests/support/sample_check_report.h"

namespace fuselab::reports {
namespace {

void expect_report(const char* file, const std::string& text) {
  test::expect_as_recorded(std::filesystem::path(GOLDEN_FOLDER) / file, text);
}

TEST(Reports, AreWrittenAsRecorded) {
  CheckReport const report = test::sample_check_report();
  expect_report("lines.jsonl", check_lines_of(report));
  expect_report("junit.xml", junit_of(report));
  expect_report("check.sarif", sarif_of(report));
  expect_report("annotations.txt", annotations_of(report));
  expect_report("summary.md", markdown_of(report));
  expect_report("check.html", check_html_of(report));
}

}  // namespace
}  // namespace fuselab::reports
