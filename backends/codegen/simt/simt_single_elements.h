// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Generates what elements_family() does, for many threads: each computes whole elements of the results, one at a time. Reals are
// computed in double, so the target must have it (limit "f64") where the graph has any.
Family simt_single_elements();

// Returns true when the target's language has everything that the family calls.
bool takes_single_elements(const Target& target);

}  // namespace fuselab::codegen
