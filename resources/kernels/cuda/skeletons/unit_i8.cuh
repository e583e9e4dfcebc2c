// SPDX-License-Identifier: Apache-2.0
// needs: parts
// Products of 8-bit numbers, summed as whole numbers (mma m16n8k32). Unsigned ones are read as signed ones that are 128 less
// (flipped). zero_points.cuh and few_zero_points.cuh take off what zero points and that add to the sums.
// Before this text stand: kLeftFlipped and kRightFlipped.

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

// Four bytes of eight, as each digit of `which` says from the lowest on.
#ifdef __CUDACC__
FL_DEVICE unsigned fl_pick_bytes(unsigned first, unsigned second, unsigned which) {
  unsigned picked;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(picked) : "r"(first), "r"(second), "r"(which));
  return picked;
}
#else  // the executor
FL_DEVICE unsigned fl_pick_bytes(unsigned first, unsigned second, unsigned which) {
  const unsigned long long all = first | static_cast<unsigned long long>(second) << 32;
  unsigned picked = 0;
  for (int i = 0; i < 4; ++i) picked |= static_cast<unsigned>(all >> (which >> 4 * i & 15) * 8 & 0xff) << 8 * i;
  return picked;
}
#endif

// A 16 × 32 piece of an operand.
struct fl_fragment {
  unsigned bits[4];
  FL_DEVICE void load_left(const fl_operand* tile, int line, int part) {
    fl_load_matrices(bits, fl_left_part_of(tile, line, part));
    flip(kLeftFlipped);
  }
  FL_DEVICE void load_right(const fl_operand* tile, int line, int part) {
    fl_load_matrices(bits, fl_right_part_of(tile, line, part));
    flip(kRightFlipped);
  }
  FL_DEVICE void flip(bool flipped) {
#pragma unroll
    for (int e = 0; e < 4; ++e) bits[e] = flipped ? bits[e] ^ 0x80808080u : bits[e];
  }
  // From a tile whose lines are steps of depth. Two columns lie in what is turned as one element. As a right operand the first
  // product gets the even ones of sixteen columns, the second the odd ones; as a left one the first eight rows, and the last.
  FL_DEVICE void load_turned(const fl_operand* tile, int step, int column) {
    read_turned(tile, step, column, kRightFlipped);
    const unsigned odd = bits[1];
    bits[1] = bits[2], bits[2] = odd;
  }
  FL_DEVICE void load_left_turned(const fl_operand* tile, int step, int column) { read_turned(tile, step, column, kRightFlipped); }
  FL_DEVICE void read_turned(const fl_operand* tile, int step, int column, bool flipped) {
    const int lane = fl_lane(), line = lane % 8 / 2 * 4 + lane % 2 + lane / 8 % 2 * 2 + lane / 16 * 16;
    unsigned pairs[4];  // of columns, in steps 4t and 4t + 1, then 4t + 2 and 4t + 3
    fl_load_matrices_turned(pairs, tile + fl_turned_at(step + line, column / kPart));
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned first = pairs[half * 2], second = pairs[half * 2 + 1];
      bits[half * 2] = fl_pick_bytes(first, second, 0x6420);
      bits[half * 2 + 1] = fl_pick_bytes(first, second, 0x7531);
    }
    flip(flipped);
  }
  // The first eight columns of a right operand: element(k) is that of the lane's column. It is the left one of few rows.
  template <typename Element>
  FL_DEVICE void gather_right(const Element& element) {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      bits[e] = 0;
#pragma unroll
      for (int b = 0; b < 4; ++b)
        bits[e] |= static_cast<unsigned>(static_cast<unsigned char>(element(e * 16 + fl_lane() % 4 * 4 + b))) << 8 * b;
      bits[e] ^= kLeftFlipped ? 0x80808080u : 0u;
    }
  }
};

struct fl_unit {
  static constexpr bool kTurnsColumns = true;
  static constexpr bool kRepeats = false;  // what is not finite: plain_sum.cuh
  FL_DEVICE static fl_operand operand(int value) { return static_cast<fl_operand>(value); }
  FL_DEVICE static void multiply(fl_sums& sums, const fl_fragment& left, const fl_fragment& right, int first) {
    fl_multiply_i8(sums.v, left.bits, right.bits[first], right.bits[first + 1]);
  }
};
