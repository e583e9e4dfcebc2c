// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "app/engine/execute/placement.h"
#include "app/engine/workers/worker_pool.h"

namespace fuselab::engine {

// Measures what handing tensors over to each device costs: its worker reads a tensor from a file of `folder`, takes it to the
// device and back, and writes it to another, at two sizes, each some times of which the least counts. Starts the workers, which the
// run needs anyway. A device that cannot do it is left out.
HandOverCosts measure_hand_over(WorkerPool& workers, const std::vector<DeviceInfo>& devices, const std::filesystem::path& folder,
                                std::stop_token stop);

}  // namespace fuselab::engine
