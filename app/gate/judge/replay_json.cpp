// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/replay_json.h"

#include <nlohmann/json.hpp>

#include "app/gate/judge/conditions_json.h"

namespace fuselab::engine {
namespace {

using Json = nlohmann::json;

}  // namespace

nlohmann::json record_of(const Replay& replay) {
  Json processes = Json::array();
  for (const ReplayedProcess& process : replay.processes) {
    Json object = conditions_json(process.conditions);  // on the same level as the samples, where sensors have always been
    object["a"] = process.samples.baseline;
    object["b"] = process.samples.candidate;
    object["ns"] = process.spent.count;
    if (!process.disturbed.empty()) object["disturbed"] = process.disturbed;
    processes.push_back(std::move(object));
  }
  return {{"verdict", name_of(replay.result.verdict)}, {"ratio", replay.result.ratio}, {"processes", std::move(processes)}};
}

Result<Replay> replay_from(const nlohmann::json& json, const ComparisonRule& rule, std::span<const RunSamples> past) {
  Replay replay;
  for (const Json& object : json.at("processes")) {
    ReplayedProcess process;
    object.at("a").get_to(process.samples.baseline);
    object.at("b").get_to(process.samples.candidate);
    object.at("ns").get_to(process.spent.count);
    process.disturbed = object.value("disturbed", std::string());
    process.conditions = conditions_of(object);
    replay.processes.push_back(std::move(process));
  }
  if (replay.fitness().ok()) {
    FL_TRY(replay.result, verdict_of(replay.processes, past, rule));
  }
  const bool same = json.at("verdict").get<std::string>() == name_of(replay.result.verdict) &&
                    (!json.contains("ratio") || json.at("ratio").get<double>() == replay.result.ratio);
  if (same) return replay;
  return Error{ErrorCode::kCorrupt,
               "its samples say '" + std::string(name_of(replay.result.verdict)) + "', which is not what it says"};
}

nlohmann::json record_of(const ComparisonRule& rule) {
  return {{"margin", rule.margin},
          {"alpha", rule.alpha},
          {"least_processes", rule.least_processes},
          {"most_processes", rule.most_processes},
          {"first_rounds", rule.first_rounds},
          {"budget_ns", rule.budget.count},
          {"process_cost", rule.process_cost}};
}

ComparisonRule rule_from(const nlohmann::json& json) {
  ComparisonRule rule;
  json.at("margin").get_to(rule.margin);
  json.at("alpha").get_to(rule.alpha);
  json.at("least_processes").get_to(rule.least_processes);
  json.at("most_processes").get_to(rule.most_processes);
  json.at("first_rounds").get_to(rule.first_rounds);
  json.at("budget_ns").get_to(rule.budget.count);
  json.at("process_cost").get_to(rule.process_cost);
  return rule;
}

}  // namespace fuselab::engine
