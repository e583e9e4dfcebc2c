// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/runs/card_words.h"

#include <algorithm>

#include "core/base/formatted.h"
#include "core/base/words.h"

namespace fuselab::engine {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

void add(Lines& lines, const std::string& name, const std::string& value) {
  if (!value.empty()) lines.emplace_back(name, value);
}

// Returns the values of one field, each once; the devices of a machine mostly agree.
std::string values_of(const RunCard& card, std::string EnvironmentIdentity::*field) {
  std::vector<std::string> values;
  for (const auto& [device, environment] : card.environments) {
    const std::string& value = environment.*field;
    if (!value.empty() && std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return joined(values, "; ");
}

std::string devices_text(const RunCard& card) {
  std::vector<std::string> devices;
  for (const auto& [device, environment] : card.environments)
    devices.push_back(environment.driver.empty() ? device : device + " (driver " + environment.driver + ")");
  return joined(devices);
}

std::string software_text(const RunCard& card) {
  std::vector<std::string> programs;
  for (const auto& [name, version] : card.software) programs.push_back(version.empty() ? name : name + " " + version);
  return joined(programs, "; ");
}

std::string metrics_text(const RunCard& card) {
  std::vector<std::string> ways;
  for (const MetricIdentity& metric : card.metrics) ways.push_back(std::string(name_of(metric.mode)) + ", " + metric.detail);
  return joined(ways, "; ");
}

std::string inputs_text(const RunCard& card) {
  std::vector<std::string> inputs;
  for (const MetricIdentity& metric : card.metrics) {
    std::string text = std::string(name_of(metric.inputs.pattern)) + ", seed " + std::to_string(metric.inputs.seed);
    if (std::find(inputs.begin(), inputs.end(), text) == inputs.end()) inputs.push_back(std::move(text));
  }
  return joined(inputs, "; ");
}

std::string outcomes_text(const RunCard& card) {
  std::vector<std::string> outcomes;
  for (const auto& [outcome, trials] : card.outcomes) outcomes.push_back(std::to_string(trials) + " " + outcome);
  return joined(outcomes);
}

// "1.39" or "1.39 to 1.87".
std::string range_text(double low, double high, const char* unit) {
  const std::string least = formatted("%.3g", low), most = formatted("%.3g", high);
  return (least == most ? most : least + " to " + most) + unit;
}

std::string quiet_text(const RunCard& card) {
  std::int64_t timed = 0;
  for (const auto& [outcome, trials] : card.outcomes) timed += outcome == "timed" ? trials : 0;
  if (timed == 0) return {};
  return formatted("%lld of %lld timed trials disturbed by other load (%.0f%%)", static_cast<long long>(card.disturbed),
                   static_cast<long long>(timed), 100.0 * static_cast<double>(card.disturbed) / static_cast<double>(timed));
}

std::string stolen_text(const RunConditions& conditions) {
  std::string text = formatted("%.1f s timed: %.2f s taken by a hypervisor, %.2f s by a quota, ", conditions.timed_seconds,
                               conditions.steal_seconds, conditions.throttled_seconds);
  return text + counted(conditions.involuntary_switches, "involuntary context switch", "involuntary context switches");
}

void add_conditions(Lines& lines, const RunConditions& conditions) {
  if (conditions.blocks == 0) return;
  add(lines, "load", range_text(conditions.load_low, conditions.load_high, ""));
  if (conditions.clock_mhz_high > 0) add(lines, "clock", range_text(conditions.clock_mhz_low, conditions.clock_mhz_high, " MHz"));
  if (conditions.celsius_high > 0) add(lines, "heat", formatted("at most %.0f °C", conditions.celsius_high));
  if (conditions.watts_high > 0) add(lines, "power", formatted("at most %.0f W", conditions.watts_high));
  add(lines, "processor time", stolen_text(conditions));
}

}  // namespace

Lines card_lines(const RunRecord& run, const RunCard& card) {
  Lines lines;
  add(lines, "run", run.id);
  add(lines, "command", run.command);
  add(lines, "state", run.state);
  if (run.finished_unix_ms > run.started_unix_ms)
    add(lines, "took", formatted("%.1f s", static_cast<double>(run.finished_unix_ms - run.started_unix_ms) / 1e3));
  add(lines, "Fuselab", run.tool_version);
  add(lines, "machine", values_of(card, &EnvironmentIdentity::host));
  add(lines, "CPU", values_of(card, &EnvironmentIdentity::cpu_model));
  add(lines, "microcode", values_of(card, &EnvironmentIdentity::microcode));
  add(lines, "operating system", values_of(card, &EnvironmentIdentity::os_kernel));
  add(lines, "clock policy", values_of(card, &EnvironmentIdentity::clock_policy));
  add(lines, "devices", devices_text(card));
  add(lines, "software", software_text(card));
  add(lines, "timed", metrics_text(card));
  add(lines, "inputs", inputs_text(card));
  add(lines, "trials", outcomes_text(card));
  add(lines, "quiet", quiet_text(card));
  add_conditions(lines, card.conditions);
  return lines;
}

}  // namespace fuselab::engine
