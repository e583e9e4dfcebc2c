// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/select/selector.h"

namespace fuselab {

// The result of one way to choose, on pieces whose times are known: regret = chosen / fastest − 1.
struct Regret {
  std::string of;        // "selector", "always cpu:0"
  int keys = 0;          // pieces judged: measured on at least two devices that may be chosen
  int fastest = 0;       // pieces for which the fastest device was chosen
  int within_noise = 0;  // pieces for which another was chosen, whose interval overlaps the fastest's
  double mean = 0;
  double worst = 0;
  std::string worst_piece, worst_chosen, worst_fastest;  // names; empty without regret
  double worst_chosen_ns = 0, worst_fastest_ns = 0;
};

struct RegretReport {
  Regret selector;                // leave-one-out: the device is chosen as if the piece had never been measured
  std::vector<Regret> by_source;  // the same, split into decisions that interpolated and decisions that used a rule
  std::vector<Regret> always;     // for scale: one device for all pieces that were measured on it
};

// Computes the selector's regret against the best choice, over all pieces that were measured on two devices or more. Quadratic in
// the pieces.
RegretReport leave_one_out(const Selector& selector);

}  // namespace fuselab
