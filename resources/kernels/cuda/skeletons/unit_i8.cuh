// SPDX-License-Identifier: Apache-2.0
// needs: parts
// Products of 8-bit numbers less their zero points, summed as whole numbers (mma m16n8k32). Unsigned ones are read as signed ones
// that are 128 less (flipped), and so are their zero points. (a - za) · (b - zb) is a·b - za·Σb - zb·Σa + za·zb over all steps that
// stages hold; steps beyond the depth are zero numbers, whose share is taken off again.
// Before this text stand: kLeftFlipped and kRightFlipped; fl_left_zero(in, row) and fl_right_zero(in, column); kHasZeros.

struct fl_sums {
  static constexpr bool kFolds = false;
  int v[4];
  FL_DEVICE void clear() {
#pragma unroll
    for (int e = 0; e < 4; ++e) v[e] = 0;
  }
  FL_DEVICE void fold() {}
  FL_DEVICE int total(int e) const { return v[e]; }
};

// A 16 × 32 piece of an operand.
struct fl_fragment {
  unsigned bits[4];
  FL_DEVICE void load_left(const fl_operand* row) { load(row, kLeftFlipped); }
  FL_DEVICE void load_right(const fl_operand* row) { load(row, kRightFlipped); }
  FL_DEVICE void load(const fl_operand* row, bool flipped) {
    fl_load_matrices(bits, row);
#pragma unroll
    for (int e = 0; e < 4; ++e) bits[e] = flipped ? bits[e] ^ 0x80808080u : bits[e];
  }
  FL_DEVICE void load_turned(const fl_operand*, int, int) {}  // such tiles are gathered along depth
};

struct fl_unit {
  static constexpr bool kRepeats = false;  // what is not finite: plain_sum.cuh
  FL_DEVICE static fl_operand operand(int value) { return static_cast<fl_operand>(value); }
  FL_DEVICE static void multiply(fl_sums& sums, const fl_fragment& left, const fl_fragment& right, int first) {
    fl_multiply_i8(sums.v, left.bits, right.bits[first], right.bits[first + 1]);
  }
};

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
