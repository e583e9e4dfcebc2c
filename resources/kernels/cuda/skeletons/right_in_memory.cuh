// SPDX-License-Identifier: Apache-2.0
// The right operand of a batch lies in memory. computed_right.cuh has the same name for one that the kernel computes.
FL_DEVICE auto fl_right_of(const fl_arguments& in, int batch) {
  return fl_right(in) + fl_right_at(in, batch);
}
