// SPDX-License-Identifier: Apache-2.0
// needs: unit_halves

struct fl_unit {
  static constexpr bool kTurnsColumns = false;
  static constexpr bool kRepeats = false;  // what is not finite: plain_sum.cuh
  FL_DEVICE static fl_operand operand(float value) { return fl_from_f32_f16(value); }
  FL_DEVICE static void multiply(fl_sums& sums, const fl_fragment& left, const fl_fragment& right, int first) {
    fl_multiply_f16(sums.v, left.bits, right.bits[first], right.bits[first + 1]);
  }
};
