// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/check_record.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/session/gate/replay_json.h"
#include "core/platform/atomic_file.h"

namespace fuselab::session {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kRecordSchema = "fuselab.check-record/1";
constexpr Bytes kLargestRecord{std::int64_t{512} << 20};

Json json_of(const CheckedCase& each, std::size_t comparisons) {
  const CaseOutcome& outcome = each.outcome;
  Json json = {{"name", outcome.name},         {"subject", outcome.subject},         {"device", outcome.device},
               {"backend", outcome.backend},   {"device_uuid", outcome.device_uuid}, {"file", outcome.where.file},
               {"line", outcome.where.line},   {"state", name_of(outcome.state)},    {"reason", outcome.reason},
               {"margin", outcome.margin},     {"wall_s", outcome.wall_seconds},     {"reproduce", outcome.reproduce},
               {"rule", record_of(each.rule)}, {"comparisons", comparisons}};
  if (outcome.baseline) {
    json["baseline"] = {{"kind", outcome.baseline->kind},
                        {"origin", outcome.baseline->origin},
                        {"commit", outcome.baseline->commit},
                        {"device_uuid", outcome.baseline->device_uuid},
                        {"recompiled", outcome.baseline->recompiled},
                        {"note", outcome.baseline->note},
                        {"other_machine", outcome.baseline->other_machine}};
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
  json.at("device").get_to(outcome.device);
  json.at("backend").get_to(outcome.backend);
  outcome.device_uuid = json.value("device_uuid", std::string());  // a Fuselab that kept none
  json.at("file").get_to(outcome.where.file);
  json.at("line").get_to(outcome.where.line);
  FL_TRY(outcome.state, parse_case_state(json.at("state").get<std::string>()));
  json.at("reason").get_to(outcome.reason);
  json.at("margin").get_to(outcome.margin);
  json.at("wall_s").get_to(outcome.wall_seconds);
  json.at("reproduce").get_to(outcome.reproduce);
  each.rule = rule_from(json.at("rule"));
  if (json.contains("baseline")) {
    const Json& baseline = json.at("baseline");
    outcome.baseline = BaselineUsed{baseline.at("kind").get<std::string>(), baseline.at("origin").get<std::string>(),
                                    baseline.at("commit").get<std::string>(), baseline.at("device_uuid").get<std::string>(),
                                    baseline.at("recompiled").get<bool>(),
                                    // Of a Fuselab that had neither:
                                    baseline.value("note", std::string()), baseline.value("other_machine", false)};
  }
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
                 {"reproduce", report.reproduce},   {"cases", run.cases.size()}};
  header["fail_on"] = words_of(run.fail_on);
  if (report.false_alarms)
    header["false_alarms"] = {{"events", report.false_alarms->events}, {"trials", report.false_alarms->trials}};
  return header;
}

Result<std::size_t> take_header(const Json& json, CheckRun& run) {
  CheckReport& report = run.report;
  if (json.at("schema").get<std::string>() != kRecordSchema) return invalid_argument("it is no record of this version's gate");
  json.at("version").get_to(report.tool_version);
  json.at("commit").get_to(report.commit);
  json.at("started_at").get_to(report.started_at);
  json.at("environment").get_to(report.environment);
  json.at("wall_s").get_to(report.wall_seconds);
  json.at("reproduce").get_to(report.reproduce);
  if (json.contains("fail_on")) {  // else of a Fuselab that did not keep it
    auto const chosen = parse_fail_on(json.at("fail_on").get<std::vector<std::string>>());
    if (!chosen.ok()) return Error{ErrorCode::kCorrupt, chosen.error().message};
    run.fail_on = chosen.value();
  }
  if (json.contains("false_alarms")) {
    const Json& rate = json.at("false_alarms");
    report.false_alarms = ErrorRate{rate.at("events").get<std::int64_t>(), rate.at("trials").get<std::int64_t>()};
  }
  return json.at("cases").get<std::size_t>();
}

// One line: the header, or one more case.
Result<std::size_t> take_line(const std::string& line, std::size_t number, std::size_t expected, CheckRun& run) {
  try {
    Json const json = Json::parse(line);
    if (number == 1) return take_header(json, run);
    FL_TRY(CheckedCase each, case_of(json));
    run.cases.push_back(std::move(each));
    return expected;
  } catch (const Json::exception&) {
    if (number == 1) return invalid_argument("it is no record of the gate");
    return Error{ErrorCode::kCorrupt, "this line was cut short or damaged"};
  }
}

}  // namespace

Status write_check_record(const std::filesystem::path& file, const CheckRun& run) {
  auto const comparisons = comparisons_of(run.cases);
  std::string text = header_of(run).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (const CheckedCase& each : run.cases)
    text += json_of(each, comparisons).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

Result<CheckRun> read_check_record(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Error{ErrorCode::kNotFound, file.string() + " is not there"};
  if (!std::filesystem::is_regular_file(file, ignored)) return invalid_argument(file.string() + " is no file");
  FL_TRY(auto const bytes, platform::read_file(file, kLargestRecord));
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  CheckRun run;
  std::size_t number = 0, expected = 0;
  for (std::string line; std::getline(lines, line);) {
    auto const taken = take_line(line, ++number, expected, run);
    if (!taken.ok()) return taken.error().within(file.string() + ":" + std::to_string(number));
    expected = taken.value();
  }
  if (number == 0) return invalid_argument(file.string() + " is empty");
  if (run.cases.size() == expected) return run;
  return Error{ErrorCode::kCorrupt, file.string() + " has " + std::to_string(run.cases.size()) + " of its " +
                                        std::to_string(expected) + " cases: it was cut short"};
}

}  // namespace fuselab::session
