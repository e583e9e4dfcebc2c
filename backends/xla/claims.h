// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/library/claims.h"
#include "backends/xla/stablehlo/stablehlo_text.h"

namespace fuselab::xla {

// Seen with PJRT 0.115 on AVX2.
inline constexpr library::OpFinding kComputedWrong[] = {
    {Op::kPow, "XLA leaves the tolerance of f32 at denormal numbers (seen with PJRT 0.115)"}};
inline constexpr library::OpLoss kLosesNan[] = {Op::kMin, Op::kMax, Op::kReduceMax, Op::kMaxPool, Op::kAttention};

// The operators that XLA's plugin computes within the tolerances, special inputs included, except that some lose NaN.
inline const library::Claims& claims() {
  static const std::vector<Op> asked = written_operators();
  static const library::Claims claims{
      .wrong = kComputedWrong, .loses_nan = kLosesNan, .asked = asked, .not_asked = "it is not asked of XLA"};
  return claims;
}

}  // namespace fuselab::xla
