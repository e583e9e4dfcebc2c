// SPDX-License-Identifier: Apache-2.0
#include "app/reports/sarif.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/reports/case_words.h"
#include "app/reports/escaping.h"
#include "app/reports/json_text.h"
#include "core/base/content_hash.h"
#include "core/base/plain_text.h"

namespace fuselab::reports {
namespace {

using Document = nlohmann::ordered_json;

struct Rule {
  CaseState state;
  const char* id;
  const char* name;
  const char* summary;
  const char* help;
};
constexpr Rule kRules[] = {
    {CaseState::kRegressed, "fuselab/regressed", "ConfirmedRegression", "A kernel became slower by more than its margin",
     "The slowdown was found by interleaved runs of the baseline's kernel and the candidate's, or beside times of earlier sessions "
     "where the baseline is historical, and again in processes of its own."},
    {CaseState::kWrongResult, "fuselab/wrong-result", "WrongResult", "A kernel misses the reference's tolerance",
     "Its result was compared with the float64 reference before it was timed."},
    {CaseState::kFailed, "fuselab/failed", "FailedKernel", "A kernel could not be compiled or run",
     "The reason is the compiler's or the device's."},
    {CaseState::kMisconfigured, "fuselab/misconfigured", "MisconfiguredCase", "A case's own lines are wrong",
     "Nothing was measured for it."},
    {CaseState::kNoBaseline, "fuselab/no-baseline", "NoBaseline", "There is nothing to compare a case with",
     "Its baseline is missing, of another device, or cannot be built here."},
    {CaseState::kUntrusted, "fuselab/untrusted", "UntrustedBaseline", "A signer who is not trusted signed the baseline",
     "Nothing of it is used. `fuselab trust add` accepts the key that the message names."},
    {CaseState::kExpired, "fuselab/expired", "ExpiredBaseline", "The baseline has expired", "Save it anew."},
    {CaseState::kRenamed, "fuselab/renamed", "RenamedCase", "The baseline has a case's graph under another name",
     "Save the baseline anew, or give the case its name back: until then it is compared with nothing."},
    {CaseState::kUnfit, "fuselab/unfit", "EnvironmentUnfit",
     "The machine was too disturbed to judge a case, or its device is not there",
     "Other load, throttling or a missing device; nothing is said about the kernel."},
    {CaseState::kInsensitive, "fuselab/insensitive", "Insensitive",
     "The budget ended before a case could be judged, and a slowdown of `detect` could have gone unseen",
     "A larger budget, a wider margin or a calmer machine decides it."},
    {CaseState::kInconclusive, "fuselab/inconclusive", "Inconclusive", "The budget ended before a case could be judged",
     "A larger budget, a wider margin or a calmer machine decides it."},
};

// A list of one: braces alone would mean the item itself.
Document one_item(Document item) {
  Document list = Document::array();
  list.push_back(std::move(item));
  return list;
}

const char* level_of(CaseState state) {
  return attention_for(state) == Attention::kError ? "error" : "warning";
}

std::size_t rule_index(CaseState state) {
  const auto rule = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& each) { return each.state == state; });
  return static_cast<std::size_t>(rule - std::begin(kRules));
}

Document rules() {
  Document list = Document::array();
  for (const Rule& rule : kRules) {
    list.push_back({{"id", rule.id},
                    {"name", rule.name},
                    {"shortDescription", {{"text", rule.summary}}},
                    {"fullDescription", {{"text", std::string(rule.summary) + ". " + rule.help}}},
                    {"help", {{"text", rule.help}}},
                    {"defaultConfiguration", {{"level", level_of(rule.state)}}},
                    {"properties", {{"tags", one_item("performance")}}}});
  }
  return list;
}

void add_number(Document& object, const char* name, double value) {
  if (std::isfinite(value)) object[name] = value;  // absent: unknown, or without bound
}

