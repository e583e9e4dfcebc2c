// SPDX-License-Identifier: Apache-2.0
// Operands move and lie in shared memory as parts of 16 bytes. Parts change places within their lines, so that what a warp reads at
// once falls into different banks. Before this text stand: fl_operand, kTileN, kTileK.

constexpr int kPart = 16 / static_cast<int>(sizeof(fl_operand));  // elements
constexpr int kPartsOfRow = kTileK / kPart, kPartsOfColumns = kTileN / kPart;

// The place of a part in a tile whose lines hold depth: eight lines' parts of one number fall into eight groups of banks.
template <int Parts>
FL_DEVICE int fl_part_at(int line, int part, int turn) {  // lines that are read at once differ in their turns
  constexpr int kShift = Parts >= 8 ? 0 : Parts == 4 ? 1 : 2;
  constexpr int kMask = Parts >= 8 ? 7 : Parts - 1;
  return (line * Parts + (part ^ (turn >> kShift & kMask))) * kPart;
}
template <int Parts>
FL_DEVICE int fl_part_at(int line, int part) {
  return fl_part_at<Parts>(line, part, line);
}
// The same in a tile whose lines are steps of depth, and hold columns. Elements of 32 bits are read from four steps at a time, those
// of 8 bits from two of each four.
FL_DEVICE int fl_turned_at(int step, int part) {
  if constexpr (sizeof(fl_operand) == 4) return (step * kPartsOfColumns + (part ^ (step & 3) << 1)) * kPart;
  if constexpr (sizeof(fl_operand) == 1) return fl_part_at<kPartsOfColumns>(step, part, step / 4 * 2 + step % 2);
  return fl_part_at<kPartsOfColumns>(step, part);
}

// The part that a lane names to fl_load_matrices for 16 lines and two parts of each, as the left operand and as the right one.
FL_DEVICE const fl_operand* fl_left_part_of(const fl_operand* tile, int line, int part) {
  return tile + fl_part_at<kPartsOfRow>(line + fl_lane() % 16, part + fl_lane() / 16);
}
FL_DEVICE const fl_operand* fl_right_part_of(const fl_operand* tile, int line, int part) {
  return tile + fl_part_at<kPartsOfRow>(line + fl_lane() / 16 * 8 + fl_lane() % 8, part + fl_lane() / 8 % 2);
}

// Brings a part to shared memory: `valid` elements behind an offset in the operand, zeros behind them. Texts that have an operand in
// another way have the same two functions for it. `place` is where in a tile the part, or the line, belongs.
FL_DEVICE int fl_line_of(const fl_operand*, int place) {
  return place;
}
FL_DEVICE void fl_bring_part(fl_operand* to, const fl_operand* from, int, long long at, int valid) {
  fl_copy_async_part(to, valid > 0 ? from + at : from, valid * static_cast<int>(sizeof(fl_operand)));
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
