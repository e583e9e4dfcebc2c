// SPDX-License-Identifier: Apache-2.0
// needs: no_offsets, parts
// Products of f32 by the threads' own multiplications: accuracy and range of f32 as they are. Each lane has the results that it has of
// a matrix unit.

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

// Eight steps of depth of a lane's rows, two of sixteen, or of its columns, four of sixteen.
struct fl_fragment {
  float v[4][8];
  FL_DEVICE void load_left(const fl_operand* tile, int line, int part) {
#pragma unroll
    for (int half = 0; half < 2; ++half) load(half, tile, line + half * 8 + fl_lane() / 4, part);
  }
  FL_DEVICE void load_right(const fl_operand* tile, int line, int part) {
#pragma unroll
    for (int c = 0; c < 4; ++c) load(c, tile, line + c / 2 * 8 + fl_lane() % 4 * 2 + c % 2, part);
  }
  FL_DEVICE void load(int to, const fl_operand* tile, int line, int part) {
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const fl_vec<float, 4> read = fl_load<float, 4>(tile + fl_part_at<kPartsOfRow>(line, part + p));
#pragma unroll
      for (int k = 0; k < 4; ++k) v[to][p * 4 + k] = read.v[k];
    }
  }
  // From a tile whose lines are steps of depth: four columns that lie together. The first product gets the even ones, the second the
  // odd ones.
  FL_DEVICE void load_turned(const fl_operand* tile, int step, int column) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const fl_vec<float, 4> read = fl_load<float, 4>(tile + fl_turned_at(step + k, column / 4 + fl_lane() % 4));
#pragma unroll
      for (int c = 0; c < 4; ++c) v[c % 2 * 2 + c / 2][k] = read.v[c];
    }
  }
};

struct fl_unit {
  static constexpr bool kTurnsColumns = true;
  static constexpr bool kRepeats = false;  // what is not finite comes out as it is
  FL_DEVICE static fl_operand operand(float value) { return value; }
  FL_DEVICE static void multiply(fl_sums& sums, const fl_fragment& left, const fl_fragment& right, int first) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums.v[e] = fl_fma(left.v[e / 2][k], right.v[first + e % 2][k], sums.v[e]);
  }
};
