// SPDX-License-Identifier: Apache-2.0
// needs: vector
#define narrow_$F(x) ((float)(x))
