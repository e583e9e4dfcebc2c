// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab {

// Where a change lies: the places whose likelihood is not too far below the best one's. What -2 log of their ratio stays below with
// this probability: (1 - exp(-x/2))² is the chance of at most x (Siegmund 1988; Hansen, Econometrica 68, 2000, table I:
// 7.35 at 95 %). From 0 to below 1.
double critical_likelihood_ratio(double confidence);

}  // namespace fuselab
