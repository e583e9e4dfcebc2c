// SPDX-License-Identifier: Apache-2.0
// A disk that is full while the gate writes its reports, or standard output: what fails is named, keeps what it was, keeps no other
// from being written, and no verdict from being the exit code.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/cli/command_line.h"
#include "app/cli/steps/report_options.h"
#include "app/reports/check_html.h"
#include "app/reports/check_lines.h"
#include "app/reports/junit.h"
#include "app/reports/sarif.h"
#include "core/platform/files/temporary_folder.h"
#include "tests/support/sample_check_report.h"

namespace fuselab::cli {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// In a process of its own, because the limit on file sizes cannot be raised again: the exit code says which step failed.
int write_with_room_for(std::size_t bytes, const ReportOptions& options, const CheckReport& report) {
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
  const Status written = write_reports(options, report, stderr);
  if (written.ok()) return 2;
  const std::string& message = written.error().message;
  const bool one_line = message.find('\n') == std::string::npos;
  const bool says_which = message.starts_with("--html: write '" + options.html + "'");
  const bool says_the_others = message.ends_with("; written: " + options.json_lines + ", " + options.junit + ", " + options.sarif);
  if (written.error().code == ErrorCode::kIo && one_line && says_which && says_the_others) return 0;
  ::write(2, message.data(), message.size());
  return 3;
}

TEST(FullDiskUnderReports, KeepsTheOldPageAndWritesAllOthers) {
  const auto folder = platform::TemporaryFolder::create("fuselab-reports");
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const auto in = [&](const char* name) { return (folder.value().path() / name).string(); };
  ReportOptions options;
  options.json_lines = in("run.jsonl");
  options.junit = in("junit.xml");
  options.sarif = in("check.sarif");
  options.html = in("check.html");
  CheckReport report = test::sample_check_report();
  ASSERT_TRUE(write_reports(options, report, stderr).ok());
  const std::string old_page = content_of(options.html);
  report.commit = "another";
  const std::size_t others =
      std::max({reports::check_lines_of(report).size(), reports::junit_of(report).size(), reports::sarif_of(report).size()});
  ASSERT_LT(others, reports::check_html_of(report).size());

  const pid_t child = ::fork();
  if (child == 0) ::_exit(write_with_room_for(others, options, report));
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "failed step of write_with_room_for";
  EXPECT_EQ(content_of(options.html), old_page);
  EXPECT_EQ(content_of(options.json_lines), reports::check_lines_of(report));
  EXPECT_EQ(content_of(options.junit), reports::junit_of(report));
  EXPECT_EQ(content_of(options.sarif), reports::sarif_of(report));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.value().path()), fs::directory_iterator()), 4) << "something is left";
}

[[noreturn]] void end_with_full_output(std::vector<const char*> words) {
  if (std::freopen("/dev/full", "w", stdout) == nullptr) ::_exit(99);
  ::_exit(static_cast<int>(run_command_line(static_cast<int>(words.size()), words.data())));
}

TEST(FullDiskUnderOutput, SpoilsASuccessAndNoOtherEnd) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const auto with_code = [](int code) { return testing::ExitedWithCode(code); };
  constexpr const char* kTold = "standard output could not be written";
  EXPECT_EXIT(end_with_full_output({"fuselab", "--version"}), with_code(6), kTold);
  EXPECT_EXIT(end_with_full_output({"fuselab", "check", "--json", "--config", "/nowhere/fuselab.toml"}), with_code(2), kTold);
}

}  // namespace
}  // namespace fuselab::cli
