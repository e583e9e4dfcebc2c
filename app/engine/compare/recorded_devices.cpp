// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/recorded_devices.h"

#include <algorithm>

#include "core/ops/own_kernel.h"

namespace fuselab::engine {
namespace {

bool is_recorded(const Node& node) {
  if (node.op != Op::kOwnKernel) return false;
  const auto kernel = own_kernel_of(node.attributes);
  return kernel.ok() && kernel.value().language == kRecordedLanguage;
}

}  // namespace

EnvironmentIdentity recorded_environment(const DeviceInfo& device) {
  EnvironmentIdentity environment;
  environment.host = environment.tool_version = std::string(kRecordedBackend);
  environment.device_uuid = device.uuid;
  return environment;
}

const std::vector<ComparedDevice>& devices_for(const FusedModel& fused_model, const std::vector<ComparedDevice>& here,
                                               const std::vector<ComparedDevice>& of_recordings) {
  const bool is_recording = std::ranges::any_of(
      fused_model.pieces, [](const Piece& piece) { return std::ranges::any_of(piece.operation.graph.nodes(), is_recorded); });
  return is_recording && !of_recordings.empty() ? of_recordings : here;
}

std::vector<ComparedDevice> recorded_devices(const Catalog& catalog) {
  std::vector<ComparedDevice> devices;
  for (const DeviceInfo& device : catalog.devices) {
    if (device.backend != kRecordedBackend) continue;
    ComparedDevice& entry = devices.emplace_back();
    entry.info = device;
    entry.environment_key = recorded_environment(device).key().hex();
  }
  return devices;
}

bool names_recording(const Catalog& catalog, std::string_view model) {
  return std::ranges::any_of(catalog.model_pieces, [&](const ModelPieceRecord& use) {
    if (use.model != model) return false;
    const auto run = std::ranges::find(catalog.runs, use.run_id, &RunRecord::id);
    return run != catalog.runs.end() && run->verb == kRecordedVerb;
  });
}

}  // namespace fuselab::engine
