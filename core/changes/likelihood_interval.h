// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab {

// Returns the bound of -2 log of the likelihood ratio within which the true place of a change lies with this probability, from 0 to
// below 1. The interval of a change is all places whose likelihood is within the bound of the best one's. The ratio is at most x
// with probability (1 - exp(-x/2))² (Siegmund 1988; Hansen, Econometrica 68, 2000, table I: 7.35 at 95 %).
double critical_likelihood_ratio(double confidence);

}  // namespace fuselab
