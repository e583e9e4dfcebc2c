// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/report_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "app/reports/annotations.h"
#include "app/reports/check_lines.h"
#include "core/platform/files/temporary_folder.h"
#include "tests/support/sample_check_report.h"

namespace fuselab::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class ReportOptionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = platform::TemporaryFolder::create("fuselab-reports");
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    folder_.emplace(std::move(folder).value());
    options_.json_lines = in("run.jsonl");
    options_.junit = in("junit.xml");
    options_.sarif = in("check.sarif");
    options_.markdown = in("summary.md");
    options_.html = in("check.html");
  }
  std::string in(const char* name) const { return (folder_->path() / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_->path()), fs::directory_iterator()));
  }

  std::optional<platform::TemporaryFolder> folder_;
  ReportOptions options_;
  const CheckReport report_ = test::sample_check_report();
};

TEST_F(ReportOptionsTest, EachFileIsWrittenAndReplacedByTheNextRun) {
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(may_write_reports(options_).ok());
    const Status written = write_reports(options_, report_, stderr);
    ASSERT_TRUE(written.ok()) << written.error().message;
    EXPECT_EQ(files(), 5u);
    EXPECT_EQ(content_of(options_.json_lines), reports::check_lines_of(report_));
  }
}

TEST_F(ReportOptionsTest, TheRecordIsAFileOfItsOwn) {
  EXPECT_TRUE(may_write_reports(options_, in("record.jsonl")).ok());
  const Status may = may_write_reports(options_, in("./junit.xml"));
  ASSERT_FALSE(may.ok());
  EXPECT_THAT(may.error().message, HasSubstr("--record and --junit name the same file"));
}

TEST_F(ReportOptionsTest, AnnotationsGoAmongTheProgramsLines) {
  ReportOptions only;
  only.annotations = true;
  const fs::path file = folder_->path() / "lines";
  std::FILE* const lines = std::fopen(file.c_str(), "w");
  ASSERT_NE(lines, nullptr);
  EXPECT_TRUE(write_reports(only, report_, lines).ok());
  std::fclose(lines);
  EXPECT_EQ(content_of(file), reports::annotations_of(report_));
}

TEST_F(ReportOptionsTest, WhatFuselabDidNotWriteIsLeftAlone) {
  std::ofstream(options_.sarif) << "{\"version\": \"2.1.0\"}";
  const Status may = may_write_reports(options_);
  ASSERT_FALSE(may.ok());
  EXPECT_EQ(may.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(may.error().message, "--sarif: " + options_.sarif + " was not written by Fuselab and is left alone");
  const Status written = write_reports(options_, report_, stderr);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(content_of(options_.sarif), "{\"version\": \"2.1.0\"}");
}

TEST_F(ReportOptionsTest, AFileOfSeveralRunsIsAHistory) {
  const std::string two = reports::check_lines_of(report_) + reports::check_lines_of(report_);
  std::ofstream(options_.json_lines) << two;
  const Status may = may_write_reports(options_);
  ASSERT_FALSE(may.ok());
  EXPECT_THAT(may.error().message, HasSubstr("holds several runs and is left alone"));
  EXPECT_FALSE(write_reports(options_, report_, stderr).ok());
  EXPECT_EQ(content_of(options_.json_lines), two);
}

TEST_F(ReportOptionsTest, AnEmptyFileMayBecomeAReport) {
  std::ofstream(options_.markdown).flush();
  EXPECT_TRUE(may_write_reports(options_).ok());
}

TEST_F(ReportOptionsTest, TwoReportsMayNotShareAFile) {
  options_.html = (folder_->path() / "." / "junit.xml").string();
  const Status may = may_write_reports(options_);
  ASSERT_FALSE(may.ok());
  EXPECT_THAT(may.error().message, HasSubstr("--junit and --html name the same file"));
}

TEST_F(ReportOptionsTest, AMissingFolderIsToldBeforeAnythingIsMeasured) {
  options_.junit = in("nowhere/junit.xml");
  const Status may = may_write_reports(options_);
  ASSERT_FALSE(may.ok());
  EXPECT_EQ(may.error().code, ErrorCode::kIo);
  EXPECT_THAT(may.error().message, HasSubstr("--junit: there is no folder "));
}

TEST_F(ReportOptionsTest, OneThatFailsKeepsNoOtherFromBeingWritten) {
  options_.junit = in("gone/junit.xml");
  const Status written = write_reports(options_, report_, stderr);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kIo);
  EXPECT_EQ(written.error().message.find('\n'), std::string::npos);
  EXPECT_THAT(written.error().message, HasSubstr("--junit: there is no folder "));
  EXPECT_THAT(written.error().message, HasSubstr("; written: " + options_.json_lines + ", " + options_.sarif + ", "));
  EXPECT_EQ(files(), 4u);
}

}  // namespace
}  // namespace fuselab::cli