Document properties_of(const CaseOutcome& one) {
  Document object = {{"subject", plain_line(one.subject)},
                     {"device", plain_line(one.device)},
                     {"backend", plain_line(one.backend)},
                     {"reproduce", plain_line(one.reproduce)}};
  if (!one.configuration.empty()) object["configuration"] = plain_line(one.configuration);
  if (one.baseline) object["baseline"] = baseline_text(one);
  add_number(object, "margin", one.margin);
  if (one.comparison) {
    add_number(object, "ratio", one.comparison->ratio);
    add_number(object, "ratioLow", one.comparison->interval.low);
    add_number(object, "ratioHigh", one.comparison->interval.high);
    add_number(object, "minimumDetectable", one.comparison->minimum_detectable);
    object["pairs"] = one.comparison->pairs;
    object["processes"] = one.comparison->processes;
    add_number(object, "qValue", one.q_value);
  }
  return object;
}

Document result_of(const CaseOutcome& one, std::size_t rule) {
  const std::string said = title_of(one) + ": " + finding_of(one) + "\nagain: " + plain_line(one.reproduce);
  const ContentHash fingerprint =
      IdentityHasher("fuselab.check-finding").add("rule", kRules[rule].id).add("case", one.name).add("device", one.device).finish();
  Document result = {
      {"ruleId", kRules[rule].id}, {"ruleIndex", rule}, {"level", level_of(one.state)}, {"message", {{"text", said}}}};
  if (!one.where.file.empty()) {
    const Document place = {{"artifactLocation", {{"uri", uri_path(one.where.file)}}},
                            {"region", {{"startLine", std::max(1, one.where.line)}}}};
    result["locations"] = one_item({{"physicalLocation", place}});
  }
  result["partialFingerprints"] = {{"primaryLocationLineHash", fingerprint.hex().substr(0, 16) + ":1"}};
  result["properties"] = properties_of(one);
  return result;
}

Document environment_of_run(const CheckReport& report) {
  Document list = Document::array();
  for (const auto& [name, value] : report.environment) list.push_back({{"name", plain_line(name)}, {"value", plain_line(value)}});
  return list;
}

// A case that failed is a finding of a tool that ran.
bool tool_ran(const CheckReport& report) {
  const bool a_case_failed = std::ranges::any_of(report.cases, [](const CaseOutcome& one) {
    return one.state == CaseState::kFailed || one.state == CaseState::kWrongResult || one.state == CaseState::kMisconfigured;
  });
  return a_case_failed || (report.exit_code != 2 && report.exit_code != 3);  // usage, internal: the table of exit codes
}

}  // namespace

std::string sarif_of(const CheckReport& report) {
  Document results = Document::array();
  std::size_t left_out = 0;
  for (const std::size_t index : by_severity(report)) {
    const CaseOutcome& one = report.cases[index];
    const std::size_t rule = rule_index(one.state);
    if (rule >= std::size(kRules)) continue;
    if (results.size() < kMostSarifResults) {
      results.push_back(result_of(one, rule));
    } else {
      ++left_out;
    }
  }
  Document run = {{"tool", {{"driver", {{"name", "Fuselab"}, {"version", plain_line(report.tool_version)}, {"rules", rules()}}}}},
                  {"automationDetails", {{"id", "fuselab-check/"}}},
                  {"invocations", one_item({{"executionSuccessful", tool_ran(report)}, {"exitCode", report.exit_code}})},
                  {"results", std::move(results)},
                  {"columnKind", "utf16CodeUnits"},
                  {"properties",
                   {{"startedAt", plain_line(report.started_at)},
                    {"commit", plain_line(report.commit)},
                    {"falseAlarms", false_alarms_text(report)},
                    {"environment", environment_of_run(report)}}}};
  if (left_out > 0) run["properties"]["resultsLeftOut"] = left_out;
  const Document document = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", one_item(run)}};
  return with_escaped_controls(document.dump(2, ' ', false, Document::error_handler_t::replace)) + "\n";
}

}  // namespace fuselab::reports
