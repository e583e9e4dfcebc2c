// SPDX-License-Identifier: Apache-2.0
// needs: parts, plain_sum
// One product in a kernel of tiles: its tile of columns is of one right operand. twins.cuh has the same names for two.

constexpr int kTwins = 1;
FL_DEVICE int fl_places_of(int columns) {
  return columns;
}
FL_DEVICE auto fl_element_of(const fl_arguments& in, int batch, int k, int place) {
  return fl_right_element(in, batch, k, place);
}
FL_DEVICE void fl_finish_of(const fl_arguments& in, int batch, int row, int column, const fl_vec<fl_total, kLanes> (&totals)[1]) {
  fl_finish(in, batch, row, column, fl_results(totals[0]));
}
FL_DEVICE fl_total fl_plain_sum_of(const fl_arguments& in, int batch, int row, int column, int begin, int end, int) {
  return fl_plain_sum(in, batch, row, column, begin, end);
}
