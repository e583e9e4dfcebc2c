// SPDX-License-Identifier: Apache-2.0
// needs: no_offsets, parts
// Products of f32 to f32's accuracy by three of TF32 (mma m16n8k8): each operand is high + low, and low · high, high · low and
// high · high are summed. The unit's sums are added to others now and then, so that its rounding does not grow with depth.

struct fl_sums {
  static constexpr bool kFolds = true;
  float v[4], folded[4];
  FL_DEVICE void clear() {
#pragma unroll
    for (int e = 0; e < 4; ++e) v[e] = folded[e] = 0.0f;
  }
  FL_DEVICE void fold() {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      folded[e] += v[e];
      v[e] = 0.0f;
    }
  }
  FL_DEVICE float total(int e) const { return folded[e]; }
};

// A 16 × 8 piece of an operand.
struct fl_fragment {
  unsigned high[4], low[4];
  FL_DEVICE void set(int e, float value) {
    high[e] = fl_round_tf32(value);
    const float rest = value - fl_of_bits(high[e]);
    low[e] = fl_round_tf32(rest - rest == 0.0f ? rest : 0.0f);  // infinity minus itself is none
  }
  FL_DEVICE void load_left(const fl_operand* tile, int line, int part) { load(fl_left_part_of(tile, line, part)); }
  FL_DEVICE void load_right(const fl_operand* tile, int line, int part) { load(fl_right_part_of(tile, line, part)); }
  FL_DEVICE void load(const fl_operand* part) {
    unsigned bits[4];
    fl_load_matrices(bits, part);
#pragma unroll
    for (int e = 0; e < 4; ++e) set(e, fl_of_bits(bits[e]));
  }
  // From a tile whose lines are steps of depth, as the right operand and as the left one.
  FL_DEVICE void load_turned(const fl_operand* tile, int step, int column) {
#pragma unroll
    for (int e = 0; e < 4; ++e) set(e, turned(tile, step + e % 2 * 4, column + e / 2 * 8));
  }
  FL_DEVICE void load_left_turned(const fl_operand* tile, int step, int column) {
#pragma unroll
    for (int e = 0; e < 4; ++e) set(e, turned(tile, step + e / 2 * 4, column + e % 2 * 8));
  }
  FL_DEVICE static float turned(const fl_operand* tile, int step, int column) {
    const int g = fl_lane() / 4, t = fl_lane() % 4;
    return fl_load<float, 1>(tile + fl_turned_at(step + t, (column + g) / 4) + g % 4).v[0];
  }
  // The first eight columns of a right operand: element(k) is that of the lane's column.
  template <typename Element>
  FL_DEVICE void gather_right(const Element& element) {
#pragma unroll
    for (int e = 0; e < 2; ++e) set(e, element(e * 4 + fl_lane() % 4));
  }
};

struct fl_unit {
  static constexpr bool kTurnsColumns = false;
  static constexpr bool kRepeats = true;  // what is not finite: plain_sum.cuh
  FL_DEVICE static fl_operand operand(float value) { return value; }
  FL_DEVICE static void multiply(fl_sums& sums, const fl_fragment& left, const fl_fragment& right, int first) {
    fl_multiply_tf32(sums.v, left.low, right.high[first], right.high[first + 1]);
    fl_multiply_tf32(sums.v, left.high, right.low[first], right.low[first + 1]);
    fl_multiply_tf32(sums.v, left.high, right.high[first], right.high[first + 1]);
  }
};
