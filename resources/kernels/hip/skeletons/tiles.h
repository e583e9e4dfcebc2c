// SPDX-License-Identifier: Apache-2.0
// needs: stage
// Sums over k of left · right by the matrix units of wavefronts: a block makes a tile of kTileM × kTileN results, with kWarpsM ×
// kWarpsN wavefronts of kWarpM × kWarpN results each. Operands pass through registers into kStages stages of shared memory, kTileK
// steps of depth each: those of the next stage are on their way while one is multiplied. With kSplits > 1 each of so many blocks
// sums a part of the depth, and fold_splits.cuh adds their sums. Before this text stand what cuda/skeletons/tiles_mma.cuh lists,
// and the zero points (zero_points.h or no_zero_points.h).

constexpr int kThreads = kWarpsM * kWarpsN * kUnitLanes;
constexpr int kBlocksM = (kM + kTileM - 1) / kTileM, kBlocksN = (kN + kTileN - 1) / kTileN, kSteps = (kK + kTileK - 1) / kTileK;
constexpr int kStepsOfSplit = (kSteps + kSplits - 1) / kSplits;
constexpr int kPartsOfRow = kTileK / kPart;

FL_DEVICE void fl_tiles(const fl_arguments& in) {
  constexpr int kLeftStage = kTileM * kTileK, kRightStage = kTileN * kTileK;  // elements
  FL_DYNAMIC_SHARED(fl_operand, left_tiles, kStages * kLeftStage, 0);
  FL_DYNAMIC_SHARED(fl_operand, right_tiles, kStages * kRightStage, kStages * kLeftStage * sizeof(fl_operand));
  const int warp = fl_warp();
  // Neighbours in the grid share kBand rows of tiles, for the second cache.
  const int block = static_cast<int>(fl_block()), tile = block % (kBlocksM * kBlocksN), layer = block / (kBlocksM * kBlocksN);
  const int batch = layer % kBatches, split = layer / kBatches;
  const int band = tile / (kBand * kBlocksN), first = band * kBand, rows = kBlocksM - first < kBand ? kBlocksM - first : kBand;
  const int within = tile - band * kBand * kBlocksN;
  const int m0 = (first + within % rows) * kTileM, n0 = within / rows * kTileN;

  fl_stage<kTileM, kPartsOfRow, kLeftGathered ? (kLeftAcross ? 3 : 2) : 0, kThreads> left_stage;
  fl_stage<kTileN, kPartsOfRow, kRightGathered ? (kRightAcross ? 3 : 2) : kRightTurned ? 1 : 0, kThreads> right_stage;
  const fl_operand* const left_begin = fl_left(in) + fl_left_at(in, batch);
  const auto right_begin = fl_right_of(in, batch);
  const auto fetch = [&](int step) {
    left_stage.fetch(
        m0, kM, step * kTileK, kK, [&](int row, int k) { return fl_left_element(in, batch, row, k); },
        [&](int row, int k, int valid) { return fl_part_of(left_begin, static_cast<long long>(row) * kLeftRow + k, valid); });
    right_stage.fetch(
        n0, kN, step * kTileK, kK, [&](int column, int k) { return fl_right_element(in, batch, k, column); },
        [&](int column, int k, int valid) {
          return fl_part_of(
              right_begin,
              kRightTurned ? static_cast<long long>(k) * kRightStride + column : static_cast<long long>(column) * kRightStride + k,
              valid);
        });
  };
  const auto settle = [&](int step) {
    left_stage.settle(left_tiles + step % kStages * kLeftStage);
    right_stage.settle(right_tiles + step % kStages * kRightStage);
  };

  fl_sums sums[kWarpM / kUnitLines][kWarpN / kUnitLines];
#pragma unroll
  for (int i = 0; i < kWarpM / kUnitLines; ++i)
#pragma unroll
    for (int j = 0; j < kWarpN / kUnitLines; ++j) sums[i][j].clear();
  const int warp_m = warp / kWarpsN * kWarpM, warp_n = warp % kWarpsN * kWarpN;

  fl_offsets offsets;  // of zero points
  offsets.clear();

  const int begin = split * kStepsOfSplit, end = begin + kStepsOfSplit < kSteps ? begin + kStepsOfSplit : kSteps;
  if (begin < end) {
    fetch(begin);
    settle(begin);
  }
  for (int step = begin; step < end; ++step) {
    fl_barrier();  // the stage is filled
    if (step + 1 < end) fetch(step + 1);
    const fl_operand* const from_left = left_tiles + step % kStages * kLeftStage;
    const fl_operand* const from_right = right_tiles + step % kStages * kRightStage;
#pragma unroll
    for (int k = 0; k < kTileK; k += kUnitDepth) {
      fl_fragment left[kWarpM / kUnitLines], right[kWarpN / kUnitLines];
#pragma unroll
      for (int i = 0; i < kWarpM / kUnitLines; ++i)
        left[i] = fl_read_fragment<kPartsOfRow, kLeftFlipped>(from_left, warp_m + i * kUnitLines, k);
#pragma unroll
      for (int j = 0; j < kWarpN / kUnitLines; ++j)
        right[j] = fl_read_fragment<kPartsOfRow, kRightFlipped>(from_right, warp_n + j * kUnitLines, k);
#pragma unroll
      for (int i = 0; i < kWarpM / kUnitLines; ++i)
#pragma unroll
        for (int j = 0; j < kWarpN / kUnitLines; ++j) sums[i][j].add(left[i], right[j]);
      offsets.add(left, right);
    }
    if (kStages == 1) fl_barrier();  // the only stage is free
    if (step + 1 < end) settle(step + 1);
  }
  offsets.settle();

#pragma unroll
  for (int i = 0; i < kWarpM / kUnitLines; ++i)
#pragma unroll
    for (int j = 0; j < kWarpN / kUnitLines; ++j)
#pragma unroll
      for (int e = 0; e < kUnitSums; e += kLanes) {
        const int row = m0 + warp_m + i * kUnitLines + fl_unit_line(), column = n0 + warp_n + j * kUnitLines + fl_unit_column(e);
        if (row >= kM || column >= kN) continue;
        fl_vec<fl_total, kLanes> total;
#pragma unroll
        for (int l = 0; l < kLanes; ++l)
          total.v[l] = static_cast<fl_total>(sums[i][j].v[e + l] + offsets.of(in, i, j, e + l, row, column + l));
        if constexpr (kSplits > 1) {
          fl_store<fl_total, kLanes>(fl_split_sums(in) + (static_cast<long long>(layer) * kM + row) * kN + column, total);
        } else {
          fl_finish(in, batch, row, column, fl_results(total));
        }
      }
}
