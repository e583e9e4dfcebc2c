// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/known_rate.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/session/gate/replay_json.h"
#include "app/session/gate/selftest.h"
#include "core/platform/atomic_file.h"

namespace fuselab::session {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFamily = "fuselab.selftest-record/";
constexpr Bytes kLargestSelftest{std::int64_t{512} << 20};

Result<ComparisonRule> rule_of_record(const Json& json, const std::set<std::string>& device_uuids) {
  if (json.at("schema").get<std::string>().rfind(kFamily, 0) != 0) return invalid_argument("it is no record of a self-test");
  if (!device_uuids.contains(json.at("device_uuid").get<std::string>()))
    return Error{ErrorCode::kUnavailable, "it is a self-test of another device"};
  return rule_from(json);
}

Status count(const Json& json, const ComparisonRule& rule, ErrorRate& rate) {
  bool const judged = json.at("slowdown").get<double>() == 0 && !json.at("first").at("processes").empty();
  if (!judged) return {};
  SelftestTrial trial;
  FL_TRY(trial.first, replay_from(json.at("first"), rule));
  if (json.contains("confirmation")) {
    FL_TRY(trial.confirmation, replay_from(json.at("confirmation"), rule));
  }
  ++rate.trials;
  rate.events += trial.confirmed() ? 1 : 0;
  return {};
}

}  // namespace

Result<ErrorRate> recorded_false_alarms(const std::filesystem::path& record, const std::set<std::string>& device_uuids) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(record, ignored)) return Error{ErrorCode::kNotFound, record.string() + " is not there"};
  FL_TRY(auto const bytes, platform::read_file(record, kLargestSelftest));
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  ErrorRate rate;
  ComparisonRule rule;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    bool const torn = lines.eof();  // a self-test was killed while it wrote this one
    if (torn && number > 0) break;
    auto const where = [&] { return record.string() + ":" + std::to_string(number); };
    ++number;
    try {
      Json const json = Json::parse(line);
      if (number == 1) {
        auto const header = rule_of_record(json, device_uuids);
        if (!header.ok()) return header.error().within(record.string());
        rule = header.value();
        continue;
      }
      Status const counted = count(json, rule, rate);
      if (!counted.ok()) return counted.error().within(where());
    } catch (const Json::exception&) {
      if (number == 1) return invalid_argument(record.string() + ": it is no record of a self-test");
      return Error{ErrorCode::kCorrupt, where() + ": this line was cut short or damaged"};
    }
  }
  if (number > 0) return rate;
  return invalid_argument(record.string() + ": it is no record of a self-test");
}

}  // namespace fuselab::session
