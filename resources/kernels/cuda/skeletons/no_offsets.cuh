// SPDX-License-Identifier: Apache-2.0
// Reals have no zero points.
struct fl_offsets {
  FL_DEVICE void clear() {}
  template <typename Left, typename Right>
  FL_DEVICE void add(const Left&, const Right&) {}
  FL_DEVICE float of(const fl_arguments&, int, int, int, int, int) const { return 0.0f; }
};
