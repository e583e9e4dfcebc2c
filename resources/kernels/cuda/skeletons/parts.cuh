// SPDX-License-Identifier: Apache-2.0
// Operands move and lie in shared memory as parts of 16 bytes. Parts change places within their lines, so that what a warp reads at
// once falls into different banks. Before this text stand: fl_operand, kTileN, kTileK.

constexpr int kPart = 16 / static_cast<int>(sizeof(fl_operand));  // elements
constexpr int kPartsOfRow = kTileK / kPart, kPartsOfColumns = kTileN / kPart;

// The place of a part in a tile whose lines hold depth: eight lines' parts of one number fall into eight groups of banks.
template <int Parts>
FL_DEVICE int fl_part_at(int line, int part) {
  constexpr int kShift = Parts >= 8 ? 0 : Parts == 4 ? 1 : 2;
  constexpr int kMask = Parts >= 8 ? 7 : Parts - 1;
  return (line * Parts + (part ^ (line >> kShift & kMask))) * kPart;
}
// The same in a tile whose lines are steps of depth, and hold columns. Elements of 32 bits are read from four steps at a time.
FL_DEVICE int fl_turned_at(int step, int part) {
  if constexpr (sizeof(fl_operand) == 4) return (step * kPartsOfColumns + (part ^ (step & 3) << 1)) * kPart;
  return fl_part_at<kPartsOfColumns>(step, part);
}

// Results as the functions of a generator take them: one alone is a plain number.
template <typename T, int N>
FL_DEVICE fl_vec<T, N> fl_results(const fl_vec<T, N>& results) {
  return results;
}
template <typename T>
FL_DEVICE T fl_results(const fl_vec<T, 1>& results) {
  return results.v[0];
}
