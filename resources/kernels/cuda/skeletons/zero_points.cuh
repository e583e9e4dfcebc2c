// SPDX-License-Identifier: Apache-2.0
// needs: unit_i8
// Zero points of products by tiles. (a - za) · (b - zb) is a·b - za·Σb - zb·Σa + za·zb over all steps that stages hold, zero points
// flipped as their operands are. Steps beyond the depth are zero numbers, whose share is taken off again.
// Before this text stand: fl_left_zero(in, row) and fl_right_zero(in, column); kHasZeros.

// What zero points add to a sum: Σa of each row and Σb of each column, as products with ones.
struct fl_offsets {
  fl_sums rows[kWarpM / 16], columns[kWarpN / 8];
  FL_DEVICE void clear() {
#pragma unroll
    for (int i = 0; i < kWarpM / 16; ++i) rows[i].clear();
#pragma unroll
    for (int j = 0; j < kWarpN / 8; ++j) columns[j].clear();
  }
  FL_DEVICE void add(const fl_fragment (&left)[kWarpM / 16], const fl_fragment (&right)[kWarpN / 16]) {
    if constexpr (kHasZeros) {
      constexpr unsigned kOnes = 0x01010101u;
      const unsigned ones[4] = {kOnes, kOnes, kOnes, kOnes};
#pragma unroll
      for (int i = 0; i < kWarpM / 16; ++i) fl_multiply_i8(rows[i].v, left[i].bits, kOnes, kOnes);
#pragma unroll
      for (int j = 0; j < kWarpN / 8; ++j) fl_multiply_i8(columns[j].v, ones, right[j / 2].bits[j % 2 * 2], right[j / 2].bits[j % 2 * 2 + 1]);
    }
  }
  FL_DEVICE int of(const fl_arguments& in, int i, int j, int e, int row, int column) const {
    if constexpr (!kHasZeros) return 0;
    constexpr unsigned kHeld = (kK + kTileK - 1) / kTileK * kTileK;
    const unsigned left = fl_left_zero(in, row), right = fl_right_zero(in, column);
    const unsigned left_flipped = left - (kLeftFlipped ? 128 : 0), right_flipped = right - (kRightFlipped ? 128 : 0);
    return static_cast<int>(kHeld * left_flipped * right_flipped - left_flipped * columns[j].v[e] - right_flipped * rows[i].v[e] -
                            (kHeld - kK) * left * right);
  }
};
