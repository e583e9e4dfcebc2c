// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Generates what elements_family() does, for many threads: each computes whole elements of the results, one at a time. Reals are
// computed in single precision where that is exact enough; else in double, which the target must then have (limit "f64").
Family simt_single_elements();

}  // namespace fuselab::codegen
