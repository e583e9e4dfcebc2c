// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Makes the backend of PyTorch's Inductor, ahead of time, for this machine's processor: a Python helper compiles a whole graph, and
// what it compiled runs without Python. Constructing the backend touches nothing.
std::unique_ptr<FusionBackend> make_inductor_backend();

}  // namespace fuselab
