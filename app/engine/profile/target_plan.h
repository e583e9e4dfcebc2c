// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/profile/profiled_plan.h"

namespace fuselab::engine {

// Makes the default configuration of a subject's piece for a target without a device of it: the one that is named or, of
// those that are written for the target, the one that moves most. Its device is the target's architecture alone. Fails where the
// target's compiler is not here, and with its reason where the piece is not written for the target.
Result<ProfiledPlan> plan_for_target(Engine& engine, WorkerPool& workers, const ProfileSpec& spec, const std::stop_token& stop);

}  // namespace fuselab::engine
