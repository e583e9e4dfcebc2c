// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Generates attention, as one operator or written out, for many threads.
Family simt_attention();

}  // namespace fuselab::codegen
