// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace fuselab {

// Returns which of a suite's findings stand when on average at most a share `rate` of them may be false: the largest k with p(k) <=
// rate k / n, p sorted (Benjamini, Hochberg, Journal of the Royal Statistical Society B 57, 1995). One flag per p, in order.
std::vector<bool> false_discovery_control(std::span<const double> p_values, double rate);

// Returns the least rate at which each finding would stand: min over k >= its place of p(k) n / k, at most 1. One per p, in order.
std::vector<double> false_discovery_rates(std::span<const double> p_values);

}  // namespace fuselab
