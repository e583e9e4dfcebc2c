// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/conditions_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace fuselab::engine {
namespace {

using Json = nlohmann::json;

// Converts a number of a record to an int; 0 for one that is negative or too large.
int whole(const Json& json) {
  constexpr double kMost = 1e9;
  const double value = json.get<double>();
  return value >= 0 && value <= kMost ? static_cast<int>(value) : 0;
}
int whole(const Json& json, const char* name) {
  return json.contains(name) ? whole(json[name]) : 0;
}

double to_a_millionth(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

void add(Json& json, const char* name, double value) {
  if (value != 0) json[name] = value;
}

// Rounds away milliwatts and thousandths of degrees, which are noise that would enlarge every record.
double to_a_tenth(double value) {
  return std::round(value * 10) / 10;
}

// Returns [overhead in ns, resolution in ns, timings, clock]: as short as possible, since it is in every process of a record.
Json json_of_timer(const TimerCost& timer) {
  return {timer.overhead.count, timer.resolution.count, timer.timings, name_of(timer.source)};
}

TimerCost timer_from(const Json& json) {
  TimerCost timer;
  if (!json.is_array() || json.size() < 4) return timer;
  const auto source = parse_timing_source(json[3].get<std::string>());
  if (!source.ok()) return timer;  // a clock that only a newer Fuselab knows
  timer.overhead = {json[0].get<double>()};
  timer.resolution = {json[1].get<double>()};
  timer.timings = whole(json[2]);
  timer.source = source.value();
  return timer;
}

// Returns the device's own part; empty where it has no sensors.
Json sensors_json(const DeviceStates& states) {
  Json json = Json::object();
  add(json, "readings", states.readings);
  if (states.throttle != 0) {
    json["throttle"] = states.throttle;
    json["throttled_by"] = throttle_text(states.throttle);
  }
  add(json, "core_mhz_low", states.core_mhz_low);
  add(json, "core_mhz_high", states.core_mhz_high);
  add(json, "memory_mhz_low", states.memory_mhz_low);
  add(json, "celsius", states.celsius_high);
  add(json, "watts", to_a_tenth(states.watts_high));
  if (!states.driver.empty()) json["driver"] = states.driver;
  if (!states.unknown.empty()) json["unknown"] = states.unknown;
  return json;
}

DeviceStates states_of(const Json& json) {
  DeviceStates states;
  states.readings = whole(json, "readings");
  if (json.contains("throttle") && json["throttle"].is_number_unsigned()) json["throttle"].get_to(states.throttle);
  states.core_mhz_low = json.value("core_mhz_low", 0.0);
  states.core_mhz_high = json.value("core_mhz_high", 0.0);
  states.memory_mhz_low = json.value("memory_mhz_low", 0.0);
  states.celsius_high = json.value("celsius", 0.0);
  states.watts_high = json.value("watts", 0.0);
  states.driver = json.value("driver", std::string());
  states.unknown = json.value("unknown", std::string());
  return states;
}

}  // namespace

Json conditions_json(const BlockConditions& conditions) {
  Json json = Json::object();
  for (const double ns : conditions.canary.compute) add(json, "compute_ns", ns);
  for (const double ns : conditions.canary.memory) add(json, "memory_ns", ns);
  add(json, "threads", conditions.threads);
  add(json, "steal_s", conditions.steal_seconds);
  add(json, "throttled_s", conditions.throttled_seconds);
  add(json, "switches", conditions.involuntary_switches);
  add(json, "waited_s", to_a_millionth(conditions.waited_seconds));
  add(json, "load", conditions.load);
  add(json, "runnable", conditions.runnable);
  add(json, "clock_mhz", conditions.clock_mhz);
  json["wall_s"] = to_a_millionth(conditions.wall_seconds);  // in millionths, since a block of an empty kernel takes only some
  if (Json sensors = sensors_json(conditions.device); !sensors.empty()) json["sensors"] = std::move(sensors);
  if (conditions.timer.timings > 0) json["timer"] = json_of_timer(conditions.timer);
  return json;
}

BlockConditions conditions_of(const Json& json) {
  BlockConditions conditions;
  if (json.contains("compute_ns")) conditions.canary.compute = {json["compute_ns"].get<double>()};
  if (json.contains("memory_ns")) conditions.canary.memory = {json["memory_ns"].get<double>()};
  conditions.threads = whole(json, "threads");
  conditions.steal_seconds = json.value("steal_s", 0.0);
  conditions.throttled_seconds = json.value("throttled_s", 0.0);
  conditions.involuntary_switches = whole(json, "switches");
  conditions.waited_seconds = json.value("waited_s", 0.0);
  conditions.load = json.value("load", 0.0);
  conditions.runnable = whole(json, "runnable");
  conditions.clock_mhz = json.value("clock_mhz", 0.0);
  conditions.wall_seconds = json.value("wall_s", 0.0);
  conditions.device = states_of(json.value("sensors", Json::object()));
  conditions.timer = timer_from(json.value("timer", Json::array()));
  return conditions;
}

}  // namespace fuselab::engine
