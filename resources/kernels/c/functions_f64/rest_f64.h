// SPDX-License-Identifier: Apache-2.0
// needs: vector
// bound: exact, as C's fmod: the dividend is subtracted from bit by bit.
static inline $F rest_$N($F x, $F y) {
  uint64_t a, b;
  memcpy(&a, &x, sizeof a);
  memcpy(&b, &y, sizeof b);
  const uint64_t sign = a & 0x8000000000000000u, whole = 0x0010000000000000u;
  a &= 0x7fffffffffffffffu;
  b &= 0x7fffffffffffffffu;
  if (b == 0 || a >= 0x7ff0000000000000u || b > 0x7ff0000000000000u) return (x * y) / (x * y);
  if (a < b) return x;
  int64_t above = (int64_t)(a >> 52), below = (int64_t)(b >> 52);
  a = above ? (a & (whole - 1)) | whole : a;
  b = below ? (b & (whole - 1)) | whole : b;
  above += above == 0;
  below += below == 0;
  for (; above > below; --above) a = (a >= b ? a - b : a) << 1;
  if (a >= b) a -= b;
  while (a != 0 && a < whole && above > 1) a <<= 1, --above;
  a = a >= whole ? (a - whole) | (uint64_t)above << 52 : a;
  a |= sign;
  $F rest;
  memcpy(&rest, &a, sizeof rest);
  return rest;
}
