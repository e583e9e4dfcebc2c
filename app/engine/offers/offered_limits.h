// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/workers/worker_pool.h"
#include "core/backend/device_info.h"
#include "core/base/support.h"
#include "core/fusion/match/fusion_limits.h"

namespace fuselab::engine {

// Asks the device's backend whether it writes a graph with concrete extents as one kernel. Nothing: it cannot be asked, since its
// compiler is missing or its worker died.
std::optional<Support> writes_on(WorkerPool& workers, const DeviceInfo& device, const std::string& level, const Graph& graph,
                                 const std::stop_token& stop = {});

// Returns limits_of() these devices with the means to offer pieces to their backends. A backend takes what one of its devices
// takes. Borrows the pool. A stop request ends the asking: nothing is answered from then on. Answers are remembered as long as the
// result or a copy of it lives; it is for one thread at a time.
std::vector<BackendLimits> offered_limits(WorkerPool& workers, const std::vector<BackendReport>& backends,
                                          const std::vector<DeviceInfo>& devices, const std::string& level,
                                          const std::stop_token& stop = {});

}  // namespace fuselab::engine
