// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/report_options.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "app/cli/output/github_places.h"
#include "app/cli/shell/own_file.h"
#include "app/reports/annotations.h"
#include "app/reports/check_html.h"
#include "app/reports/check_lines.h"
#include "app/reports/junit.h"
#include "app/reports/markdown.h"
#include "app/reports/sarif.h"

namespace fuselab::cli {
namespace {

// Markdown has its limit as a second argument.
std::string markdown_of(const CheckReport& report) {
  return reports::markdown_of(report);
}

std::string sarif_of(const CheckReport& report) {
  return reports::sarif_of(with_github_places(report));
}

struct Format {
  const char* option;
  const char* help;
  std::string ReportOptions::*file;
  std::string_view start;
  std::string (*text_of)(const CheckReport&);
};
constexpr Format kFormats[] = {
    {"--json-lines", "Write everything, samples included, for programs: one JSON document a line", &ReportOptions::json_lines,
     reports::kCheckLinesStart, reports::check_lines_of},
    {"--junit", "Write JUnit XML, for GitLab and Jenkins", &ReportOptions::junit, reports::kJUnitStart, reports::junit_of},
    {"--sarif", "Write SARIF 2.1.0, for GitHub's code scanning", &ReportOptions::sarif, reports::kSarifStart, sarif_of},
    {"--markdown", "Write a summary, for a step's summary or a comment", &ReportOptions::markdown, reports::kMarkdownStart,
     markdown_of},
    {"--html", "Write one self-contained page with every sample", &ReportOptions::html, reports::kCheckPageStart,
     reports::check_html_of},
};

// Runs that somebody put one after another are a history, which one run does not replace.
bool holds_several_runs(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  int runs = 0;
  for (std::string line; runs < 2 && std::getline(stream, line);) runs += line.starts_with(reports::kCheckLinesStart) ? 1 : 0;
  return runs > 1;
}

Status may_write(const Format& format, const std::filesystem::path& file) {
  FL_TRY_VOID(may_write_own(file, format.start));
  if (format.start != reports::kCheckLinesStart || !holds_several_runs(file)) return {};
  return invalid_argument(file.string() + " holds several runs and is left alone; write to a file of its own and append that");
}

// Returns a path by which two names of one file are recognised as the same.
std::filesystem::path place_of(const std::filesystem::path& file) {
  std::error_code failed;
  std::filesystem::path place = std::filesystem::weakly_canonical(file, failed);
  return failed ? file : place;
}

std::string listed_after(const char* words, const std::string& names) {
  return names.empty() ? "" : words + names;
}

}  // namespace

void add_report_options(CLI::App& verb, ReportOptions& options) {
  for (const Format& format : kFormats) verb.add_option(format.option, options.*format.file, format.help)->type_name("FILE");
  verb.add_flag("--annotations", options.annotations, "Print GitHub's annotations, at the lines of the configuration");
}

Status may_write_reports(const ReportOptions& options, const std::string& record) {
  std::map<std::filesystem::path, const char*> taken;
  if (!record.empty()) taken.emplace(place_of(record), "--record");
  for (const Format& format : kFormats) {
    const std::filesystem::path file = options.*format.file;
    if (file.empty()) continue;
    const auto [other, fresh] = taken.try_emplace(place_of(file), format.option);
    if (!fresh)
      return invalid_argument(std::string(other->second) + " and " + format.option + " name the same file, " + file.string());
    if (const Status may = may_write(format, file); !may.ok()) return may.error().within(format.option);
  }
  return {};
}

Status write_reports(const ReportOptions& options, const CheckReport& report, std::FILE* lines) {
  std::string failures, written;
  for (const Format& format : kFormats) {
    const std::string& file = options.*format.file;
    if (file.empty()) continue;
    Status done = may_write(format, file);
    if (done.ok()) done = write_own(file, format.start, format.text_of(report));
    if (done.ok()) {
      written += (written.empty() ? "" : ", ") + file;
    } else {
      failures += (failures.empty() ? "" : "; ") + std::string(format.option) + ": " + done.error().message;
    }
  }
  if (options.annotations) std::fputs(reports::annotations_of(with_github_places(report)).c_str(), lines);
  if (failures.empty()) return {};
  return Error{ErrorCode::kIo, failures + listed_after("; written: ", written)};
}

}  // namespace fuselab::cli
