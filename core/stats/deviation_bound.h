// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab {

// The normal distribution's 95 % point: an effect that is to be called 19 times in 20 must lie this many errors beyond the limit.
inline constexpr double kNineteenOfTwenty = 1.6448536269514722;

// Returns the factor by which the true standard deviation exceeds that of a sample of n normal values (n > 1) with a probability of
// only 10 %; the sample's variance is chi-squared with n - 1 degrees of freedom.
double deviation_bound(double n);

}  // namespace fuselab
