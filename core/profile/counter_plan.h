// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fuselab {

// What a GPU takes to count the metrics of the vocabulary, whatever the vendor. A pass is one launch of the sequence.
struct CounterPlan {
  using Named = std::pair<std::string, std::string>;  // metric and what counts it
  std::string chip;                                   // "GH100", "gfx942"
  std::vector<std::vector<Named>> passes;             // each metric in the pass that completes it
  std::vector<Named> refused;                         // metric and why
  std::vector<Named> series;                          // what one launch samples over its time
  bool operator==(const CounterPlan&) const = default;
};

}  // namespace fuselab
