// SPDX-License-Identifier: Apache-2.0
#include "core/compare/false_discovery.h"

#include <algorithm>
#include <cstddef>

namespace fuselab {

std::vector<bool> false_discovery_control(std::span<const double> p_values, double rate) {
  std::vector<double> sorted(p_values.begin(), p_values.end());
  std::sort(sorted.begin(), sorted.end());
  double limit = -1;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] <= rate * static_cast<double>(k + 1) / static_cast<double>(sorted.size())) limit = sorted[k];
  }
  std::vector<bool> stands;
  stands.reserve(p_values.size());
  for (double const p : p_values) stands.push_back(p <= limit);
  return stands;
}

}  // namespace fuselab
