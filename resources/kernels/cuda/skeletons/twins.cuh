// SPDX-License-Identifier: Apache-2.0
// needs: parts
// Two products of one left operand in a kernel of tiles. Eight columns of one right operand and the same eight of the other take
// turns in a tile, so that a thread has both sums of a result. Before this text stand, besides what products need:
//   fl_twin and fl_twin_element, as fl_right and fl_right_element; fl_finish takes the sums of both

constexpr int kTwins = 2;
struct fl_both {
  const fl_operand *one, *other;
};
FL_DEVICE fl_both fl_right_of(const fl_arguments& in, int batch) {
  return {fl_right(in) + fl_right_at(in, batch), fl_twin(in) + fl_right_at(in, batch)};
}
// Places in tiles, counted over all of them: of so many columns, the column at one, and whether it is the other operand's.
FL_DEVICE int fl_places_of(int columns) {
  return (columns + 7) / 8 * 16;
}
FL_DEVICE int fl_line_of(const fl_both&, int place) {
  return place / 16 * 8 + place % 8;
}
FL_DEVICE bool fl_is_other(int place) {
  return place / 8 % 2 == 1;
}
FL_DEVICE void fl_bring_part(fl_operand* to, const fl_both& from, int place, long long at, int valid) {
  fl_bring_part(to, fl_is_other(place) ? from.other : from.one, place, at, valid);
}
FL_DEVICE auto fl_element_of(const fl_arguments& in, int batch, int k, int place) {
  const int column = fl_line_of(fl_both{}, place);
  if (column >= kN) return decltype(fl_right_element(in, batch, k, column)){};
  return fl_is_other(place) ? fl_twin_element(in, batch, k, column) : fl_right_element(in, batch, k, column);
}
FL_DEVICE void fl_finish_of(const fl_arguments& in, int batch, int row, int column, const fl_vec<fl_total, kLanes> (&totals)[2]) {
  fl_finish(in, batch, row, column, fl_results(totals[0]), fl_results(totals[1]));
}
// plain_sum.cuh says what for.
FL_DEVICE fl_total fl_plain_sum_of(const fl_arguments& in, int batch, int row, int column, int begin, int end, int twin) {
  fl_total sum = 0;
#pragma unroll 1
  for (int k = begin; k < end; ++k)
    sum += fl_left_element(in, batch, row, k) * (twin == 0 ? fl_right_element(in, batch, k, column) : fl_twin_element(in, batch, k, column));
  return sum;
}
