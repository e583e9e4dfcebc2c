// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/backend/backend.h"

namespace fuselab {

// Generated C on this machine's processor. Constructing it touches nothing; probe() looks for a C compiler.
std::unique_ptr<FusionBackend> make_cpu_backend();

}  // namespace fuselab
