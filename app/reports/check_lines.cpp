// SPDX-License-Identifier: Apache-2.0
#include "app/reports/check_lines.h"

#include <nlohmann/json.hpp>

#include "app/reports/check_fields.h"
#include "app/reports/json_text.h"
#include "core/base/plain_text.h"
#include "core/fields/json_reader.h"
#include "core/fields/json_writer.h"

namespace fuselab::reports {
namespace {

using Ordered = nlohmann::ordered_json;  // to write; finding members in it takes too long for a stranger's
using Json = nlohmann::json;

constexpr std::string_view kFamily = "fuselab.check-lines/";
constexpr std::string_view kSchema = "fuselab.check-lines/1";

std::string line_of(const Ordered& object) {
  return with_escaped_controls(object.dump(-1, ' ', false, Ordered::error_handler_t::replace)) + "\n";
}

// A line of the file and its number, which errors name.
struct Line {
  std::size_t number = 0;
  std::string_view text;

  Error corrupt(const std::string& why) const { return {ErrorCode::kCorrupt, "line " + std::to_string(number) + ": " + why}; }
};

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

std::vector<Line> lines_in(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!is_blank(text.substr(0, end))) lines.push_back({number, text.substr(0, end)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct RunLine {
  CheckReport report;
  std::int64_t cases = 0;  // so many lines follow
};
constexpr auto fields_of(const RunLine*) {
  return fields::list<RunLine>(fields::inlined(&RunLine::report), fields::amount("cases", &RunLine::cases));
}

Result<RunLine> run_of(const Line& line) {
  const Json json = Json::parse(line.text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return line.corrupt("this is no JSON");
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  const bool has_schema = json.is_object() && schema != json.end() && schema->is_string();
  const std::string named = has_schema ? schema->get<std::string>() : "";
  if (!named.starts_with(kFamily))
    return invalid_argument("line " + std::to_string(line.number) + " begins no report of `fuselab check --json-lines`");
  if (named != kSchema) {
    return invalid_argument("line " + std::to_string(line.number) + " is of another version, " + plain_line(named.substr(0, 40)) +
                            "; this Fuselab reads " + std::string(kSchema));
  }
  RunLine run;
  if (const Status read = fields::read_fields(json, run); !read.ok()) return line.corrupt(read.error().message);
  return run;
}

Result<CaseOutcome> outcome_of(const Line& line) {
  const Json json = Json::parse(line.text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return line.corrupt("this is no JSON");
  CaseOutcome outcome;
  if (const Status read = fields::read_fields(json, outcome); !read.ok()) return line.corrupt(read.error().message);
  return outcome;
}

}  // namespace

std::string check_lines_of(const CheckReport& report) {
  Ordered run = {{"schema", kSchema}};
  fields::write_fields(run, report);
  run["cases"] = report.cases.size();
  std::string text = line_of(run);
  for (const CaseOutcome& outcome : report.cases) text += line_of(fields::json_of<Ordered>(outcome));
  return text;
}

Result<std::vector<CheckReport>> read_check_lines(std::string_view text) {
  const std::vector<Line> lines = lines_in(text);
  if (lines.empty()) return invalid_argument("there is no report in it");
  std::vector<CheckReport> reports;
  for (std::size_t next = 0; next < lines.size();) {
    const Line& first = lines[next++];
    FL_TRY(RunLine run, run_of(first));
    const auto left = static_cast<std::int64_t>(lines.size() - next);
    if (run.cases > left) {
      return first.corrupt("this run has " + std::to_string(run.cases) + " cases and " + std::to_string(left) +
                           " lines follow: the file was cut off");
    }
    for (std::int64_t i = 0; i < run.cases; ++i) {
      FL_TRY(CaseOutcome outcome, outcome_of(lines[next++]));
      run.report.cases.push_back(std::move(outcome));
    }
    reports.push_back(std::move(run.report));
  }
  return reports;
}

}  // namespace fuselab::reports
