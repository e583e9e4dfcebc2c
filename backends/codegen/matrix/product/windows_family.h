// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Returns the family of convolutions whose groups have too few rows of weights for matrix units: plain threads make strips.
Family window_strips();

}  // namespace fuselab::codegen
