// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "app/engine/execute/placement.h"
#include "app/engine/workers/worker_pool.h"

namespace fuselab::engine {

// Measures what handing tensors over to each device costs: its worker reads a tensor from a file of `folder`, copies it to the
// device and back, and writes it to another file. This is done several times at each of two sizes; the least time counts. Starts
// the workers, which the run needs anyway. A device that cannot do it is left out.
HandOverCosts measure_hand_over(WorkerPool& workers, const std::vector<DeviceInfo>& devices, const std::filesystem::path& folder,
                                std::stop_token stop);

}  // namespace fuselab::engine
