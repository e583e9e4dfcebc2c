// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/check_record.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "app/gate/history/history_files.h"
#include "app/gate/judge/replay_json.h"
#include "app/gate/selftest/selftest_summary.h"
#include "app/reports/check_fields.h"
#include "core/fields/json_reader.h"
#include "core/fields/json_writer.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::engine {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kRecordSchema = "fuselab.check-record/1";
constexpr Bytes kLargestRecord{std::int64_t{512} << 20};

Error damaged() {
  return {ErrorCode::kCorrupt, "this line was cut short or damaged"};
}

Json json_of(const CheckedCase& each, std::size_t comparisons) {
  const CaseOutcome& outcome = each.outcome;
  Json json = {{"name", outcome.name},         {"subject", outcome.subject},         {"device", outcome.device},
               {"backend", outcome.backend},   {"device_uuid", outcome.device_uuid}, {"file", outcome.where.file},
               {"line", outcome.where.line},   {"state", name_of(outcome.state)},    {"reason", outcome.reason},
               {"margin", outcome.margin},     {"wall_s", outcome.wall_seconds},     {"reproduce", outcome.reproduce},
               {"rule", record_of(each.rule)}, {"comparisons", comparisons}};
  if (!outcome.configuration.empty()) json["configuration"] = outcome.configuration;
  if (!outcome.output.empty()) json["output"] = outcome.output;
  if (outcome.detect > 0) json["detect"] = outcome.detect;
  if (outcome.drill > 0) json["drill"] = outcome.drill;
  if (outcome.null_control) json["null_control"] = true;
  if (outcome.baseline) json["baseline"] = fields::json_of<Json>(*outcome.baseline);
  if (!outcome.reference.empty()) {
    json["reference"] = outcome.reference;
    json["reference_ns"] = outcome.reference_ns;
  }
  if (!each.past.empty()) json["past"] = each.past;
  if (each.first) json["first"] = record_of(*each.first);
  if (each.confirmation) json["confirmation"] = record_of(*each.confirmation);
  if (!each.unconfirmed_because.empty()) {
    json["unconfirmed_because"] = each.unconfirmed_because;
    json["instead"] = name_of(each.instead);
  }
  return json;
}

Result<CheckedCase> case_of(const Json& json) {
  CheckedCase each;
  CaseOutcome& outcome = each.outcome;
  json.at("name").get_to(outcome.name);
  json.at("subject").get_to(outcome.subject);
  outcome.configuration = json.value("configuration", std::string());  // empty in records of a Fuselab that had it in the subject
  json.at("device").get_to(outcome.device);
  json.at("backend").get_to(outcome.backend);
  outcome.device_uuid = json.value("device_uuid", std::string());  // empty in records of a Fuselab that kept none
  json.at("file").get_to(outcome.where.file);
  json.at("line").get_to(outcome.where.line);
  FL_TRY(outcome.state, parse_case_state(json.at("state").get<std::string>()));
  json.at("reason").get_to(outcome.reason);
  json.at("margin").get_to(outcome.margin);
  json.at("wall_s").get_to(outcome.wall_seconds);
  json.at("reproduce").get_to(outcome.reproduce);
  outcome.reference = json.value("reference", std::string());
  outcome.reference_ns = json.value("reference_ns", 0.0);
  outcome.output = json.value("output", std::string());
  outcome.detect = json.value("detect", 0.0);  // 0 in records of a Fuselab that had none
  outcome.drill = json.value("drill", 0.0);
  outcome.null_control = json.value("null_control", false);
  each.rule = rule_from(json.at("rule"));
  if (json.contains("baseline") && !fields::read_fields(json.at("baseline"), outcome.baseline.emplace()).ok()) return damaged();
  if (json.contains("past")) json.at("past").get_to(each.past);
  if (json.contains("first")) {
    FL_TRY(each.first, replay_from(json.at("first"), each.rule, each.past));
  }
  if (json.contains("confirmation")) {
    FL_TRY(each.confirmation, replay_from(json.at("confirmation"),
                                          confirmation_rule(each.rule, json.at("comparisons").get<std::size_t>()), each.past));
  }
  each.unconfirmed_because = json.value("unconfirmed_because", std::string());
  if (!each.unconfirmed_because.empty()) {
    FL_TRY(each.instead, parse_case_state(json.at("instead").get<std::string>()));
  }
  return each;
}

