// SPDX-License-Identifier: Apache-2.0
// needs: parts
// Sums over k of left · right by the matrix units of warps (mma.sync): a block makes a tile of kTileM × kTileN results, with kWarpsM
// × kWarpsN warps of kWarpM × kWarpN results each. Operands pass through kStages stages of shared memory, kTileK steps of depth each. With kSplits > 1 each of
// so many blocks sums a part of the depth, and fold_splits.cuh adds their sums.
// Before this text stand one_product.cuh or twins.cuh, normed_rows.cuh or no_norm.cuh, and:
//   kM, kN, kK, kBatches; kLeftRow and kRightStride, distances in elements; the numbers of the tile; the unit (unit_*.cuh)
//   fl_left and fl_right, where operands begin; fl_left_at and fl_right_at, where a batch begins in them
//   fl_left_element(in, batch, row, k) and fl_right_element(in, batch, k, column), one element of each
//   fl_split_sums, the scratch of splits; fl_total, the type of sums
//   fl_finish(in, batch, row, column, sums), which makes kLanes results

constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kColumns = kTileN / kTwins;  // of results, in a tile
constexpr int kBlocksM = (kM + kTileM - 1) / kTileM, kBlocksN = (kN + kColumns - 1) / kColumns, kSteps = (kK + kTileK - 1) / kTileK;
constexpr int kStepsOfSplit = (kSteps + kSplits - 1) / kSplits;
static_assert(kTwins == 1 || kSplits == 1, "the sums of two products are not kept apart in the scratch");
// Two products beside each other may have even and odd columns of both; the lane's four of a row then lie together.
constexpr bool kColumnsInTurns = kRightTurned && fl_unit::kTurnsColumns;
constexpr int kLeftStage = kTileM * kTileK, kRightStage = kTileN * kTileK;  // elements

// Copies the parts of one operand's stage that exist, zeros elsewhere. `lines` of the tile begin at `first`; a line's parts lie along
// depth, or, where Turned, a line is a step of depth and its parts lie along the tile. `from` is the operand's memory, or stands for it.
template <int Lines, int Parts, bool Turned, typename From>
FL_DEVICE void fl_fetch_parts(fl_operand* to, const From& from, long long distance, int first, int lines, int k0) {
  constexpr int kAll = Lines * Parts;
#pragma unroll
  for (int i = 0; i < (kAll + kThreads - 1) / kThreads; ++i) {
    const int at = i * kThreads + fl_thread();
    if (kAll % kThreads != 0 && at >= kAll) continue;
    const int line = at / Parts, part = at % Parts;
    const int place = Turned ? part * kPart : line, of_operand = first + fl_line_of(from, place);
    const int outer = Turned ? k0 + line : of_operand, inner = Turned ? of_operand : k0 + part * kPart;
    const int outers = Turned ? kK : lines, inners = Turned ? lines : kK;
    const int left = outer < outers ? inners - inner : 0;
    const int valid = left <= 0 ? 0 : left < kPart ? left : kPart;
    fl_bring_part(to + (Turned ? fl_turned_at(line, part) : fl_part_at<Parts>(line, part)), from, place, outer * distance + inner, valid);
  }
}

// Reads the elements of one operand's stage one by one, and writes them as parts along depth. Across: neighbours in memory are lines.
template <int Lines, bool Across, typename Element>
FL_DEVICE void fl_gather_parts(fl_operand* to, int first, int lines, int k0, const Element& element) {
  constexpr int kAll = Lines * kPartsOfRow;
#pragma unroll
  for (int i = 0; i < (kAll + kThreads - 1) / kThreads; ++i) {
    const int at = i * kThreads + fl_thread();
    if (kAll % kThreads != 0 && at >= kAll) continue;
    const int line = Across ? at % Lines : at / kPartsOfRow, part = Across ? at / Lines : at % kPartsOfRow;
    fl_vec<fl_operand, kPart> elements;
#pragma unroll
    for (int e = 0; e < kPart; ++e) {
      const int k = k0 + part * kPart + e;
      elements.v[e] = first + line < lines && k < kK ? fl_unit::operand(element(first + line, k)) : fl_operand{};
    }
    fl_store<fl_operand, kPart>(to + fl_part_at<kPartsOfRow>(line, part), elements);
  }
}

