// SPDX-License-Identifier: Apache-2.0
#include "tuner/formats/recorded_formats.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tuner/formats/python_expression.h"

namespace fuselab::tuner {
namespace {

using Json = nlohmann::json;

constexpr double kNanosecondsPerMillisecond = 1e6;

Error wrong(std::string_view where, std::string_view what) {
  return {ErrorCode::kCorrupt, std::string(where) + ": " + std::string(what)};
}

Result<Json> read_json(std::string_view text) {
  auto json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return wrong("file", "not JSON");
  if (!json.is_object()) return wrong("file", "not a JSON object");
  return json;
}

const Json& member(const Json& object, const char* name) {
  static const Json kAbsent;
  if (!object.is_object()) return kAbsent;
  const auto found = object.find(name);
  return found == object.end() ? kAbsent : *found;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : 0.0;
}

Result<ParameterValue> parameter_value(const Json& json, std::string_view where) {
  if (json.is_boolean()) return ParameterValue(std::int64_t{json.get<bool>()});
  if (json.is_number_integer()) return ParameterValue(json.get<std::int64_t>());
  if (json.is_string()) return ParameterValue(json.get<std::string>());
  return wrong(where, "parameter values are integers or strings, not " + std::string(json.type_name()));
}

Result<LaunchConfig> configuration_of(const Json& json, std::string_view where) {
  if (!json.is_object()) return wrong(where, "no configuration");
  LaunchConfig config;
  for (const auto& [name, value] : json.items()) {
    FL_TRY(auto parsed, parameter_value(value, where));
    config.set(name, std::move(parsed));
  }
  return config;
}

std::vector<double> nanoseconds_of(const Json& milliseconds) {
  std::vector<double> runtimes;
  if (!milliseconds.is_array()) return runtimes;
  for (const auto& runtime : milliseconds) {
    if (runtime.is_number()) runtimes.push_back(runtime.get<double>() * kNanosecondsPerMillisecond);
  }
  return runtimes;
}

// T4's `invalidity` and Kernel Tuner's error class names.
Outcome outcome_of(std::string_view invalidity) {
  if (invalidity == "correct") return Outcome::kTimed;
  if (invalidity == "timeout") return Outcome::kTimeout;
  if (invalidity == "compile" || invalidity == "CompilationFailedConfig") return Outcome::kCompileError;
  if (invalidity == "correctness") return Outcome::kWrongResult;
  if (invalidity == "constraints" || invalidity == "InvalidConfig") return Outcome::kUnsupported;
  return Outcome::kLaunchError;
}

Result<RecordedTrial> t4_trial(const Json& result, const std::string& where) {
  RecordedTrial trial;
  FL_TRY(trial.config, configuration_of(member(result, "configuration"), where));
  const auto& times = member(result, "times");
  // The schema says compilation_time, the published files say compilation.
  const auto& compilation = times.contains("compilation_time") ? member(times, "compilation_time") : member(times, "compilation");
  trial.compile_ns = number_of(compilation) * kNanosecondsPerMillisecond;
  const std::string invalidity = text_of(member(result, "invalidity"));
  if (invalidity.empty()) return wrong(where, "no invalidity");
  trial.outcome = outcome_of(invalidity);
  if (trial.outcome != Outcome::kTimed) {
    trial.reason = "recorded as " + invalidity;
    return trial;
  }
  trial.runtimes_ns = nanoseconds_of(member(times, "runtimes"));
  if (trial.runtimes_ns.empty()) return wrong(where, "marked correct, but without runtimes");
  return trial;
}

Result<RecordedTrial> kernel_tuner_trial(const Json& entry, const ParameterSpace& space, const std::string& where) {
  RecordedTrial trial;
  for (const auto& parameter : space.parameters()) {
    FL_TRY(auto value, parameter_value(member(entry, parameter.name.c_str()), where));
    trial.config.set(parameter.name, std::move(value));
  }
  const auto& time = member(entry, "time");
  const auto& error = entry.contains("__error__") ? member(entry, "__error__") : time;  // since 1.4
  trial.compile_ns = number_of(member(entry, "compile_time")) * kNanosecondsPerMillisecond;
  if (error.is_string()) {
    trial.outcome = outcome_of(text_of(error));
    trial.reason = "recorded as " + text_of(error);
    return trial;
  }
  trial.runtimes_ns = nanoseconds_of(member(entry, "times"));
  if (trial.runtimes_ns.empty() && time.is_number()) trial.runtimes_ns = {number_of(time) * kNanosecondsPerMillisecond};
  if (trial.runtimes_ns.empty()) return wrong(where, "neither a time nor an error");
  return trial;
}

Status add_t1_parameter(const Json& json, RecordedSpace& recorded) {
  Parameter parameter;
  parameter.name = text_of(member(json, "Name"));
  if (parameter.name.empty()) return wrong("ConfigurationSpace.TuningParameters", "a parameter without a Name");
  auto values = parse_python_values(text_of(member(json, "Values")));
  if (!values.ok()) return std::move(values).error().within("Values of '" + parameter.name + "'");
  parameter.values = std::move(values).value();
  // Published defaults are not always among the values.
  const auto given = parameter_value(member(json, "Default"), parameter.name);
  const bool known =
      given.ok() && std::find(parameter.values.begin(), parameter.values.end(), given.value()) != parameter.values.end();
  if (!parameter.values.empty()) recorded.start.set(parameter.name, known ? given.value() : parameter.values.front());
  return recorded.space.add(std::move(parameter));
}

// [configuration, [median, 20 %, 80 %]]; of a configuration that did not run they are infinite.
Result<RecordedTrial> triton_trial(const Json& entry, const std::string& where) {
  if (!entry.is_array() || entry.size() != 2) return wrong(where, "not a configuration and its timings");
  RecordedTrial trial;
  for (const auto& [name, value] : member(entry[0], "kwargs").items()) {
    // Such a keyword may also be a number with a fraction, a list or nothing: what no space has as a parameter.
    if (const auto known = parameter_value(value, where); known.ok()) trial.config.set(name, known.value());
  }
  for (const char* name : {"num_warps", "num_stages", "num_ctas"}) {
    if (const Json& value = member(entry[0], name); value.is_number_integer()) trial.config.set(name, value.get<std::int64_t>());
  }
  const Json& median = entry[1].is_array() && !entry[1].empty() ? entry[1].front() : entry[1];
  if (median.is_number() && median.get<double>() > 0) {
    trial.runtimes_ns = {median.get<double>() * kNanosecondsPerMillisecond};
  } else {
    trial.outcome = Outcome::kLaunchError;
    trial.reason = "recorded as not run";
  }
  return trial;
}

// Python writes Infinity and NaN, which JSON does not have.
std::string without_infinity(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t found = std::min({text.find("Infinity"), text.find("NaN"), text.size()});
    plain += text.substr(0, found);
    text.remove_prefix(found);
    if (text.empty()) break;
    plain += "null";
    text.remove_prefix(text.front() == 'I' ? 8 : 3);
  }
  return plain;
}

}  // namespace

