// SPDX-License-Identifier: Apache-2.0
// needs: unit
// Zero points of products by tiles. (a - za) · (b - zb) is a·b - za·Σb - zb·Σa + za·zb over all steps that stages hold, zero points
// flipped as their operands are. Steps beyond the depth are zero numbers, whose share is taken off again.
// Before this text stand: fl_left_zero(in, row) and fl_right_zero(in, column); kHasZeros, kLeftFlipped, kRightFlipped.

// What zero points add to a sum: Σa of the lane's rows, and Σb of its columns as products with ones.
struct fl_offsets {
  int rows[kWarpM / kUnitLines];  // of the lane's own steps of depth
  fl_sums columns[kWarpN / kUnitLines];
  FL_DEVICE void clear() {
#pragma unroll
    for (int i = 0; i < kWarpM / kUnitLines; ++i) rows[i] = 0;
#pragma unroll
    for (int j = 0; j < kWarpN / kUnitLines; ++j) columns[j].clear();
  }
  FL_DEVICE void add(const fl_fragment (&left)[kWarpM / kUnitLines], const fl_fragment (&right)[kWarpN / kUnitLines]) {
    if constexpr (kHasZeros) {
      fl_fragment ones;
#pragma unroll
      for (int e = 0; e < kUnitRead; ++e) ones.v[e] = 1;
#pragma unroll
      for (int i = 0; i < kWarpM / kUnitLines; ++i)
#pragma unroll
        for (int e = 0; e < kUnitRead; ++e) rows[i] += left[i].v[e];
#pragma unroll
      for (int j = 0; j < kWarpN / kUnitLines; ++j) columns[j].add(ones, right[j]);
    }
  }
  // Each group of lanes has summed other steps of depth.
  FL_DEVICE void settle() {
    if constexpr (kHasZeros && kUnitGroups == 2) {
#pragma unroll
      for (int i = 0; i < kWarpM / kUnitLines; ++i) rows[i] += fl_shuffle_xor(rows[i], kUnitLines, kUnitLanes);
    }
  }
  FL_DEVICE int of(const fl_arguments& in, int i, int j, int e, int row, int column) const {
    if constexpr (!kHasZeros) return 0;
    constexpr unsigned kHeld = (kK + kTileK - 1) / kTileK * kTileK;
    const unsigned left = fl_left_zero(in, row), right = fl_right_zero(in, column);
    const unsigned left_flipped = left - (kLeftFlipped ? 128 : 0), right_flipped = right - (kRightFlipped ? 128 : 0);
    return static_cast<int>(kHeld * left_flipped * right_flipped - left_flipped * columns[j].v[e] - right_flipped * rows[i] -
                            (kHeld - kK) * left * right);
  }
};