Json header_of(const CheckRun& run) {
  const CheckReport& report = run.report;
  Json header = {{"schema", kRecordSchema},         {"version", report.tool_version},    {"commit", report.commit},
                 {"started_at", report.started_at}, {"environment", report.environment}, {"wall_s", report.wall_seconds},
                 {"reproduce", report.reproduce},   {"cases", run.cases.size()},         {"exit", exit_code_of(run)}};
  header["fail_on"] = words_of(run.fail_on);
  if (run.interrupted) header["interrupted"] = true;
  if (report.false_alarms) header["false_alarms"] = fields::json_of<Json>(*report.false_alarms);
  if (report.selftest) header["selftest"] = fields::json_of<Json>(*report.selftest);
  return header;
}

// The statements of a record about its run, before its cases.
struct RecordHeader {
  std::size_t cases = 0;
  std::vector<std::size_t> comparisons;  // the number of comparisons of the run, as each case states it
  std::optional<int> exit;               // nullopt: of a Fuselab that stored neither it nor how a measured case ended
};

Result<RecordHeader> take_header(const Json& json, CheckRun& run) {
  CheckReport& report = run.report;
  if (json.at("schema").get<std::string>() != kRecordSchema) return invalid_argument("it is no record of this version's gate");
  json.at("version").get_to(report.tool_version);
  json.at("commit").get_to(report.commit);
  json.at("started_at").get_to(report.started_at);
  json.at("environment").get_to(report.environment);
  json.at("wall_s").get_to(report.wall_seconds);
  json.at("reproduce").get_to(report.reproduce);
  if (json.contains("fail_on")) {  // missing in records of a Fuselab that did not keep it
    const auto chosen = parse_fail_on(json.at("fail_on").get<std::vector<std::string>>());
    if (!chosen.ok()) return Error{ErrorCode::kCorrupt, chosen.error().message};
    run.fail_on = chosen.value();
  }
  run.interrupted = json.value("interrupted", false);
  if (json.contains("false_alarms")) {
    const Json& rate = json.at("false_alarms");
    report.false_alarms = ErrorRate{rate.at("events").get<std::int64_t>(), rate.at("trials").get<std::int64_t>()};
  }
  if (json.contains("selftest"))
    report.selftest = SelftestNote{json.at("selftest").at("of").get<std::string>(), power_of(json.at("selftest").at("power"))};
  RecordHeader header;
  json.at("cases").get_to(header.cases);
  if (!json.contains("exit")) return header;
  if (!json.at("exit").is_number_integer()) return Error{ErrorCode::kCorrupt, "its exit code is none"};
  header.exit = json.at("exit").get<int>();
  return header;
}

// Reads one line: the header, or one more case.
Status take_line(const std::string& line, std::size_t number, RecordHeader& header, CheckRun& run) {
  try {
    const Json json = Json::parse(line);
    if (number == 1) {
      FL_TRY(header, take_header(json, run));
      return {};
    }
    FL_TRY(CheckedCase each, case_of(json));
    header.comparisons.push_back(json.at("comparisons").get<std::size_t>());
    run.cases.push_back(std::move(each));
    return {};
  } catch (const Json::exception&) {
    if (number == 1) return invalid_argument("it is no record of the gate");
    return damaged();
  }
}

// Returns whether only samples can put a case into this state.
bool takes_samples(CaseState state) {
  return state == CaseState::kRegressed || state == CaseState::kImproved || state == CaseState::kEquivalent ||
         state == CaseState::kUnconfirmed || state == CaseState::kInsensitive;
}

// Returns whether the gate may end a case so when its confirmation is missing: none of these states lets it pass, and an
// interrupted run does not pass either.
bool excuses(CaseState state, bool interrupted) {
  if (state == CaseState::kInconclusive) return interrupted;
  return state == CaseState::kMisconfigured || state == CaseState::kUnfit || state == CaseState::kWrongResult ||
         state == CaseState::kFailed;
}

