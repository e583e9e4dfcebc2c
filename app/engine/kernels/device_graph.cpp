// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/device_graph.h"

namespace fuselab::engine {

Result<bool> DeviceGraph::is_supported() const {
  if (!described.ok()) return described.error();
  return described.value().support.yes;
}

Result<LaunchConfig> DeviceGraph::default_config() const {
  FL_TRY(const bool supported, is_supported());
  if (!supported) return Error{ErrorCode::kUnsupported, described.value().support.why_not};
  return described.value().default_config;
}

}  // namespace fuselab::engine
