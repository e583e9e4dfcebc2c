// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/deploy/bundle/bundle_file.h"
#include "core/backend/device_info.h"
#include "core/measure/plan.h"

namespace fuselab::deploy {

// Returns a bundle's piece as the plan that the engine verifies and times: its graph, and per step the kernel that the loader would
// run on this device, the tuned one or its baseline.
// Fails with kUnsupported for a piece that the device cannot run or that an older Fuselab exported, and with kCorrupt where the
// piece does not hold together.
Result<Plan> plan_of(const BundlePiece& piece, const InspectedBundle& bundle, const DeviceInfo& device);

}  // namespace fuselab::deploy