Result<RecordedSpace> parse_t1(std::string_view json) {
  FL_TRY(const auto file, read_json(json));
  const auto& configuration_space = member(file, "ConfigurationSpace");
  const auto& parameters = member(configuration_space, "TuningParameters");
  if (!parameters.is_array()) return wrong("ConfigurationSpace.TuningParameters", "not an array");
  RecordedSpace recorded;
  recorded.name = text_of(member(member(file, "KernelSpecification"), "KernelName"));
  for (const auto& parameter : parameters) FL_TRY_VOID(add_t1_parameter(parameter, recorded));
  for (const auto& condition : member(configuration_space, "Conditions")) {
    const std::string expression = text_of(member(condition, "Expression"));
    auto translated = translate_python_condition(expression);
    if (!translated.ok()) return std::move(translated).error().within("Condition '" + expression + "'");
    FL_TRY_VOID(recorded.space.add(Constraint{std::move(translated).value(), "condition of the tuning problem"}));
  }
  // Nor do they always hold together.
  const auto first = recorded.space.next_valid(std::nullopt);
  if (first && !recorded.space.check(recorded.start).ok()) recorded.start = recorded.space.at(*first);
  return recorded;
}

Result<std::vector<RecordedTrial>> parse_t4(std::string_view json) {
  FL_TRY(const auto file, read_json(json));
  const auto& results = member(file, "results");
  if (!results.is_array()) return wrong("results", "not an array");
  std::vector<RecordedTrial> trials;
  for (std::size_t i = 0; i < results.size(); ++i) {
    FL_TRY(auto trial, t4_trial(results[i], "results[" + std::to_string(i) + "]"));
    trials.push_back(std::move(trial));
  }
  return trials;
}

Result<RecordedSpace> parse_kernel_tuner(std::string_view json) {
  FL_TRY(const auto file, read_json(json));
  RecordedSpace recorded;
  recorded.name = text_of(member(file, "kernel_name"));
  recorded.device = text_of(member(file, "device_name"));
  const auto& keys = member(file, "tune_params_keys");
  if (!keys.is_array()) return wrong("tune_params_keys", "not an array");
  for (const auto& key : keys) {
    Parameter parameter{text_of(key), {}, {}};
    for (const auto& value : member(member(file, "tune_params"), parameter.name.c_str())) {
      FL_TRY(auto parsed, parameter_value(value, "tune_params." + parameter.name));
      parameter.values.push_back(std::move(parsed));
    }
    FL_TRY_VOID(recorded.space.add(std::move(parameter)));
  }
  const auto& cache = member(file, "cache");
  if (!cache.is_object()) return wrong("cache", "not an object");
  for (const auto& [key, entry] : cache.items()) {
    FL_TRY(auto trial, kernel_tuner_trial(entry, recorded.space, "cache[\"" + key + "\"]"));
    recorded.trials.push_back(std::move(trial));
  }
  if (recorded.trials.empty()) return wrong("cache", "empty");
  recorded.start = recorded.trials.front().config;
  return recorded;
}

Result<std::vector<RecordedTrial>> parse_triton_autotune(std::string_view json) {
  FL_TRY(const auto file, read_json(without_infinity(json)));
  const auto& timings = member(file, "configs_timings");
  if (!timings.is_array()) return wrong("configs_timings", "not an array");
  std::vector<RecordedTrial> trials;
  for (std::size_t i = 0; i < timings.size(); ++i) {
    FL_TRY(auto trial, triton_trial(timings[i], "configs_timings[" + std::to_string(i) + "]"));
    trials.push_back(std::move(trial));
  }
  return trials;
}

Result<RecordedSpace> parse_recording(std::string_view json) {
  if (json.find("\"tune_params_keys\"") != std::string_view::npos) return parse_kernel_tuner(json);
  const bool is_triton = json.find("\"configs_timings\"") != std::string_view::npos;
  RecordedSpace recorded;
  FL_TRY(recorded.trials, is_triton ? parse_triton_autotune(json) : parse_t4(json));
  if (recorded.trials.empty()) return wrong(is_triton ? "configs_timings" : "results", "there is none");
  return recorded;
}

}  // namespace fuselab::tuner
