// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/selftest_record.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace fuselab::session {
namespace {

using Json = nlohmann::json;

Json registered(const SelftestSpec& spec) {
  return {{"schema", "fuselab.selftest/1"},
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

Json json_of(const Replay& replay) {
  Json processes = Json::array();
  for (const ReplayedProcess& process : replay.processes) {
    Json object = {{"a", process.samples.baseline}, {"b", process.samples.candidate}, {"ns", process.spent.count}};
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
  FL_TRY(trial.first, replay_of(json.at("first"), rule));
  if (json.contains("confirmation")) {
    FL_TRY(trial.confirmation, replay_of(json.at("confirmation"), rule));
  }
  return trial;
}

// Whole lines only: how long the file is without what was torn off.
struct Lines {
  std::vector<std::string> lines;
  std::uintmax_t whole = 0;
};
Lines lines_of(const std::filesystem::path& path) {
  Lines read;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  while (std::getline(file, line) && !file.eof()) {
    read.whole += line.size() + 1;
    read.lines.push_back(std::move(line));
  }
  return read;
}

Error unreadable(const std::filesystem::path& path, std::size_t line, const std::string& why) {
  return {ErrorCode::kCorrupt, path.string() + ":" + std::to_string(line) + ": " + why};
}

}  // namespace

Result<SelftestRecord> SelftestRecord::open(const SelftestSpec& spec) {
  SelftestRecord record;
  record.path_ = spec.record;
  if (spec.record.empty()) return record;
  Lines const read = lines_of(spec.record);
  for (std::size_t i = 0; i < read.lines.size(); ++i) {
    Json const json = Json::parse(read.lines[i], nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) return unreadable(spec.record, i + 1, "this is no JSON");
    if (i == 0 && json != registered(spec)) {
      return invalid_argument(spec.record.string() +
                              " was begun with other settings; name another file, or the same settings: " + read.lines[0]);
    }
    if (i == 0) continue;
    try {
      auto trial = trial_of(json, spec.rule);
      if (!trial.ok()) return unreadable(spec.record, i + 1, trial.error().message);
      record.trials_.push_back(std::move(trial).value());
    } catch (const Json::exception& wrong) {
      return unreadable(spec.record, i + 1, wrong.what());
    }
  }
  std::error_code failed;
  if (!read.lines.empty()) std::filesystem::resize_file(spec.record, read.whole, failed);
  record.file_.open(spec.record, std::ios::binary | std::ios::app);
  if (read.lines.empty()) record.file_ << registered(spec).dump() << '\n' << std::flush;
  if (failed || !record.file_) return Error{ErrorCode::kIo, "cannot write " + spec.record.string()};
  return record;
}

Status SelftestRecord::append(const SelftestTrial& trial) {
  if (path_.empty()) return {};
  file_ << json_of(trial).dump() << '\n' << std::flush;
  if (!file_) return Error{ErrorCode::kIo, "cannot write " + path_.string() + "; what it holds is whole"};
  return {};
}

}  // namespace fuselab::session