// kLanes of a lane's four results of product (i, j) of a warp's tile that begins at (m0, n0): element `e` and its neighbours in row
// `half`. sum_of(row, column, product, element, twin) gives each.
template <typename Sum>
FL_DEVICE void fl_finish_lanes(const fl_arguments& in, int layer, int m0, int n0, int i, int j, int half, int e, const Sum& sum_of) {
  const int lane = fl_lane(), row = m0 + i * 16 + half * 8 + lane / 4;
  const int column = n0 + (kColumnsInTurns ? j / 2 * 16 + lane % 4 * 4 + j % 2 * 2 : j * 8 + lane % 4 * 2) + e;
  if (row >= kM || column >= kN) return;
  fl_vec<fl_total, kLanes> totals[kTwins];
#pragma unroll
  for (int twin = 0; twin < kTwins; ++twin)
#pragma unroll
    for (int l = 0; l < kLanes; ++l) totals[twin].v[l] = kColumnsInTurns ? sum_of(row, column + l, j / 2 * 2 + e + l, half * 2 + j % 2, twin)
                                          : sum_of(row, column + l, j, half * 2 + e + l, twin);
  if constexpr (kSplits > 1) {
    fl_store<fl_total, kLanes>(fl_split_sums(in) + (static_cast<long long>(layer) * kM + row) * kN + column, totals[0]);
  } else {
    fl_finish_of(in, layer % kBatches, row, column, totals);
  }
}

