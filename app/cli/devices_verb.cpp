// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/terminal.h"
#include "core/backend/discovery.h"
#include "core/base/units.h"

namespace fuselab::cli {
namespace {

nlohmann::json capabilities_json(const BackendCapabilities& capabilities) {
  nlohmann::json dtypes = nlohmann::json::array(), operators = nlohmann::json::array();
  for (DType const dtype : capabilities.dtypes) dtypes.push_back(std::string(name_of(dtype)));
  for (Op const op : capabilities.operators) operators.push_back(std::string(name_of(op)));
  return {{"patterns", capabilities.patterns},
          {"dtypes", dtypes},
          {"operators", operators},
          {"autotuning", capabilities.supports_autotuning},
          {"profiling", capabilities.supports_profiling},
          {"jit", capabilities.supports_jit},
          {"binary_cache", capabilities.supports_binary_cache},
          {"foreign_targets", capabilities.foreign_targets}};
}

nlohmann::json device_json(const DeviceInfo& device) {
  nlohmann::json object = {{"id", device.id},
                           {"name", device.name},
                           {"type", device.type},
                           {"target", device.target.id},
                           {"synthetic", device.synthetic},
                           {"unified_memory", device.unified_memory},
                           {"properties", device.properties}};
  if (device.total_memory_bytes) object["total_memory_bytes"] = *device.total_memory_bytes;
  if (device.free_memory_bytes) object["free_memory_bytes"] = *device.free_memory_bytes;
  if (device.compute_units) object["compute_units"] = *device.compute_units;
  if (device.compute_capability) object["compute_capability"] = *device.compute_capability;
  if (device.driver_version) object["driver_version"] = *device.driver_version;
  return object;
}

nlohmann::json devices_json(const std::vector<BackendReport>& backends) {
  nlohmann::json rows = nlohmann::json::array();
  for (const BackendReport& backend : backends) {
    nlohmann::json devices = nlohmann::json::array();
    for (const DeviceInfo& device : backend.devices) devices.push_back(device_json(device));
    rows.push_back({{"id", backend.id},
                    {"name", backend.display_name},
                    {"kind", backend.kind},
                    {"usable", backend.availability.usable},
                    {"reason", backend.availability.reason},
                    {"devices", devices},
                    {"capabilities", capabilities_json(backend.capabilities)}});
  }
  return {{"schema", "fuselab.devices/1"}, {"backends", rows}};
}

ExitCode devices(Invocation& invocation, bool details) {
  auto const session = invocation.session();
  if (!session.ok()) return fail(invocation, session.error());
  auto const backends = session.value()->devices(true);
  if (!backends.ok()) return fail(invocation, backends.error());
  if (invocation.json) return print_document(devices_json(backends.value()));
  std::fputs(summary_text(backends.value()).c_str(), stdout);
  if (!details) return ExitCode::kOk;
  for (const BackendReport& backend : backends.value()) {
    for (const DeviceInfo& device : backend.devices) {
      std::printf("\n%s  %s  (target %s)\n", device.id.c_str(), device.name.c_str(), device.target.id.c_str());
      for (auto const& [name, value] : device.properties) std::printf("  %s: %s\n", name.c_str(), value.c_str());
    }
  }
  return ExitCode::kOk;
}

}  // namespace

void add_devices_verb(CLI::App& app, Invocation& invocation) {
  auto const details = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand("devices", "List every backend: usable or why not, with its devices");
  command->add_flag("--details", *details, "Also what is known of each device");
  show_examples(*command, {"fuselab devices", "fuselab devices --details"});
  command->callback(
      [&invocation, details] { invocation.action = [&invocation, details] { return devices(invocation, *details); }; });
}

}  // namespace fuselab::cli
