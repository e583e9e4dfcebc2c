// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/recorded_devices.h"

#include <algorithm>

#include "core/ops/own_kernel.h"

namespace fuselab::engine {
namespace {

bool is_recorded_node(const Node& node) {
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

std::vector<ComparedDevice> take_recorded_devices(const Catalog& catalog, DeviceChoice& choice, bool& only_recorded) {
  const auto is_recorded_name = [](const std::string& name) {
    return name == kRecordedBackend || name.starts_with(std::string(kRecordedBackend) + ":");
  };
  const auto names = [](const std::vector<std::string>& list, const DeviceInfo& device) {
    return std::ranges::any_of(list, [&](const std::string& name) { return names_device(name, device.id, device.backend); });
  };
  std::vector<ComparedDevice> devices;
  for (const DeviceInfo& device : catalog.devices) {
    const bool asked = choice.only.empty() || names(choice.only, device);
    if (device.backend != kRecordedBackend || !asked || names(choice.except, device)) continue;
    ComparedDevice& entry = devices.emplace_back();
    entry.info = device;
    entry.environment_key = recorded_environment(device).key().hex();
  }
  const bool named_any = !choice.only.empty();
  for (auto* const list : {&choice.only, &choice.except, &choice.prefer}) std::erase_if(*list, is_recorded_name);
  only_recorded = named_any && choice.only.empty();
  return devices;
}

bool is_recording(const FusedModel& fused_model) {
  return std::ranges::any_of(
      fused_model.pieces, [](const Piece& piece) { return std::ranges::any_of(piece.operation.graph.nodes(), is_recorded_node); });
}

Result<std::vector<ComparedDevice>> devices_of_recording(const FusedModel& recording, const std::vector<ComparedDevice>& recorded,
                                                         ResultQueries& queries) {
  std::vector<ComparedDevice> devices;
  for (const ComparedDevice& device : recorded) {
    TrialFilter filter;
    filter.device_id = device.info.id;
    for (const Piece& piece : recording.pieces) filter.piece_keys.push_back(piece.key);
    FL_TRY(const auto trials, queries.page(filter, TrialOrder::kFastestFirst, 0, 1));
    if (!trials.empty()) devices.push_back(device);
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
