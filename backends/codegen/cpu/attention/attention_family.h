// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Generates scaled dot-product attention, as an operator or written out.
Family attention_family();

}  // namespace fuselab::codegen
