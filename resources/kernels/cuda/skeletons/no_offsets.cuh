// SPDX-License-Identifier: Apache-2.0
// Reals have no zero points.
struct fl_offsets {
  FL_DEVICE void clear() {}
  template <typename Left, typename Right>
  FL_DEVICE void add(const Left&, const Right&) {}
  FL_DEVICE float of(const fl_arguments&, int, int, int, int, int) const { return 0.0f; }
};
template <int Groups, int Columns>
struct fl_few_offsets {
  FL_DEVICE void clear() {}
  template <typename Fragment>
  FL_DEVICE void add_rows(int, const Fragment&) {}
  template <typename Fragment>
  FL_DEVICE void add_columns(int, const Fragment&) {}
  FL_DEVICE float without(const fl_arguments&, float sum, int, int, int, int, int) const { return sum; }
  FL_DEVICE static float with_rest(const fl_arguments&, float sum, int, int, int, int) { return sum; }
};
