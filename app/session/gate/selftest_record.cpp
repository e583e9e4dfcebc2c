// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/selftest_record.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/version.h"
#include "core/platform/machine.h"

namespace fuselab::session {
namespace {

using Json = nlohmann::json;

Json registered(const SelftestSpec& spec, const DeviceInfo& device, const std::vector<SelftestKernel>& kernels) {
  Json ids = Json::array();
  for (const SelftestKernel& kernel : kernels)
    ids.push_back({{"name", kernel.name}, {"shape", kernel.binding}, {"kernel", kernel.kernel_id}});
  return {{"schema", "fuselab.selftest-record/1"},
          {"version", tool_version()},
          {"device_uuid", device.uuid},
          {"kernels", std::move(ids)},
          {"subjects", spec.subjects},
          {"shapes", spec.bindings},
          {"device", spec.device},
          {"dtype", spec.dtype},
          {"identical", spec.identical},
          {"slowed", spec.slowed},
          {"slowdowns", spec.slowdowns},
          {"margin", spec.rule.margin},
          {"alpha", spec.rule.alpha},
          {"least_processes", spec.rule.least_processes},
          {"most_processes", spec.rule.most_processes},
          {"first_rounds", spec.rule.first_rounds},
          {"process_cost", spec.rule.process_cost},
          {"budget_ns", spec.rule.budget.count},
          {"min_sample_ns", spec.min_sample.count},
          {"seed", spec.seed}};
}

// What is unknown or nothing is left out: most of it, most of the time.
Json json_of(const BlockConditions& conditions) {
  Json json = Json::object();
  auto const add = [&json](const char* name, double value) {
    if (value != 0) json[name] = value;
  };
  for (double const ns : conditions.canary.compute) add("compute_ns", ns);
  for (double const ns : conditions.canary.memory) add("memory_ns", ns);
  add("steal_s", conditions.steal_seconds);
  add("throttled_s", conditions.throttled_seconds);
  add("switches", conditions.involuntary_switches);
  add("load", conditions.load);
  add("runnable", conditions.runnable);
  add("clock_mhz", conditions.clock_mhz);
  json["wall_s"] = std::round(conditions.wall_seconds * 1e6) * 1e-6;
  return json;
}

// A record of an older Fuselab has none.
BlockConditions conditions_of(const Json& json) {
  BlockConditions conditions;
  if (json.contains("compute_ns")) conditions.canary.compute = {json["compute_ns"].get<double>()};
  if (json.contains("memory_ns")) conditions.canary.memory = {json["memory_ns"].get<double>()};
  conditions.steal_seconds = json.value("steal_s", 0.0);
  conditions.throttled_seconds = json.value("throttled_s", 0.0);
  conditions.involuntary_switches = json.value("switches", 0);
  conditions.load = json.value("load", 0.0);
  conditions.runnable = json.value("runnable", 0);
  conditions.clock_mhz = json.value("clock_mhz", 0.0);
  conditions.wall_seconds = json.value("wall_s", 0.0);
  return conditions;
}

Json json_of(const platform::MachineFacts& machine) {
  Json json = {{"host", machine.host},
               {"cpu_model", machine.cpu_model},
               {"microcode", machine.microcode},
               {"os_kernel", machine.os_kernel},
               {"clock_policy", machine.clock_policy},
               {"smt", machine.smt},
               {"numa_nodes", machine.numa_nodes},
               {"aslr", machine.aslr}};
  if (machine.cpu_quota) json["cpu_quota"] = *machine.cpu_quota;
  return json;
}

Json json_of(const Replay& replay) {
  Json processes = Json::array();
  for (const ReplayedProcess& process : replay.processes) {
    Json object = {{"a", process.samples.baseline},
                   {"b", process.samples.candidate},
                   {"ns", process.spent.count},
                   {"conditions", json_of(process.conditions)}};
    if (!process.disturbed.empty()) object["disturbed"] = process.disturbed;
    processes.push_back(std::move(object));
  }
  return {{"verdict", name_of(replay.result.verdict)}, {"processes", std::move(processes)}};
}

// The verdict is not read but had again from the samples.
Result<Replay> replay_of(const Json& json, const ComparisonRule& rule) {
  Replay replay;
  for (const Json& object : json.at("processes")) {
    ReplayedProcess process;
    object.at("a").get_to(process.samples.baseline);
    object.at("b").get_to(process.samples.candidate);
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

Json json_of(const SelftestTrial& trial) {
  Json json = {{"trial", trial.index},         {"kernel", trial.kernel},
               {"slowdown", trial.slowdown},   {"handicap_ns", trial.handicap.count},
               {"wall_s", trial.wall_seconds}, {"first", json_of(trial.first)}};
  if (!trial.failure.empty()) json["failure"] = trial.failure;
  if (trial.confirmation) json["confirmation"] = json_of(*trial.confirmation);
  return json;
}

Result<SelftestTrial> trial_of(const Json& json, const ComparisonRule& rule) {
  SelftestTrial trial;
  json.at("trial").get_to(trial.index);
  json.at("kernel").get_to(trial.kernel);
  json.at("slowdown").get_to(trial.slowdown);
  json.at("handicap_ns").get_to(trial.handicap.count);
  json.at("wall_s").get_to(trial.wall_seconds);
  trial.failure = json.value("failure", std::string());
  FL_TRY(trial.first, replay_of(json.at("first"), rule));
  if (trial.failure.empty() && !trial.judged()) return Error{ErrorCode::kCorrupt, "it has neither samples nor a failure"};
  if (json.contains("confirmation")) {
    FL_TRY(trial.confirmation, replay_of(json.at("confirmation"), rule));
  }
  return trial;
}

// Whole lines only: how long the file is without what was torn off.
struct Lines {
  std::vector<std::string> lines;
  std::uintmax_t whole = 0;
  std::string torn;  // what follows the last whole line
};
Lines lines_of(const std::filesystem::path& path) {
  Lines read;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  while (std::getline(file, line) && !file.eof()) {
    read.whole += line.size() + 1;
    read.lines.push_back(std::move(line));
  }
  read.torn = std::move(line);
  return read;
}

Error unreadable(const std::filesystem::path& path, std::size_t line, const std::string& why) {
  return {ErrorCode::kCorrupt, path.string() + ":" + std::to_string(line) + ": " + why};
}

// A file that is gone on with was begun by this self-test, be it by a part of its first line.
Status check_header(const std::filesystem::path& path, const Lines& read, const std::string& header) {
  if (read.lines.empty() && header.starts_with(read.torn)) return {};
  std::string const first = read.lines.empty() ? read.torn : read.lines.front();
  if (first == header) return {};
  Json const json = Json::parse(first, nullptr, /*allow_exceptions=*/false);
  bool const is_record = json.is_object() && json.value("schema", Json()) == "fuselab.selftest-record/1";
  if (!is_record) return invalid_argument(path.string() + " is no record of a self-test; name another file");
  return invalid_argument(path.string() + " was begun with other settings, other kernels or on another device: " + first);
}

}  // namespace

Result<SelftestRecord> SelftestRecord::open(const SelftestSpec& spec, const DeviceInfo& device,
                                            const std::vector<SelftestKernel>& kernels) {
  SelftestRecord record;
  record.path_ = spec.record;
  if (spec.record.empty()) return record;
  Json const header = registered(spec, device, kernels);
  Lines const read = lines_of(spec.record);
  FL_TRY_VOID(check_header(spec.record, read, header.dump()));
  for (std::size_t i = 1; i < read.lines.size(); ++i) {
    Json const json = Json::parse(read.lines[i], nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) return unreadable(spec.record, i + 1, "this is no JSON");
    try {
      auto trial = trial_of(json, spec.rule);
      if (!trial.ok()) return unreadable(spec.record, i + 1, trial.error().message);
      bool const in_its_place = trial.value().index == static_cast<int>(i) - 1;
      if (!in_its_place) return unreadable(spec.record, i + 1, "a comparison before this one is missing");
      record.trials_.push_back(std::move(trial).value());
      if (json.contains("machine")) record.machine_ = json["machine"].dump();
    } catch (const Json::exception& wrong) {
      return unreadable(spec.record, i + 1, wrong.what());
    }
  }
  std::error_code failed;
  if (!read.torn.empty()) std::filesystem::resize_file(spec.record, read.whole, failed);
  record.file_.open(spec.record, std::ios::binary | std::ios::app);
  if (read.lines.empty()) record.file_ << header.dump() << '\n' << std::flush;
  if (failed || !record.file_) return Error{ErrorCode::kIo, "cannot write " + spec.record.string()};
  return record;
}

Status SelftestRecord::append(const SelftestTrial& trial) {
  if (path_.empty()) return {};
  Json json = json_of(trial);
  Json machine = json_of(platform::machine_facts());
  if (machine.dump() != machine_) json["machine"] = machine;
  file_ << json.dump() << '\n' << std::flush;
  if (!file_) return Error{ErrorCode::kIo, "cannot write " + path_.string() + "; what it holds is whole"};
  machine_ = machine.dump();
  return {};
}

}  // namespace fuselab::session
