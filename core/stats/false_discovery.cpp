// SPDX-License-Identifier: Apache-2.0
#include "core/stats/false_discovery.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

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
  for (const double p : p_values) stands.push_back(p <= limit);
  return stands;
}

std::vector<double> false_discovery_rates(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> rates(p_values.size());
  double least = 1;
  for (std::size_t k = order.size(); k > 0; --k) {
    const std::size_t place = order[k - 1];
    least = std::min(least, p_values[place] * static_cast<double>(p_values.size()) / static_cast<double>(k));
    rates[place] = least;
  }
  return rates;
}

}  // namespace fuselab
