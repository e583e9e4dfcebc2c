// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab {

// The normal distribution's 95 % point: what is to be seen 19 times in 20 lies this many errors beyond what is called.
inline constexpr double kNineteenOfTwenty = 1.6448536269514722;

// How many times the sample's standard deviation the true one may be, but for one time in ten, of n normal values (n > 1): theirs
// is chi-squared with n - 1 degrees of freedom.
double deviation_bound(double n);

}  // namespace fuselab
