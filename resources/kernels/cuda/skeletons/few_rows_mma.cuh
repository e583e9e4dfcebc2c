// SPDX-License-Identifier: Apache-2.0
// needs: parts, plain_sum
// Sums over k of left · right for few rows, by the matrix units of warps: the right operand, which is read once, gives the 16 rows of
// the unit, and the left one its 8 columns. A block has kTileN columns of the result and a split of the depth; each of its kWarps
// warps streams tiles of kTileK steps through stages of its own. With kSplits > 1, fold_splits.cuh adds the splits' sums.
// Before this text stand:
//   kM, kN, kK, kBatches; kRightStride and kRightTurned; kWarps, kStages, kSplits; the unit (unit_*.cuh)
//   right_in_memory.cuh or computed_right.cuh
//   fl_left_element(in, batch, row, k) and fl_right_element(in, batch, k, column), one element of each
//   fl_split_sums, the scratch of splits; fl_finish(in, batch, row, column, sum), which makes one result

constexpr int kGroups = (kM + 7) / 8;  // of eight rows
constexpr int kTile = kTileK * kTileN, kDepth = 2 * kPart;
constexpr int kFoldPitch = kTileN + 4;  // a warp's sums of eight rows fall into different banks
constexpr int kBlocksN = (kN + kTileN - 1) / kTileN;
using fl_sum = decltype(fl_sums().total(0));
// Rows of the unit may be even columns, then odd ones.
constexpr bool kColumnsInTurns = kRightTurned && fl_unit::kTurnsColumns;
constexpr int kDepthOfTurn = kTileK * kWarps;  // what the warps of a block stream at a time
constexpr int kDepthOfSplit = (kK + kSplits * kDepthOfTurn - 1) / (kSplits * kDepthOfTurn) * kDepthOfTurn;

