// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/fusion/match/fusion_types.h"

namespace fuselab {

// The outcome of running pieces as one against running their operators one after the other (C25).
struct FusionVerification {
  bool passed = true;
  int pieces = 0;            // distinct ones of two operators and more that were tried
  int test_cases = 0;        // pieces × inputs
  double max_error = 0;      // largest |sequential − fused|
  double mean_error = 0;     // over all cases
  double worst_ratio = 0;    // largest error as a multiple of what is tolerated there; ≤ 1 passes
  std::string detail;        // the first case that did not pass
  int left_out = 0;          // distinct pieces that were not tried
  std::string why_left_out;  // for the first of them
};

// Tries each distinct piece of a concrete graph with `cases` seeded inputs: its operators one by one, each result rounded to its
// element type as memory would hold it, against the piece computed at once. The tolerance is that of kernels
// (core/reference/tolerance.h): it follows from the element type, the lengths of the reductions and the depth of the chain, which
// one number for all types such as 1e-5 could not. No kernel is run: this judges the cut, not a backend. Pieces above
// kSampledAboveFlops are left out.
FusionVerification verify_fusion(const FusionResult& fusion, int cases = 10, std::uint64_t seed = 1);

}  // namespace fuselab
