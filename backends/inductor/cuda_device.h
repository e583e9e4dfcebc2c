// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::inductor {

// Returns what PyTorch asks a CUDA device for, under its names, of one device of the target: Inductor writes code by its number of
// multiprocessors and its memories.
// Fails with kUnsupported for a target without such a device, naming those that have one.
Result<nlohmann::json> cuda_device(const Target& target);

}  // namespace fuselab::inductor
