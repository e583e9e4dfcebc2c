// SPDX-License-Identifier: Apache-2.0
// Rows of the left operand are multiplied as they are. normed_rows.cuh has the same names for rows that are normalised.
struct fl_row_factors {
  FL_DEVICE void begin() {}
  FL_DEVICE void fetch(const fl_arguments&, int) const {}
  template <typename Left>
  FL_DEVICE void take(Left&, int, int) {}
  FL_DEVICE void settle(const fl_arguments&) {}
  FL_DEVICE fl_total scaled(fl_total sum, int, int) const { return sum; }
};
