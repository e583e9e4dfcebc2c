// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fuselab {

// The median absolute deviation of normal values times this is their standard deviation.
inline constexpr double kDeviationPerMad = 1.4826022185056018;
// Values further away than this many deviations are clipped to it (Huber's clipping; 0.3 % of normal values are).
inline constexpr double kClipping = 3;

// Returns the median and reorders the values; 0 without any.
double median_in_place(std::span<double> values);

// Returns a robust deviation of values about `centre`: from their median distance or, where more than half of the values are equal,
// from their mean distance; 0 for a constant series. `work` is used as scratch memory.
double deviation_about(std::span<const double> values, double centre, std::vector<double>& work);

// Computes (values - median) / deviations, in units of their own scatter and clipped; all 0 for a constant series.
void standardise(std::span<const double> values, std::span<const double> deviations, std::vector<double>& standard,
                 std::vector<double>& work);

}  // namespace fuselab
