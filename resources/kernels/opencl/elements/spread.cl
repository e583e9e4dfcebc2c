// SPDX-License-Identifier: Apache-2.0
// needs: vector
#define spread_$F(x) (($F)(x))