// Returns why a case is inconsistent; empty: it is consistent. Its state is still the stored one.
std::string flaw_of(const CheckedCase& each, bool interrupted) {
  if (!each.unconfirmed_because.empty() && !excuses(each.instead, interrupted))
    return "it was not confirmed and says '" + std::string(name_of(each.instead)) + "' for that, which the gate never does";
  if (each.outcome.baseline && each.outcome.baseline->other_machine && each.past.empty())
    return "it says that its baseline's times are of another machine and keeps none of them";
  if (each.outcome.margin != each.rule.margin) return "it says two margins";
  if (each.is_suspect() && !each.confirmation && each.unconfirmed_because.empty())
    return "it called a change and keeps neither a confirmation nor why there is none";
  if (!each.first && takes_samples(each.outcome.state))
    return "it says '" + std::string(name_of(each.outcome.state)) + "' and keeps no samples";
  return {};
}

// Judges the run, and compares the result with what the record says.
Status judge_as_told(const std::string& file, const RecordHeader& header, CheckRun& run) {
  const auto corrupt = [&](std::size_t line, const std::string& why) {
    return Error{ErrorCode::kCorrupt, file + ":" + std::to_string(line) + ": " + why};
  };
  std::vector<CaseState> told;
  for (const CheckedCase& each : run.cases) {
    told.push_back(each.outcome.state);
    const std::string flaw = flaw_of(each, run.interrupted);
    if (!flaw.empty()) return corrupt(told.size() + 1, flaw);
  }
  judge(run.cases);
  const std::size_t comparisons = comparisons_of(run.cases);
  for (std::size_t i = 0; i < header.comparisons.size(); ++i) {
    if (header.comparisons[i] != comparisons)
      return corrupt(i + 2, "it says " + std::to_string(header.comparisons[i]) + " comparisons, and the record holds " +
                                std::to_string(comparisons));
  }
  if (!header.exit) return {};
  for (std::size_t i = 0; i < told.size(); ++i) {
    const CaseState found = run.cases[i].outcome.state;
    if (found == told[i]) continue;
    return corrupt(i + 2, "it says '" + std::string(name_of(told[i])) + "', and its samples '" + std::string(name_of(found)) + "'");
  }
  const int found = exit_code_of(run);
  if (found == *header.exit) return {};
  return corrupt(
      1, "it says that the run ended with " + std::to_string(*header.exit) + ", and its cases end with " + std::to_string(found));
}

}  // namespace

Status write_check_record(const std::filesystem::path& file, CheckRun run) {
  judge(run.cases);
  const auto comparisons = comparisons_of(run.cases);
  std::string text = header_of(run).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (const CheckedCase& each : run.cases)
    text += json_of(each, comparisons).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

Result<CheckRun> read_check_record(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Error{ErrorCode::kNotFound, file.string() + " is not there"};
  if (!std::filesystem::is_regular_file(file, ignored)) return invalid_argument(file.string() + " is no file");
  FL_TRY(const auto bytes, platform::read_file(file, kLargestRecord));
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  CheckRun run;
  RecordHeader header;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    const Status taken = take_line(line, ++number, header, run);
    if (!taken.ok()) return taken.error().within(file.string() + ":" + std::to_string(number));
  }
  if (number == 0) return invalid_argument(file.string() + " is empty");
  if (run.cases.size() != header.cases) {
    return Error{ErrorCode::kCorrupt, file.string() + " has " + std::to_string(run.cases.size()) + " of its " +
                                          std::to_string(header.cases) + " cases: it was cut short"};
  }
  FL_TRY_VOID(judge_as_told(file.string(), header, run));
  return run;
}

Result<CheckReport> read_check_report(const std::filesystem::path& file) {
  auto lines = read_check_files({file.string()});
  if (lines.ok()) return std::move(lines.value().back());
  if (lines.error().code != ErrorCode::kInvalidArgument) return lines.error();
  auto run = read_check_record(file);
  if (run.ok()) return report_of(std::move(run).value());
  if (run.error().code != ErrorCode::kInvalidArgument) return run.error();
  return invalid_argument(file.string() +
                          " is no run of the gate: `fuselab check --json-lines FILE` or `--record FILE` writes one");
}

}  // namespace fuselab::engine