FL_DEVICE void fl_tiles(const fl_arguments& in) {
  FL_DYNAMIC_SHARED(fl_operand, left_tiles, kStages * kLeftStage, 0);
  FL_DYNAMIC_SHARED(fl_operand, right_tiles, kStages * kRightStage, kStages * kLeftStage * sizeof(fl_operand));
  const int warp = fl_warp();
  // Neighbours in the grid share kBand rows of tiles, for the second cache.
  const int block = static_cast<int>(fl_block()), tile = block % (kBlocksM * kBlocksN), layer = block / (kBlocksM * kBlocksN);
  const int batch = layer % kBatches, split = layer / kBatches;
  const int band = tile / (kBand * kBlocksN), first = band * kBand, rows = kBlocksM - first < kBand ? kBlocksM - first : kBand;
  const int within = tile - band * kBand * kBlocksN;
  const int m0 = (first + within % rows) * kTileM, n0 = within / rows * kColumns;

  fl_row_factors factors;  // of a norm
  factors.begin();
  const auto fetch = [&](int step) {
    fl_operand* const to_left = left_tiles + step % kStages * kLeftStage;
    fl_operand* const to_right = right_tiles + step % kStages * kRightStage;
    const int k0 = step * kTileK;
    factors.fetch(in, step);
    if constexpr (kLeftGathered) {
      fl_gather_parts<kTileM, kLeftAcross>(to_left, m0, kM, k0, [&](int row, int k) { return fl_left_element(in, batch, row, k); });
    } else {
      fl_fetch_parts<kTileM, kPartsOfRow, false>(to_left, fl_left(in) + fl_left_at(in, batch), kLeftRow, m0, kM, k0);
    }
    if constexpr (kRightGathered) {
      fl_gather_parts<kTileN, kRightAcross>(to_right, n0 * kTwins, fl_places_of(kN), k0,
                                            [&](int place, int k) { return fl_element_of(in, batch, k, place); });
    } else if constexpr (kRightTurned) {
      fl_fetch_parts<kTileK, kPartsOfColumns, true>(to_right, fl_right_of(in, batch), kRightStride, n0, kN, k0);
    } else {
      fl_fetch_parts<kTileN, kPartsOfRow, false>(to_right, fl_right_of(in, batch), kRightStride, n0, kN, k0);
    }
  };

  fl_sums sums[kWarpM / 16][kWarpN / 8];
#pragma unroll
  for (int i = 0; i < kWarpM / 16; ++i)
#pragma unroll
    for (int j = 0; j < kWarpN / 8; ++j) sums[i][j].clear();
  const int warp_m = warp / kWarpsN * kWarpM, warp_n = warp % kWarpsN * kWarpN;
  fl_offsets offsets;  // of zero points
  offsets.clear();

  const int begin = split * kStepsOfSplit, end = begin + kStepsOfSplit < kSteps ? begin + kStepsOfSplit : kSteps;
#pragma unroll
  for (int ahead = 0; ahead < kStages - 1; ++ahead) {
    if (begin + ahead < end) fetch(begin + ahead);
    fl_copy_async_commit();
  }
  for (int step = begin; step < end; ++step) {
    fl_copy_async_wait<kStages - 2>();
    fl_barrier();  // the stage is filled, and that of the step before is free
    if (step + kStages - 1 < end) fetch(step + kStages - 1);
    fl_copy_async_commit();
    const fl_operand* const from_left = left_tiles + step % kStages * kLeftStage;
    const fl_operand* const from_right = right_tiles + step % kStages * kRightStage;
#pragma unroll
    for (int part = 0; part < kPartsOfRow; part += 2) {
      fl_fragment left[kWarpM / 16], right[kWarpN / 16];
#pragma unroll
      for (int i = 0; i < kWarpM / 16; ++i) left[i].load_left(from_left, warp_m + i * 16, part);
      factors.take(left, step % kStages, part);
#pragma unroll
      for (int j = 0; j < kWarpN / 16; ++j) {
        if constexpr (kRightTurned) {
          right[j].load_turned(from_right, part * kPart, warp_n + j * 16);
        } else {
          right[j].load_right(from_right, warp_n + j * 16, part);
        }
      }
#pragma unroll
      for (int i = 0; i < kWarpM / 16; ++i)
#pragma unroll
        for (int j = 0; j < kWarpN / 8; ++j) fl_unit::multiply(sums[i][j], left[i], right[j / 2], j % 2 * 2);
      offsets.add(left, right);
    }
    if constexpr (fl_sums::kFolds) {  // what the unit's rounding adds must not grow with depth
      if ((step - begin) * kTileK % 256 >= 256 - kTileK || step + 1 == end) {
#pragma unroll
        for (int i = 0; i < kWarpM / 16; ++i)
#pragma unroll
          for (int j = 0; j < kWarpN / 8; ++j) sums[i][j].fold();
      }
    }
  }

  factors.settle(in);
  constexpr int kPairs = kWarpN / 8 / kTwins;  // of eight columns of each product
  bool finite = true;
#pragma unroll
  for (int i = 0; i < kWarpM / 16; ++i)
#pragma unroll
    for (int j = 0; j < kPairs; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int e = 0; e < 2; e += kLanes)
          fl_finish_lanes(in, layer, m0 + warp_m, n0 + warp_n / kTwins, i, j, half, e, [&](int row, int column, int product, int element, int twin) {
            const int at = product * kTwins + twin;
            const fl_total all = static_cast<fl_total>(sums[i][at].total(element) + offsets.of(in, i, at, element, row, column));
            const fl_total sum = factors.scaled(all, i, element);
            finite = finite && sum - sum == 0;
            return sum;
          });
  if constexpr (fl_unit::kRepeats) {
    if (!finite) {
#pragma unroll 1
      for (int at = 0; at < kWarpM / 16 * kPairs * 4; at += kLanes) {
        fl_finish_lanes(in, layer, m0 + warp_m, n0 + warp_n / kTwins, at / 4 / kPairs, at / 4 % kPairs, at / 2 % 2, at % 2,
                        [&](int row, int column, int, int, int twin) {
                          return fl_plain_sum_of(in, batch, row, column, begin * kTileK, end * kTileK < kK ? end * kTileK : kK, twin);
                        });
      }
    }
  }
}
