// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/check_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/output/selftest_text.h"
#include "app/reports/check_fields.h"
#include "core/fields/json_writer.h"

namespace fuselab::cli {
namespace {

using nlohmann::json;

// JSON has no infinity: what is not known yet is null.
json known(double value) {
  return std::isfinite(value) ? json(value) : json();
}

json comparison_json(const ComparisonResult& result) {
  json object = {{"verdict", name_of(result.verdict)},
                 {"ratio", known(result.ratio)},
                 {"low", known(result.interval.low)},
                 {"high", known(result.interval.high)},
                 {"minimum_detectable", known(result.minimum_detectable)},
                 {"p_regressed", result.p_regressed},
                 {"p_improved", result.p_improved},
                 {"processes", result.processes},
                 {"pairs", result.pairs},
                 {"kernel_s", result.spent.seconds()}};
  const auto shares = variance_shares(result);
  if (!shares) return object;
  object["variance"] = {{"within_block", shares->within_block},
                        {"between_blocks", shares->between_blocks},
                        {"between_processes", shares->between_processes}};
  return object;
}

// Returns what is known of how often such comparisons err, or why no rate is known.
json selftest_json(const CheckReport& report) {
  json object = json::object();
  if (report.false_alarms) object["false_alarms"] = rate_json(*report.false_alarms);
  if (!report.selftest) return object;
  object[report.false_alarms ? "of" : "reason"] = report.selftest->of;
  object["power"] = json::array();
  for (const FoundSlowdown& each : report.selftest->power) {
    json found = rate_json(each.found);
    found["slowdown"] = each.slowdown;
    object["power"].push_back(std::move(found));
  }
  return object;
}

json case_json(const CaseOutcome& outcome) {
  json object = {{"name", outcome.name},
                 {"subject", outcome.subject},
                 {"device", outcome.device},
                 {"backend", outcome.backend},
                 {"file", outcome.where.file},
                 {"line", outcome.where.line},
                 {"state", name_of(outcome.state)},
                 {"margin", outcome.margin},
                 {"disturbed", outcome.disturbed},
                 {"wall_s", outcome.wall_seconds}};
  if (!outcome.configuration.empty()) object["configuration"] = outcome.configuration;
  if (!outcome.reason.empty()) object["reason"] = outcome.reason;
  if (!outcome.output.empty()) object["output"] = outcome.output;
  if (outcome.detect > 0) object["detect"] = outcome.detect;
  if (outcome.drill > 0) object["drill"] = outcome.drill;
  if (outcome.null_control) object["null_control"] = true;
  if (!outcome.reproduce.empty()) object["reproduce"] = outcome.reproduce;
  if (outcome.baseline) {
    object["baseline"] = fields::json_of<json>(*outcome.baseline);
    object["baseline"].erase("kernel");  // the schema has no room for it
  }
  if (!outcome.comparison) return object;
  object["comparison"] = comparison_json(*outcome.comparison);
  object["q_value"] = outcome.q_value;
  object["baseline_ns"] = outcome.baseline_ns;
  object["candidate_ns"] = outcome.candidate_ns;
  if (outcome.confirmation) object["confirmation"] = comparison_json(*outcome.confirmation);
  return object;
}

}  // namespace

nlohmann::json check_json(const CheckReport& report, const CaseOutcome* decisive) {
  json cases = json::array();
  for (const CaseOutcome& outcome : report.cases) cases.push_back(case_json(outcome));
  json environment = json::object();
  for (const auto& [name, value] : report.environment) environment[name] = value;
  json document = {{"schema", "fuselab.check/1"},       {"version", report.tool_version},        {"commit", report.commit},
                   {"started_at", report.started_at},   {"environment", std::move(environment)}, {"cases", std::move(cases)},
                   {"kernel_s", report.kernel_seconds}, {"wall_s", report.wall_seconds}};
  if (report.false_alarms || report.selftest) document["selftest"] = selftest_json(report);
  if (decisive == nullptr && report.exit_code == 0) return document;
  document["exit"] = report.exit_code;
  if (decisive == nullptr) {
    document["error"] = {{"code", "cancelled"}, {"message", "interrupted before every case was compared"}};
    return document;
  }
  const std::string why = decisive->reason.empty() ? "" : ": " + decisive->reason;
  document["error"] = {{"code", name_of(decisive->state)},
                       {"message", decisive->name + " " + std::string(name_of(decisive->state)) + why}};
  return document;
}

}  // namespace fuselab::cli
