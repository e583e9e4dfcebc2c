// SPDX-License-Identifier: Apache-2.0
// needs: no_offsets
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

FL_DEVICE int fl_turned_at(int step, int part);

// A 16 × 16 piece of an operand.
struct fl_fragment {
  unsigned bits[4];
  FL_DEVICE void load(const fl_operand* row, bool) { fl_load_matrices(bits, row); }
  // From a tile whose lines are steps of depth.
  FL_DEVICE void load_turned(const fl_operand* tile, int step, int column) {
    fl_load_matrices_turned(bits, tile + fl_turned_at(step + fl_lane() % 16, column / 8 + fl_lane() / 16));
  }
};
