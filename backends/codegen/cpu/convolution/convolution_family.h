// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Direct convolutions, whatever their windows. A 1×1 convolution of a large image is a product and left to that family.
Family convolution_family();

}  // namespace fuselab::codegen
