// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/compare/chosen_default.h"
#include "app/engine/measure/device_timers.h"
#include "core/backend/discovery.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"

namespace fuselab::cli {
namespace {

// Leaves out what is not limited.
nlohmann::json limits_json(const FusionLimits& limits) {
  nlohmann::json alone = nlohmann::json::array();
  for (const Op op : limits.writes_alone) alone.push_back(std::string(name_of(op)));
  nlohmann::json stated{{"takes_prologue", limits.takes_prologue},
                        {"takes_twin_products", limits.takes_twin_products},
                        {"takes_normed_rows", limits.takes_normed_rows},
                        {"multiplies_8_bit", limits.multiplies_8_bit},
                        {"writes_alone", alone}};
  if (limits.most_operators > 0) stated["most_operators"] = limits.most_operators;
  if (limits.most_tensors > 0) stated["most_tensors"] = limits.most_tensors;
  return stated;
}

nlohmann::json capabilities_json(const BackendCapabilities& capabilities) {
  nlohmann::json dtypes = nlohmann::json::array(), operators = nlohmann::json::array();
  for (const DType dtype : capabilities.dtypes) dtypes.push_back(std::string(name_of(dtype)));
  for (const Op op : capabilities.operators) operators.push_back(std::string(name_of(op)));
  return {{"patterns", capabilities.patterns},
          {"dtypes", dtypes},
          {"operators", operators},
          {"fusion_limits", limits_json(capabilities.fusion)},
          {"autotuning", capabilities.supports_autotuning},
          {"profiling", capabilities.supports_profiling},
          {"jit", capabilities.supports_jit},
          {"binary_cache", capabilities.supports_binary_cache},
          {"foreign_targets", capabilities.foreign_targets}};
}

// "075 COMPUTE_CAPABILITY_MAJOR"; without a name the number alone.
std::string attribute_key(const DeviceAttribute& attribute) {
  char number[16];
  std::snprintf(number, sizeof number, "%03d", attribute.number);
  return attribute.name.empty() ? number : std::string(number) + " " + attribute.name;
}

// Gives the reason where the timer's cost was not asked for or could not be known.
nlohmann::json timer_json(const TimerCost& timer) {
  if (timer.timings == 0) return {{"unknown", timer.unknown}};
  return {{"clock", std::string(name_of(timer.source))},
          {"overhead_ns", timer.overhead.count},
          {"resolution_ns", timer.resolution.count},
          {"timings", timer.timings}};
}

using Timers = std::map<std::string, TimerCost>;

nlohmann::json device_json(const DeviceInfo& device, const Timers& timers) {
  nlohmann::json others = nlohmann::json::array();
  for (const Target& other : device.other_targets) others.push_back(other.id);
  nlohmann::json object = {{"id", device.id},
                           {"name", device.name},
                           {"type", device.type},
                           {"target", device.target.id},
                           {"limits", device.target.limits},
                           {"other_targets", others},
                           {"synthetic", device.synthetic},
                           {"software", device.is_software()},
                           {"unified_memory", device.unified_memory},
                           {"properties", device.properties}};
  if (const auto timer = timers.find(device.id); timer != timers.end()) object["timer"] = timer_json(timer->second);
  if (device.total_memory_bytes) object["total_memory_bytes"] = *device.total_memory_bytes;
  if (device.free_memory_bytes) object["free_memory_bytes"] = *device.free_memory_bytes;
  if (device.compute_units) object["compute_units"] = *device.compute_units;
  if (device.compute_capability) object["compute_capability"] = *device.compute_capability;
  if (device.driver_version) object["driver_version"] = *device.driver_version;
  for (const DeviceAttribute& each : device.attributes) object["attributes"][attribute_key(each)] = each.value;
  return object;
}

nlohmann::json default_json(const Result<engine::DefaultBackend>& chosen) {
  if (!chosen.ok()) return {{"unknown", chosen.error().message}};
  const engine::DefaultBackend& backend = chosen.value();
  nlohmann::json object = {{"id", backend.id},
                           {"set", backend.set},
                           {"usable", backend.usable},
                           {"chosen_for", backend.pieces},
                           {"measured", backend.measured}};
  if (!backend.usable) object["reason"] = backend.why_not;
  return object;
}

std::string default_text(const Result<engine::DefaultBackend>& chosen, const std::vector<BackendReport>& backends) {
  std::string text = "Default backend: ";
  if (!chosen.ok()) return text + "unknown, " + chosen.error().message + "\n";
  const engine::DefaultBackend& backend = chosen.value();
  const auto report =
      std::find_if(backends.begin(), backends.end(), [&](const BackendReport& each) { return each.id == backend.id; });
  text += report == backends.end() ? backend.id : report->display_name;
  if (backend.set) {
    text += ", as set; `fuselab default` shows why";
  } else if (backend.pieces > 0) {
    text += ", chosen for " + std::to_string(backend.pieces) + " of " + std::to_string(backend.measured) +
            " measured pieces; `fuselab select` shows why";
  } else {
    text += backend.usable ? "" : " (not usable: " + backend.why_not + ")";
    text += " until something is measured here: `fuselab run`";
  }
  return text + "\n";
}

// Returns the backend that was set, the one chosen by measuring, or the built-in one. An unreadable database gives its reason and
// hides no device.
Result<engine::DefaultBackend> find_default(engine::Engine& engine) {
  FL_TRY(const engine::DefaultState state, engine::default_state(engine));
  if (!state.set || state.in_force.empty()) return state.measured;
  engine::DefaultBackend chosen = state.measured;
  chosen.id = state.in_force;
  chosen.set = chosen.usable = true;
  chosen.why_not.clear();
  return chosen;
}

nlohmann::json devices_json(const std::vector<BackendReport>& backends, const Timers& timers,
                            const Result<engine::DefaultBackend>& chosen) {
  nlohmann::json rows = nlohmann::json::array();
  for (const BackendReport& backend : backends) {
    nlohmann::json devices = nlohmann::json::array();
    for (const DeviceInfo& device : backend.devices) devices.push_back(device_json(device, timers));
    nlohmann::json& row = rows.emplace_back(nlohmann::json{{"id", backend.id},
                                                           {"name", backend.display_name},
                                                           {"kind", backend.kind},
                                                           {"usable", backend.availability.usable},
                                                           {"reason", backend.availability.reason},
                                                           {"devices", devices},
                                                           {"capabilities", capabilities_json(backend.capabilities)}});
    if (!backend.compiler.name.empty()) row["compiler"] = {{"name", backend.compiler.name}};
    if (!backend.compiler.file.empty()) row["compiler"]["file"] = backend.compiler.file;
  }
  return {{"schema", "fuselab.devices/1"}, {"backends", rows}, {"default_backend", default_json(chosen)}};
}

ExitCode devices(Invocation& invocation, bool details) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  const auto backends = engine.value()->devices(true);
  if (!backends.ok()) return fail(invocation, backends.error());
  const auto chosen = find_default(*engine.value());
  const Timers timers = invocation.json || details ? engine::measure_timers(invocation.config, backends.value()) : Timers();
  if (invocation.json) return print_document(devices_json(backends.value(), timers, chosen));
  std::fputs(summary_text(backends.value()).c_str(), stdout);
  std::fputs(plain_text(default_text(chosen, backends.value())).c_str(), stdout);
  if (!details) return ExitCode::kOk;
  for (const BackendReport& backend : backends.value()) {
    for (const DeviceInfo& device : backend.devices) {
      std::printf("\n%s  %s  (target %s)\n", plain_line(device.id).c_str(), plain_line(device.name).c_str(),
                  plain_line(device.target.id).c_str());
      for (const auto& [name, value] : device.properties)
        std::printf("  %s: %s\n", plain_line(name).c_str(), plain_line(value).c_str());
      if (const auto timer = timers.find(device.id); timer != timers.end())
        std::printf("  timer: %s\n", timer_text(timer->second).c_str());
    }
  }
  return ExitCode::kOk;
}

}  // namespace

void add_devices_verb(CLI::App& command, Invocation& invocation) {
  const auto details = std::make_shared<bool>(false);
  command.add_flag("--details", *details, "Also what is known of each device");
  show_examples(command, {"fuselab devices", "fuselab devices --details"});
  command.callback(
      [&invocation, details] { invocation.action = [&invocation, details] { return devices(invocation, *details); }; });
}

}  // namespace fuselab::cli
