// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/library/claims.h"
#include "backends/torch/lowering.h"

namespace fuselab::torch {

// The operators that PyTorch computes within the tolerances, special inputs included: those that have a call here.
inline const library::Claims& claims() {
  static const std::vector<Op> asked = lowered_operators();
  static const library::Claims claims{.asked = asked, .not_asked = "it is not asked of PyTorch"};
  return claims;
}

}  // namespace fuselab::torch
