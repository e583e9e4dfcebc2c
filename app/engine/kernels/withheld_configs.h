// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernel/drawback.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::engine {

// Adds constraints that leave out the configurations with a drawback that the user does not accept, so that no search tries them.
// A parameter that cannot be without its drawback stays: what was measured of it is shown and withheld.
void leave_out_withheld(ParameterSpace& space, Drawbacks accepted);

// Returns the drawbacks that some configuration left in the space has.
Drawbacks possible_drawbacks(const ParameterSpace& space);

}  // namespace fuselab::engine
