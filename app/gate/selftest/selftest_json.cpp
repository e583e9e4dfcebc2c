// SPDX-License-Identifier: Apache-2.0
#include "app/gate/selftest/selftest_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/gate/judge/conditions_json.h"
#include "app/gate/judge/judgement.h"
#include "app/gate/judge/replay_json.h"
#include "app/gate/source/source_commit.h"
#include "core/base/version.h"
#include "core/stats/statistics.h"

namespace fuselab::engine {
namespace {

using Json = nlohmann::json;

constexpr int kMostSlices = 1'000'000;  // far beyond the runs that anybody starts to fill a record
constexpr double kLargestTenths = 1e15;

// Writes samples as whole numbers of the grid's unit, relative to the baseline's median, which `zstd` compresses best.
Json json_of(const PairedSamples& samples, const SampleGrid& grid) {
  if (grid.tenths == 0) return {{"a", samples.baseline}, {"b", samples.candidate}};
  const double middle = grid.steps(summarize(samples.baseline).median);
  const auto from_middle = [&](const std::vector<double>& side) {
    std::vector<std::int64_t> steps;
    for (const double sample : side) steps.push_back(std::llround(grid.steps(sample) - middle));
    return steps;
  };
  return {{"tenths", grid.tenths},
          {"middle", std::llround(middle)},
          {"a", from_middle(samples.baseline)},
          {"b", from_middle(samples.candidate)}};
}

Status read_samples(const Json& json, ReplayedProcess& process) {
  json.at("a").get_to(process.samples.baseline);
  json.at("b").get_to(process.samples.candidate);
  if (!json.contains("tenths")) return {};
  const double tenths = json.at("tenths").get<double>();  // any number that the line has, before it becomes a whole one
  if (!(tenths >= 1 && tenths <= kLargestTenths)) return Error{ErrorCode::kCorrupt, "its samples have no unit"};
  process.grid.tenths = static_cast<std::int64_t>(tenths);
  const double middle = json.at("middle").get<double>();
  for (std::vector<double>* const side : {&process.samples.baseline, &process.samples.candidate}) {
    for (double& sample : *side) sample = process.grid.nanoseconds(middle + sample);
  }
  return {};
}

Json json_of(const Replay& replay) {
  Json processes = Json::array();
  for (const ReplayedProcess& process : replay.processes) {
    Json object = json_of(process.samples, process.grid);
    object["ns"] = process.spent.count;
    object["conditions"] = conditions_json(process.conditions);
    if (!process.disturbed.empty()) object["disturbed"] = process.disturbed;
    processes.push_back(std::move(object));
  }
  return {{"verdict", name_of(replay.result.verdict)}, {"processes", std::move(processes)}};
}

// The verdict is not read but computed again from the samples.
Result<Replay> replay_of(const Json& json, const ComparisonRule& rule) {
  Replay replay;
  for (const Json& object : json.at("processes")) {
    ReplayedProcess process;
    FL_TRY_VOID(read_samples(object, process));
    object.at("ns").get_to(process.spent.count);
    process.disturbed = object.value("disturbed", std::string());
    process.conditions = conditions_of(object.value("conditions", Json::object()));
    replay.processes.push_back(std::move(process));
  }
  FL_TRY(replay.result, verdict_of(replay.processes, rule));
  if (name_of(replay.result.verdict) == json.at("verdict").get<std::string>()) return replay;
  return Error{ErrorCode::kCorrupt, "its samples say '" + std::string(name_of(replay.result.verdict)) + "', its verdict '" +
                                        json.at("verdict").get<std::string>() + "'"};
}

}  // namespace

Json registered(const SelftestSpec& spec, const DeviceInfo& device, const std::vector<SelftestKernel>& kernels) {
  Json ids = Json::array();
  for (const SelftestKernel& kernel : kernels)
    ids.push_back({{"name", kernel.name}, {"shape", kernel.binding}, {"kernel", kernel.kernel_id}});
  Json json = {{"schema", kSelftestSchema},
               {"version", tool_version()},
               {"commit", source_commit()},
               {"device_uuid", device.uuid},
               {"kernels", std::move(ids)},
               {"subjects", spec.subjects},
               {"shapes", spec.bindings},
               {"device", spec.device},
               {"dtype", spec.dtype},
               {"identical", spec.identical},
               {"slowed", spec.slowed},
               {"slowdowns", spec.slowdowns},
               {"min_sample_ns", spec.min_sample.count},
               {"suite", spec.suite},
               {"load", spec.load},
               {"seed", spec.seed}};
  json.update(record_of(spec.rule));  // on the same level, where its settings have always been
  return json;
}

StoredSelftest registered_in(const Json& json) {
  StoredSelftest stored;
  SelftestSpec& spec = stored.spec;
  stored.commit = json.value("commit", "unknown");
  json.at("device_uuid").get_to(stored.device_uuid);
  for (const Json& kernel : json.at("kernels"))
    stored.kernels.push_back(
        {kernel.at("name").get<std::string>(), kernel.at("shape").get<std::string>(), kernel.at("kernel").get<std::string>(), ""});
  json.at("subjects").get_to(spec.subjects);
  json.at("shapes").get_to(spec.bindings);
  json.at("device").get_to(spec.device);
  json.at("dtype").get_to(spec.dtype);
  json.at("identical").get_to(spec.identical);
  json.at("slowed").get_to(spec.slowed);
  json.at("slowdowns").get_to(spec.slowdowns);
  spec.rule = rule_from(json);
  json.at("min_sample_ns").get_to(spec.min_sample.count);
  json.at("seed").get_to(spec.seed);
  spec.suite = json.value("suite", 1);
  spec.load = json.value("load", false);
  return stored;
}

Json json_of(const SelftestTrial& trial) {
  Json json = {{"trial", trial.index},         {"kernel", trial.kernel}, {"slowdown", trial.slowdown},
               {"wall_s", trial.wall_seconds}, {"slice", trial.slice},   {"first", json_of(trial.first)}};
  if (!trial.failure.empty()) json["failure"] = trial.failure;
  if (trial.confirmation) json["confirmation"] = json_of(*trial.confirmation);
  return json;
}

Result<SelftestTrial> trial_of(const Json& json, const SelftestSpec& spec) {
  SelftestTrial trial;
  json.at("trial").get_to(trial.index);
  json.at("kernel").get_to(trial.kernel);
  json.at("slowdown").get_to(trial.slowdown);
  json.at("wall_s").get_to(trial.wall_seconds);
  trial.failure = json.value("failure", std::string());
  FL_TRY(trial.first, replay_of(json.at("first"), spec.rule));
  if (trial.failure.empty() && !trial.judged()) return Error{ErrorCode::kCorrupt, "it has neither samples nor a failure"};
  const double slice = json.value("slice", 0.0);  // any number that the line has, before it becomes an int
  if (!(slice >= 0 && slice <= kMostSlices)) return Error{ErrorCode::kCorrupt, "its slice is none that was ever measured"};
  trial.slice = static_cast<int>(slice);
  if (json.contains("confirmation")) {
    const ComparisonRule rule = confirmation_rule(spec.rule, static_cast<std::size_t>(spec.suite));
    FL_TRY(trial.confirmation, replay_of(json.at("confirmation"), rule));
  }
  return trial;
}

}  // namespace fuselab::engine
