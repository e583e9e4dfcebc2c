// SPDX-License-Identifier: Apache-2.0
#include "app/gate/selftest/selftest_summary.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/gate/selftest/selftest_rates.h"
#include "app/gate/source/source_commit.h"
#include "app/gate/source/utc_dates.h"
#include "app/reports/check_fields.h"
#include "core/base/version.h"
#include "core/fields/json_writer.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/system/uuid.h"

namespace fuselab::engine {
namespace {

using Json = nlohmann::json;

constexpr const char* kSchema = "fuselab.selftest-summary/1";
constexpr Bytes kLargestSummaries{std::int64_t{16} << 20};  // at about a kilobyte each

void take_rates(const std::vector<SelftestTrial>& trials, SelftestSummary& summary) {
  summary.done = static_cast<int>(trials.size());
  for (const SelftestRates& rates : rates_of(trials)) {
    if (rates.slowdown == 0) {
      summary.false_alarms = rates.confirmed;
    } else {
      summary.power.push_back({rates.slowdown, rates.confirmed});
    }
  }
}

SelftestSummary settings_of(const SelftestSpec& spec, const std::vector<SelftestKernel>& kernels) {
  SelftestSummary summary;
  summary.margin = spec.rule.margin;
  summary.alpha = spec.rule.alpha;
  summary.budget = spec.rule.budget;
  summary.suite = spec.suite;
  summary.load = spec.load;
  summary.wanted = comparisons_in(spec);
  for (const SelftestKernel& kernel : kernels) summary.kernels.push_back(kernel.name + " " + kernel.binding);
  return summary;
}

Json json_of(const SelftestSummary& summary) {
  return {{"schema", kSchema},
          {"id", summary.id},
          {"device", summary.device},
          {"device_uuid", summary.device_uuid},
          {"margin", summary.margin},
          {"alpha", summary.alpha},
          {"budget_ns", summary.budget.count},
          {"suite", summary.suite},
          {"load", summary.load},
          {"kernels", summary.kernels},
          {"version", summary.version},
          {"commit", summary.commit},
          {"at", summary.at},
          {"wanted", summary.wanted},
          {"done", summary.done},
          {"events", summary.false_alarms.events},
          {"trials", summary.false_alarms.trials},
          {"power", fields::json_of<Json>(summary.power)}};
}

// Reads a count, which may have been written by hand; 0 for one that is negative or too large.
std::int64_t count_in(const Json& json, const char* name) {
  constexpr double kMost = 1e12;
  const double count = json.at(name).get<double>();
  return count >= 0 && count <= kMost ? static_cast<std::int64_t>(count) : 0;
}

ErrorRate rate_in(const Json& json) {
  const ErrorRate rate{count_in(json, "events"), count_in(json, "trials")};
  return rate.events <= rate.trials ? rate : ErrorRate();
}

SelftestSummary summary_in(const Json& json) {
  SelftestSummary summary;
  json.at("id").get_to(summary.id);
  json.at("device").get_to(summary.device);
  json.at("device_uuid").get_to(summary.device_uuid);
  json.at("margin").get_to(summary.margin);
  json.at("alpha").get_to(summary.alpha);
  json.at("budget_ns").get_to(summary.budget.count);
  summary.suite = static_cast<int>(std::min<std::int64_t>(count_in(json, "suite"), 1'000'000));
  json.at("load").get_to(summary.load);
  json.at("kernels").get_to(summary.kernels);
  json.at("version").get_to(summary.version);
  json.at("commit").get_to(summary.commit);
  json.at("at").get_to(summary.at);
  summary.wanted = static_cast<int>(std::min<std::int64_t>(count_in(json, "wanted"), 1'000'000'000));
  summary.done = static_cast<int>(std::min<std::int64_t>(count_in(json, "done"), 1'000'000'000));
  summary.false_alarms = rate_in(json);
  summary.power = power_of(json.at("power"));
  return summary;
}

// Returns whether the file ends with a whole line. A line that was cut off by a full disk or a kill is ended before the next is
// added, which would else be lost with it.
bool ends_a_line(const std::filesystem::path& file) {
  std::ifstream present(file, std::ios::binary | std::ios::ate);
  if (!present || present.tellg() == std::streampos(0)) return true;
  present.seekg(-1, std::ios::end);
  return present.get() == '\n';
}

}  // namespace

std::vector<FoundSlowdown> power_of(const nlohmann::json& json) {
  std::vector<FoundSlowdown> power;
  for (const Json& each : json) power.push_back({each.at("slowdown").get<double>(), rate_in(each)});
  return power;
}

SelftestSummary summary_of(const SelftestSpec& spec, const SelftestReport& report) {
  SelftestSummary summary = settings_of(spec, report.kernels);
  std::error_code ignored;
  summary.id = spec.record.empty() ? platform::make_uuid() : std::filesystem::absolute(spec.record, ignored).string();
  summary.device = report.device.id;
  summary.device_uuid = report.device.uuid;
  summary.version = tool_version();
  summary.commit = source_commit();
  summary.at = utc_now();
  take_rates(report.trials, summary);
  return summary;
}

SelftestSummary summary_of(const StoredSelftest& stored) {
  SelftestSummary summary = settings_of(stored.spec, stored.kernels);
  summary.device = stored.spec.device;
  summary.device_uuid = stored.device_uuid;
  summary.commit = stored.commit;
  take_rates(stored.trials, summary);
  return summary;
}

std::filesystem::path selftests_of(const Config& config) {
  return config.database.empty() ? std::filesystem::path() : config.database.parent_path() / "selftests.jsonl";
}

Status keep_summary(const std::filesystem::path& file, const SelftestSummary& summary) {
  if (file.empty()) return {};
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  const std::string line = (ends_a_line(file) ? "" : "\n") + json_of(summary).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  stream << line + "\n" << std::flush;
  if (!stream) return Error{ErrorCode::kIo, "cannot write " + file.string() + ": later verdicts do not know of this self-test"};
  return {};
}

std::vector<SelftestSummary> kept_summaries(const std::filesystem::path& file) {
  std::vector<SelftestSummary> summaries;
  const auto bytes = platform::read_file(file, kLargestSummaries);
  if (!bytes.ok()) return summaries;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size()));
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || json.value("schema", Json()) != kSchema) continue;
    try {
      SelftestSummary summary = summary_in(json);
      std::erase_if(summaries, [&](const SelftestSummary& each) { return each.id == summary.id; });
      summaries.push_back(std::move(summary));
    } catch (const Json::exception&) {
      continue;
    }
  }
  return summaries;
}

}  // namespace fuselab::engine
