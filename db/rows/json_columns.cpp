// SPDX-License-Identifier: Apache-2.0
#include "db/rows/json_columns.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/fields/json_reader.h"
#include "core/fields/json_writer.h"
#include "core/kernel/kernel_json.h"

namespace fuselab::db {
namespace {

using Json = nlohmann::json;

// The functions that read throw, like the reading members of Json: read() below turns it into an Error.
template <typename Struct>
Struct struct_in(const Json& json) {
  Struct value;
  if (const Status read = fields::read_fields(json, value); !read.ok()) throw std::invalid_argument(read.error().message);
  return value;
}

void rename(Json& object, const char* from, const char* to) {
  Json held = object.at(from);
  object.erase(from);
  object[to] = std::move(held);
}

// Names of a launch behind the first: in a column, and in the record's fields.
constexpr std::pair<const char*, const char*> kAfterFormulas[] = {
    {"grid", "grid_x"}, {"block", "block_x"}, {"shared", "shared_bytes"}};

// A column spells a call record in its own way: extents are "dims", the launch is in groups, formulas are texts, and a preparation
// is left out where there is none.
Json encode(const KernelAbi& abi) {
  Json json = fields::json_of<Json>(abi);
  const auto take_text = [](Json& object, const std::string& name) {
    Json text = object.at(name).at("text");
    object.erase(name);
    return text;
  };
  for (Json& argument : json["arguments"]) rename(argument["type"], "shape", "dims");
  for (const std::string group : {"grid", "block"})
    json[group] = Json::array({take_text(json, group + "_x"), take_text(json, group + "_y"), take_text(json, group + "_z")});
  json["shared"] = take_text(json, "shared_bytes");
  Json& before = json["preparation"];
  for (const char* name : {"tasks", "bytes"}) before[name] = take_text(before, name);
  if (abi.preparation.entry.empty()) json.erase("preparation");
  for (std::size_t i = 0; i < abi.after.size(); ++i) {
    Json& each = json["after"][i];
    for (const auto& [name, formula] : kAfterFormulas) each[name] = take_text(each, formula);
  }
  return json;
}

KernelAbi decode_abi(Json json) {
  const auto formula = [](const Json& text) { return fields::json_of<Json>(DimFormula{text.get<std::string>()}); };
  for (Json& argument : json.at("arguments")) rename(argument.at("type"), "dims", "shape");
  for (const std::string group : {"grid", "block"}) {
    for (const std::size_t axis : {0U, 1U, 2U}) json[group + "_" + "xyz"[axis]] = formula(json.at(group).at(axis));
  }
  json["shared_bytes"] = formula(json.at("shared"));
  if (!json.contains("preparation")) {
    json["preparation"] = fields::json_of<Json>(Preparation());
  } else {
    for (const char* name : {"tasks", "bytes"}) json["preparation"][name] = formula(json["preparation"].at(name));
  }
  if (const auto after = json.find("after"); after != json.end()) {
    for (Json& each : *after) {
      for (const auto& [name, field] : kAfterFormulas) each[field] = formula(each.at(name));
    }
  }
  return struct_in<KernelAbi>(json);
}

// Compiler messages and paths need not be UTF-8; a replaced character is better than a lost row.
std::string write(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Decode>
Status read(std::string_view text, Decode decode) {
  try {
    decode(Json::parse(text));
    return {};
  } catch (const std::exception&) {
    return Error{ErrorCode::kCorrupt, "a JSON column is damaged: " + std::string(text.substr(0, 60))};
  }
}

}  // namespace

std::string to_json(const std::vector<std::string>& values) {
  return write(values);
}
std::string to_json(const std::map<std::string, std::string>& values) {
  return write(values);
}
std::string to_json(const std::map<std::string, std::int64_t>& values) {
  return write(values);
}

std::string to_json(const LaunchConfig& config) {
  return write(json_of_config<Json>(config));
}

std::string to_json(const Target& target) {
  return write(fields::json_of<Json>(target));
}

std::string to_json(const std::vector<Target>& targets) {
  return write(fields::json_of<Json>(targets));
}

std::string to_json(const KernelAbi& abi) {
  return write(encode(abi));
}

std::string to_json(const SourceModule& source) {
  return write({{"language", source.language},
                {"entry", source.entry},
                {"generator", source.generator},
                {"generator_version", source.generator_version},
                {"abi", encode(source.abi)}});
}

std::string to_json(const TuningDecision& decision) {
  if (!decision.is_known()) return {};
  return write({{"baseline", decision.baseline},
                {"candidate", decision.candidate},
                {"verdict", decision.verdict},
                {"ratio", decision.ratio},
                {"low", decision.low},
                {"high", decision.high},
                {"processes", decision.processes},
                {"reason", decision.reason},
                {"open", decision.open},
                {"failed", name_of(decision.failed)}});
}

Status from_json(std::string_view text, std::vector<std::string>& values) {
  return read(text, [&](const Json& json) { json.get_to(values); });
}
Status from_json(std::string_view text, std::map<std::string, std::string>& values) {
  return read(text, [&](const Json& json) { json.get_to(values); });
}
Status from_json(std::string_view text, std::map<std::string, std::int64_t>& values) {
  return read(text, [&](const Json& json) { json.get_to(values); });
}

Status from_json(std::string_view text, LaunchConfig& config) {
  return read(text, [&](const Json& json) { config = config_from(json); });
}

namespace {

constexpr double kMostProcesses = 1e6;

bool is_possible(const TuningDecision& decision) {
  constexpr std::string_view kVerdicts[] = {"", "regressed", "improved", "equivalent", "inconclusive"};
  const bool known = std::find(std::begin(kVerdicts), std::end(kVerdicts), decision.verdict) != std::end(kVerdicts);
  const bool finite = std::isfinite(decision.ratio) && std::isfinite(decision.low) && std::isfinite(decision.high);
  return known && finite && decision.ratio > 0 && decision.low >= 0 && decision.low <= decision.high && decision.processes >= 0;
}

}  // namespace

Status from_json(std::string_view text, Target& target) {
  return read(text, [&](const Json& json) { target = struct_in<Target>(json); });
}

Status from_json(std::string_view text, std::vector<Target>& targets) {
  return read(text, [&](const Json& json) {
    for (const Json& item : json) targets.push_back(struct_in<Target>(item));
  });
}

Status from_json(std::string_view text, KernelAbi& abi) {
  return read(text, [&](const Json& json) { abi = decode_abi(json); });
}

Status from_json(std::string_view text, SourceModule& source) {
  return read(text, [&](const Json& json) {
    source.language = json.at("language").get<std::string>();
    source.entry = json.at("entry").get<std::string>();
    source.generator = json.at("generator").get<std::string>();
    source.generator_version = json.at("generator_version").get<std::string>();
    source.abi = decode_abi(json.at("abi"));
  });
}

Status from_json(std::string_view text, TuningDecision& decision) {
  if (text.empty()) return {};
  TuningDecision stored;
  std::string failed;  // rows of before do not say
  const Status readable = read(text, [&stored, &failed](const Json& json) {
    json.at("baseline").get_to(stored.baseline);
    json.at("candidate").get_to(stored.candidate);
    json.at("verdict").get_to(stored.verdict);
    json.at("ratio").get_to(stored.ratio);
    json.at("low").get_to(stored.low);
    json.at("high").get_to(stored.high);
    stored.processes = static_cast<int>(std::clamp(json.at("processes").get<double>(), -1.0, kMostProcesses));
    json.at("reason").get_to(stored.reason);
    json.at("open").get_to(stored.open);
    failed = json.value("failed", failed);
  });
  if (!readable.ok()) return readable;
  if (!is_possible(stored)) return Error{ErrorCode::kCorrupt, "a decision has figures that no comparison gives"};
  const std::optional<ComparedSide> side = compared_side(failed);
  if (!side) return Error{ErrorCode::kCorrupt, "a decision blames neither of its two configurations"};
  stored.failed = *side;
  decision = std::move(stored);
  return {};
}

std::string to_json(const PairedCeiling& ceiling) {
  if (ceiling.looks.empty()) return "";
  Json looks = Json::array();
  for (const CeilingLook& look : ceiling.looks) looks.push_back({look.rounds, look.bytes_per_second, look.flops_per_second});
  const CeilingSpec& spec = ceiling.spec;
  return Json({{"read_streams", spec.read_streams},
               {"write_streams", spec.write_streams},
               {"footprint_bytes", spec.footprint.count},
               {"stream_form", spec.stream_form},
               {"arithmetic", spec.arithmetic},
               {"arithmetic_form", spec.arithmetic_form},
               {"threads", spec.threads},
               {"seconds", ceiling.seconds},
               {"looks", std::move(looks)}})
      .dump();
}

Status from_json(std::string_view text, PairedCeiling& ceiling) {
  if (text.empty()) return {};
  PairedCeiling stored;
  FL_TRY_VOID(read(text, [&stored](const Json& json) {
    CeilingSpec& spec = stored.spec;
    json.at("read_streams").get_to(spec.read_streams);
    json.at("write_streams").get_to(spec.write_streams);
    json.at("footprint_bytes").get_to(spec.footprint.count);
    json.at("stream_form").get_to(spec.stream_form);
    json.at("arithmetic").get_to(spec.arithmetic);
    json.at("arithmetic_form").get_to(spec.arithmetic_form);
    json.at("threads").get_to(spec.threads);
    json.at("seconds").get_to(stored.seconds);
    for (const Json& look : json.at("looks"))
      stored.looks.push_back({look.at(0).get<int>(), look.at(1).get<double>(), look.at(2).get<double>()});
  }));
  const bool possible = std::all_of(stored.looks.begin(), stored.looks.end(), [](const CeilingLook& look) {
    return look.rounds >= 0 && std::isfinite(look.bytes_per_second) && look.bytes_per_second >= 0 &&
           std::isfinite(look.flops_per_second) && look.flops_per_second >= 0;
  });
  if (!possible) return Error{ErrorCode::kCorrupt, "a block's ceilings have figures that no look gives"};
  ceiling = std::move(stored);
  return {};
}

}  // namespace fuselab::db