FL_DEVICE void fl_few_rows(const fl_arguments& in) {
  FL_DYNAMIC_SHARED(fl_operand, tiles, kWarps * kStages * kTile, 0);
  FL_DYNAMIC_SHARED(fl_sum, folds, kGroups * 8 * kFoldPitch, kWarps * kStages * kTile * sizeof(fl_operand));
  const int lane = fl_lane(), warp = fl_warp(), g = lane / 4, t = lane % 4;
  const int block = static_cast<int>(fl_block()), n0 = block % kBlocksN * kTileN, layer = block / kBlocksN;
  const int batch = layer % kBatches, split = layer / kBatches;
  const int begin = split * kDepthOfSplit, end = begin + kDepthOfSplit < kK ? begin + kDepthOfSplit : kK;
  fl_operand* const mine = tiles + warp * (kStages * kTile);
  const auto right = fl_right_of(in, batch);

  const auto fetch = [&](int turn) {
    constexpr int kParts = kRightTurned ? kPartsOfColumns : kPartsOfRow;  // of a line
    const int k0 = begin + turn * kDepthOfTurn + warp * kTileK;
    fl_operand* const to = mine + turn % kStages * kTile;
#pragma unroll
    for (int i = 0; i < kTile / kPart / 32; ++i) {
      const int line = (i * 32 + lane) / kParts, part = lane % kParts;
      const int outer = (kRightTurned ? k0 : n0) + line, inner = (kRightTurned ? n0 : k0) + part * kPart;
      const int left = outer < (kRightTurned ? end : kN) ? (kRightTurned ? kN : end) - inner : 0;
      const int valid = left <= 0 ? 0 : left < kPart ? left : kPart;
      fl_bring_part(to + (kRightTurned ? fl_turned_at(line, part) : fl_part_at<kPartsOfRow>(line, part)), right, line,
                    outer * static_cast<long long>(kRightStride) + inner, valid);
    }
  };

  fl_sums sums[kGroups][kTileN / 16];
#pragma unroll
  for (int m = 0; m < kGroups; ++m)
#pragma unroll
    for (int j = 0; j < kTileN / 16; ++j) sums[m][j].clear();
  fl_few_offsets<kGroups, kTileN / 16> offsets;  // of zero points
  offsets.clear();
  const int turns = end > begin ? (end - begin + kDepthOfTurn - 1) / kDepthOfTurn : 0;
#pragma unroll
  for (int turn = 0; turn < kStages - 1; ++turn) {
    if (turn < turns) fetch(turn);
    fl_copy_async_commit();
  }
  for (int turn = 0; turn < turns; ++turn) {
    const int k0 = begin + turn * kDepthOfTurn + warp * kTileK;
    fl_fragment few[kGroups][kTileK / kDepth];
#pragma unroll
    for (int m = 0; m < kGroups; ++m)
#pragma unroll
      for (int d = 0; d < kTileK / kDepth; ++d)
        few[m][d].gather_right([&](int k) {
          const int row = m * 8 + g, at = k0 + d * kDepth + k;
          return row < kM && at < end ? fl_unit::operand(fl_left_element(in, batch, row, at)) : fl_operand{};
        });
    fl_copy_async_wait<kStages - 2>();
    fl_warp_barrier();  // the warp's copies are there, and its tile before is free
    if (turn + kStages - 1 < turns) fetch(turn + kStages - 1);
    fl_copy_async_commit();
    const fl_operand* const tile = mine + turn % kStages * kTile;
#pragma unroll
    for (int d = 0; d < kTileK / kDepth; ++d) {
#pragma unroll
      for (int m = 0; m < kGroups; ++m) offsets.add_rows(m, few[m][d]);
#pragma unroll
      for (int j = 0; j < kTileN / 16; ++j) {
        fl_fragment weights;
        if constexpr (kRightTurned) {
          weights.load_left_turned(tile, d * kDepth, j * 16);
        } else {
          weights.load_left(tile, j * 16, d * 2);
        }
#pragma unroll
        for (int m = 0; m < kGroups; ++m) fl_unit::multiply(sums[m][j], weights, few[m][d], 0);
        offsets.add_columns(j, weights);
      }
    }
    if constexpr (fl_sums::kFolds) {  // what the unit's rounding adds must not grow with depth
      if (turn * kTileK % 256 >= 256 - kTileK || turn + 1 == turns) {
#pragma unroll
        for (int m = 0; m < kGroups; ++m)
#pragma unroll
          for (int j = 0; j < kTileN / 16; ++j) sums[m][j].fold();
      }
    }
  }
  const auto finish = [&](int row, int column, fl_total sum) {
    if (row >= kM || n0 + column >= kN) return;
    if constexpr (kSplits > 1) {
      fl_store<fl_total, 1>(fl_split_sums(in) + (static_cast<long long>(layer) * kM + row) * kN + n0 + column, {{sum}});
    } else {
      fl_finish(in, batch, row, n0 + column, sum);
    }
  };
  bool finite = true;
  for (int each = 0; each < kWarps; ++each) {  // one after the other, in this order: the same result each time
    if (each == warp) {
#pragma unroll
      for (int m = 0; m < kGroups; ++m)
#pragma unroll
        for (int j = 0; j < kTileN / 16; ++j)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int row = m * 8 + t * 2 + e % 2, place = j * 16 + e / 2 * 8 + g;
            const int column = kColumnsInTurns ? j * 16 + g * 2 + e / 2 : place;
            fl_sum* const fold = folds + row * kFoldPitch + place;
            fl_sum sum = sums[m][j].total(e);
            const int last_row = row < kM ? row : kM - 1, last_column = n0 + column < kN ? n0 + column : kN - 1;  // of those that exist
            sum = offsets.without(in, sum, m, j, e, last_row, last_column);
            if (each + 1 == kWarps) sum = offsets.with_rest(in, sum, turns * kDepthOfTurn, end - begin, last_row, last_column);
            if (each > 0) sum += fl_load<fl_sum, 1>(fold).v[0];
            if (each + 1 < kWarps) {
              fl_store<fl_sum, 1>(fold, {{sum}});
            } else {
              finish(row, column, static_cast<fl_total>(sum));
              finite = finite && sum - sum == 0.0f;
            }
          }
    }
    fl_barrier();
  }
  if constexpr (fl_unit::kRepeats) {
    if (finite) return;
#pragma unroll 1
    for (int at = 0; at < kGroups * (kTileN / 16) * 4; ++at) {
      const int row = at / 4 / (kTileN / 16) * 8 + t * 2 + at % 2, column = at / 4 % (kTileN / 16) * 16 + at / 2 % 2 * 8 + g;
      if (row < kM && n0 + column < kN) finish(row, column, fl_plain_sum(in, batch, row, n0 + column, begin, end));
    }
  }
}
