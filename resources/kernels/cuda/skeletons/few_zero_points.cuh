// SPDX-License-Identifier: Apache-2.0
// needs: unit_i8
// Zero points of products of few rows: zero_points.cuh says what they add. Each warp takes off its share; the last one adds the rest.
// Before this text stand: fl_left_zero(in, row) and fl_right_zero(in, column); kHasZeros.

// Of so many groups of eight rows and of sixteen columns.
template <int Groups, int Columns>
struct fl_few_offsets {
  static constexpr unsigned kOnes = 0x01010101u;
  fl_sums rows[Groups], columns[Columns];
  FL_DEVICE void clear() {
#pragma unroll
    for (int m = 0; m < Groups; ++m) rows[m].clear();
#pragma unroll
    for (int j = 0; j < Columns; ++j) columns[j].clear();
  }
  FL_DEVICE void add_rows(int m, const fl_fragment& few) {
    const unsigned ones[4] = {kOnes, kOnes, kOnes, kOnes};
    if (kHasZeros) fl_multiply_i8(rows[m].v, ones, few.bits[0], few.bits[1]);
  }
  FL_DEVICE void add_columns(int j, const fl_fragment& weights) {
    if (kHasZeros) fl_multiply_i8(columns[j].v, weights.bits, kOnes, kOnes);
  }
  FL_DEVICE int without(const fl_arguments& in, int sum, int m, int j, int e, int row, int column) const {
    if (!kHasZeros) return sum;
    const unsigned left = fl_left_zero(in, row) - (kLeftFlipped ? 128 : 0), right = fl_right_zero(in, column) - (kRightFlipped ? 128 : 0);
    return static_cast<int>(sum - left * columns[j].v[e] - right * rows[m].v[e]);
  }
  // Of `held` steps, of which `steps` are of the depth.
  FL_DEVICE static int with_rest(const fl_arguments& in, int sum, int held, int steps, int row, int column) {
    if (!kHasZeros) return sum;
    const unsigned left = fl_left_zero(in, row), right = fl_right_zero(in, column);
    return static_cast<int>(sum + held * (left - (kLeftFlipped ? 128 : 0)) * (right - (kRightFlipped ? 128 : 0)) - (held - steps) * left * right);
  }
};
