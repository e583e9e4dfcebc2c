// SPDX-License-Identifier: Apache-2.0
// needs:
typedef FL_WIDE_$L($S) $F;
#define load_$F(p) FL_LOAD_$L(p)
#define store_$F(p, v) FL_STORE_$L(p, v)
