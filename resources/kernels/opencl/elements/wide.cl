// SPDX-License-Identifier: Apache-2.0
// needs: vector
#define wide_$F(x) ((double)(x))
