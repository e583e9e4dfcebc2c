// SPDX-License-Identifier: Apache-2.0
// needs: no_offsets, parts
// What the units of bf16 and f16 share: mma m16n8k16 with sums in f32.

struct fl_sums {
  static constexpr bool kFolds = false;
  float v[4];
  FL_DEVICE void clear() {
#pragma unroll
    for (int e = 0; e < 4; ++e) v[e] = 0.0f;
  }
  FL_DEVICE void fold() {}
  FL_DEVICE float total(int e) const { return v[e]; }
};

// A 16 × 16 piece of an operand.
struct fl_fragment {
  unsigned bits[4];
  // From a tile whose lines hold depth: 16 lines, two parts of each.
  FL_DEVICE void load_left(const fl_operand* tile, int line, int part) { fl_load_matrices(bits, fl_left_part_of(tile, line, part)); }
  FL_DEVICE void load_right(const fl_operand* tile, int line, int part) { fl_load_matrices(bits, fl_right_part_of(tile, line, part)); }
  // From a tile whose lines are steps of depth, as the right operand and as the left one.
  FL_DEVICE void load_turned(const fl_operand* tile, int step, int column) {
    fl_load_matrices_turned(bits, tile + fl_turned_at(step + fl_lane() % 16, column / 8 + fl_lane() / 16));
  }
  FL_DEVICE void load_left_turned(const fl_operand* tile, int step, int column) {
    const int lane = fl_lane();
    fl_load_matrices_turned(bits, tile + fl_turned_at(step + lane / 16 * 8 + lane % 8, column / 8 + lane / 8 % 2));
  }
  // The first eight columns of a right operand: element(k) is that of the lane's column.
  template <typename Element>
  FL_DEVICE void gather_right(const Element& element) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const int k = e * 8 + fl_lane() % 4 * 2;
      bits[e] = static_cast<unsigned>(element(k).bits) | static_cast<unsigned>(element(k + 1).bits) << 16;
    }
  }
};
