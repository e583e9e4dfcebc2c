// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/trials/trial_formats.h"

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/formatted.h"
#include "core/base/words.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::deploy {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMillisecond = 1e6;  // in nanoseconds

Json json_of(const ParameterValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json configuration_of(const TrialSet& set, const TunedTrial& trial) {
  Json configuration = Json::object();
  for (const std::string& name : set.parameters) {
    const auto value = trial.config.values().find(name);
    if (value != trial.config.values().end()) configuration[name] = json_of(value->second);
  }
  return configuration;
}

// "2026-11-29 12:00:00.000000+00:00".
std::string timestamp(std::int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &utc);
  return date + formatted(".%06d+00:00", static_cast<int>(unix_ms % 1000 * 1000));
}

std::vector<double> milliseconds(const std::vector<double>& nanoseconds) {
  std::vector<double> all;
  for (const double each : nanoseconds) all.push_back(each / kMillisecond);
  return all;
}

bool has_time(const TunedTrial& trial) {
  return !trial.runtimes_ns.empty();
}

double mean_ms(const TunedTrial& trial) {
  const double sum = std::accumulate(trial.runtimes_ns.begin(), trial.runtimes_ns.end(), 0.0);
  return sum / static_cast<double>(trial.runtimes_ns.size()) / kMillisecond;
}

// T4's word for how a trial ended.
std::string_view invalidity_of(const TunedTrial& trial) {
  if (has_time(trial)) return "correct";
  switch (trial.outcome) {
    case Outcome::kCompileError: return "compile";
    case Outcome::kTimeout: return "timeout";
    case Outcome::kWrongResult: return "correctness";
    case Outcome::kUnsupported:
    case Outcome::kSkipped: return "constraints";
    default: return "runtime";
  }
}

Json t4(const TrialSet& set) {
  Json results = Json::array();
  for (const TunedTrial& trial : set.trials) {
    Json result;
    result["timestamp"] = timestamp(trial.created_unix_ms);
    result["configuration"] = configuration_of(set, trial);
    // The schema and the files that are published name the first of these differently.
    result["times"] = {{"compilation_time", trial.compile_ns / kMillisecond},
                       {"compilation", trial.compile_ns / kMillisecond},
                       {"framework", 0.0},
                       {"search_algorithm", 0.0},
                       {"validation", trial.verify_ns / kMillisecond},
                       {"runtimes", milliseconds(trial.runtimes_ns)}};
    result["invalidity"] = invalidity_of(trial);
    result["correctness"] = has_time(trial) ? 1 : 0;
    Json time = {{"name", "time"}, {"unit", "ms"}};
    time["value"] = has_time(trial) ? Json(mean_ms(trial)) : Json(trial.reason.substr(0, 200));
    result["measurements"] = Json::array({time});
    result["objectives"] = Json::array({"time"});
    results.push_back(std::move(result));
  }
  return {{"schema_version", "1.0.0"},
          {"metadata", {{"timeunit", "milliseconds"}, {"kernel", set.kernel}, {"device", set.device}, {"problem", set.problem}}},
          {"results", results}};
}

// Kernel Tuner's name of the class of an error.
std::string_view error_class(const TunedTrial& trial) {
  if (trial.outcome == Outcome::kCompileError) return "CompilationFailedConfig";
  return trial.outcome == Outcome::kUnsupported ? "InvalidConfig" : "RuntimeFailedConfig";
}

Json cache_entry(const TrialSet& set, const TunedTrial& trial) {
  Json entry = configuration_of(set, trial);
  if (has_time(trial)) {
    entry["time"] = mean_ms(trial);
    entry["times"] = milliseconds(trial.runtimes_ns);
  } else {
    entry["time"] = error_class(trial);
    entry["__error__"] = error_class(trial);
  }
  entry["compile_time"] = trial.compile_ns / kMillisecond;
  entry["verification_time"] = trial.verify_ns / kMillisecond;
  for (const char* const other : {"benchmark_time", "strategy_time", "framework_time"}) entry[other] = 0;
  entry["timestamp"] = timestamp(trial.created_unix_ms);
  return entry;
}

Json kernel_tuner(const TrialSet& set) {
  Json parameters = Json::object();
  for (const std::string& name : set.parameters) {
    std::vector<ParameterValue> values;
    for (const TunedTrial& trial : set.trials) {
      const auto value = trial.config.values().find(name);
      if (value != trial.config.values().end() && std::ranges::find(values, value->second) == values.end())
        values.push_back(value->second);
    }
    std::ranges::sort(values);
    parameters[name] = Json::array();
    for (const ParameterValue& value : values) parameters[name].push_back(json_of(value));
  }
  Json cache = Json::object();
  for (const TunedTrial& trial : set.trials) {
    std::vector<std::string> key;
    for (const auto& [name, value] : trial.config.values()) key.push_back(parameter_text(value));
    cache[joined(key, ",")] = cache_entry(set, trial);
  }
  return {{"device_name", set.device},
          {"kernel_name", set.kernel},
          {"problem_size", set.problem},
          {"tune_params_keys", set.parameters},
          {"tune_params", parameters},
          {"objective", "time"},
          {"cache", cache}};
}

std::string wisdom(const TrialSet& set) {
  Json head = {{"version", "1.0"}, {"key", set.kernel}, {"objective", "time"}, {"tunable_parameters", set.parameters}};
  std::string text = head.dump() + "\n";
  for (const TunedTrial& trial : set.trials) {
    if (!has_time(trial)) continue;
    Json config = Json::array();
    for (const std::string& name : set.parameters) {
      const auto value = trial.config.values().find(name);
      config.push_back(value == trial.config.values().end() ? Json() : json_of(value->second));
    }
    Json problem = Json::array();
    const auto sizes = parse_bindings(set.problem);
    if (sizes.ok()) {
      for (const auto& [name, size] : sizes.value()) problem.push_back(size);
    }
    const Json line = {
        {"config", config}, {"problem_size", problem}, {"time", mean_ms(trial)}, {"environment", {{"device_name", set.device}}}};
    return text + line.dump() + "\n";  // the fastest alone: what a program asks for
  }
  return text;
}

std::string csv(const TrialSet& set) {
  std::string text = joined(set.parameters, ",") + ",outcome,median_ns,runs,compile_ns\n";
  for (const TunedTrial& trial : set.trials) {
    for (const std::string& name : set.parameters) {
      const auto value = trial.config.values().find(name);
      text += (value == trial.config.values().end() ? std::string() : parameter_text(value->second)) + ",";
    }
    text += std::string(name_of(trial.outcome)) + "," +
            (trial.outcome == Outcome::kTimed ? formatted("%.1f", trial.median_ns) : std::string()) + "," +
            std::to_string(trial.runtimes_ns.size()) + "," + formatted("%.0f", trial.compile_ns) + "\n";
  }
  return text;
}

}  // namespace

std::string trials_text(const TrialSet& set, TrialFormat format) {
  constexpr auto kRepaired = Json::error_handler_t::replace;
  switch (format) {
    case TrialFormat::kT4: return t4(set).dump(1, ' ', false, kRepaired) + "\n";
    case TrialFormat::kKernelTuner: return kernel_tuner(set).dump(1, ' ', false, kRepaired) + "\n";
    case TrialFormat::kWisdom: return wisdom(set);
    case TrialFormat::kCsv: return csv(set);
  }
  FL_ASSERT(false);
}

Status write_trials(const std::filesystem::path& file, const TrialSet& set, TrialFormat format) {
  const std::string text = trials_text(set, format);
  return platform::write_file_atomically(file, std::as_bytes(std::span(text)));
}

}  // namespace fuselab::deploy
