// SPDX-License-Identifier: Apache-2.0
// needs: attention_rows
// Few queries against many keys. The kRows rows of one product are the queries of all kGroup batches that share keys and values,
// which are so read once. A block has one of kParts parts of the keys. Each warp streams kTileK keys at a time on its own, and
// the block folds at the end. With several parts, it leaves results, largest score and sum of each row to attention_merge.
constexpr int kThreads = kWarps * 32;
constexpr int kTurn = kTileK * kWarps;                                                 // keys that a block takes at a time
constexpr int kKeysOfPart = (kKeys + kParts * kTurn - 1) / (kParts * kTurn) * kTurn;  // the last parts may have fewer, or none
constexpr int kKeyTile = kTileK * kPitchOf<kDepth>, kValueTile = kTileK * kPitchOf<kWidth>;
constexpr int kTilesOfWarp = kStages * (kKeyTile + kValueTile);
constexpr int kFoldPitch = (kWidth / 8 | 1) * 8;  // an odd number of eights: pairs of four rows fall into different banks
constexpr int kQueryTile = kQueriesStay ? 0 : 16 * kStepsOf<kDepth> * 16;  // where queries do not stay in registers
constexpr int kTilesBytes = (kWarps * kTilesOfWarp + kQueryTile) * static_cast<int>(sizeof(fl_operand));
static_assert(kRows <= 16, "the queries of a group are rows of one product");

FL_DEVICE void fl_attention_part(const fl_arguments& in) {
  FL_DYNAMIC_SHARED(fl_operand, tiles, kWarps * kTilesOfWarp + kQueryTile, 0);
  FL_DYNAMIC_SHARED(float, folds, kWarps * 16 * 2, kTilesBytes);
  FL_DYNAMIC_SHARED(float, totals, 16 * kFoldPitch, kTilesBytes + kWarps * 16 * 2 * 4);
  const int lane = fl_lane(), warp = fl_warp(), g = lane / 4, t = lane % 4;
  const int source = static_cast<int>(fl_block()) / kParts, part = static_cast<int>(fl_block()) % kParts;
  const int first_key = part * kKeysOfPart, end = first_key + kKeysOfPart < kKeys ? first_key + kKeysOfPart : kKeys;
  const fl_operand* const keys = fl_keys(in) + fl_keys_at(in, source * kGroup);
  const fl_operand* const values = fl_values(in) + fl_values_at(in, source * kGroup);
  fl_operand* const mine = tiles + warp * kTilesOfWarp;
  const fl_operand* rows[2];
  long long mask_at[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = g + half * 8 < kRows ? g + half * 8 : kRows - 1, batch = source * kGroup + row / kQueries;
    rows[half] = g + half * 8 < kRows ? fl_queries(in) + fl_queries_at(in, batch) + row % kQueries * kQueryPitch : nullptr;
    mask_at[half] = fl_mask_at(in, batch, row % kQueries);
  }
  // Keys that no query sees are not read: zeros in their place are hidden as well. Of values 0 · v counts, which may be NaN.
  const auto fetch = [&](int turn) {
    const int from = first_key + turn * kTurn + warp * kTileK;
    fl_operand* const to = mine + turn % kStages * (kKeyTile + kValueTile);
    fl_fetch_rows<kTileK, kWidth, 32>(to + kKeyTile, values, kValuePitch, from, end, lane);
    bool sees = true;
    if (kCausal) sees = from < kQueries;
    if (kSkips) sees = sees && fl_shows<kTileK>(in, mask_at, from + t * 2);
    fl_fetch_rows<kTileK, kDepth, 32>(to, keys, kKeyPitch, from, sees ? end : from, lane);
  };
  const int turns = (end - first_key + kTurn - 1) / kTurn;
#pragma unroll
  for (int turn = 0; turn < kStages - 1; ++turn) {
    if (turn < turns) fetch(turn);
    fl_copy_async_commit();
  }

  constexpr int kKept = kQueriesStay ? kStepsOf<kDepth> : 1;
  unsigned left[kKept][kStepRegisters];
  unsigned* const kept = reinterpret_cast<unsigned*>(tiles + kWarps * kTilesOfWarp) + lane;  // each lane's, of all warps
  if (kQueriesStay) {
#pragma unroll
    for (int d = 0; d < kKept; ++d) fl_read_queries(left[d], rows, d, lane);
  } else {
    for (int d = warp; d < kStepsOf<kDepth>; d += kWarps) {
      fl_read_queries(left[0], rows, d, lane);
#pragma unroll
      for (int e = 0; e < kStepRegisters; ++e) kept[(d * kStepRegisters + e) * 32] = left[0][e];
    }
    fl_barrier();  // the queries are there
  }

  float results[kStepsOf<kWidth> * 2][4], most[2] = {kLowest, kLowest}, sum[2] = {0.0f, 0.0f};
  fl_clear(results);
  for (int turn = 0; turn < turns; ++turn) {
    fl_copy_async_wait<kStages - 2>();
    fl_warp_barrier();  // the warp's copies are there, and its tile before is free
    if (turn + kStages - 1 < turns) fetch(turn + kStages - 1);
    fl_copy_async_commit();
    const fl_operand* const key_tile = mine + turn % kStages * (kKeyTile + kValueTile);
    float scores[kTileK / 8][4];
    fl_clear(scores);
#pragma unroll(kQueriesStay ? kKept : kStepsTogether)
    for (int d = 0; d < kStepsOf<kDepth>; ++d) {
#pragma unroll
      for (int e = 0; e < (kQueriesStay ? 0 : kStepRegisters); ++e) left[0][e] = kept[(d * kStepRegisters + e) * 32];
      fl_add_products<kTileK>(scores, left[kQueriesStay ? d : 0], key_tile, d, lane);
    }
    const int key = first_key + turn * kTurn + warp * kTileK + t * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int j = 0; j < kTileK / 8; ++j) {
        fl_vec<float, 2> pair = {{scores[j][half * 2], scores[j][half * 2 + 1]}};
        pair = fl_scores(in, mask_at[half], key + j * 8, pair);
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const bool is_hidden = key + j * 8 + e >= end || (kCausal && key + j * 8 + e > (g + half * 8) % kQueries);
          scores[j][half * 2 + e] = is_hidden ? -fl_infinity<float>() : pair.v[e];
        }
      }
      fl_weigh(scores, results, most[half], sum[half], half);
    }
    fl_add_values<kTileK>(results, scores, key_tile + kKeyTile, lane);
  }

  // The warps' rows are weighed by the largest score of all.
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int mask = 1; mask <= 2; mask *= 2) sum[half] += fl_shuffle_xor(sum[half], mask, 32);
    float* const fold = folds + (warp * 16 + g + half * 8) * 2;
    if (t == 0) fold[0] = most[half], fold[1] = sum[half];
  }
  fl_barrier();
  float share[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = g + half * 8;
    float top = kLowest, all = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) top = fl_max(top, folds[(w * 16 + row) * 2]);
#pragma unroll
    for (int w = 0; w < kWarps; ++w) all += folds[(w * 16 + row) * 2 + 1] * fl_exp2_fast((folds[(w * 16 + row) * 2] - top) * kPower);
    const float by = fl_exp2_fast((most[half] - top) * kPower);
#pragma unroll
    for (int j = 0; j < kWidth / 8; ++j) results[j][half * 2] *= by, results[j][half * 2 + 1] *= by;
    share[half] = fl_share(all);
    if (kParts > 1 && warp == 0 && t == 0 && row < kRows) {
      float* const left_here = fl_partials(in) + (fl_block() * kRows + row) * (kWidth + 2) + kWidth;
      left_here[0] = top, left_here[1] = all;
    }
  }
  for (int w = 0; w < kWarps; ++w) {  // one after the other, in this order: the same result each time
    if (w == warp) {
#pragma unroll
      for (int j = 0; j < kWidth / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int row = g + half * 8, column = j * 8 + t * 2;
          float* const fold = totals + row * kFoldPitch + column;
          fl_vec<float, 2> total = {{results[j][half * 2], results[j][half * 2 + 1]}};
          if (w > 0) {
            const fl_vec<float, 2> before = fl_load<float, 2>(fold);
            total.v[0] += before.v[0], total.v[1] += before.v[1];
          }
          if (w + 1 < kWarps) {
            fl_store<float, 2>(fold, total);
          } else if (row < kRows && kParts > 1) {
            fl_store<float, 2>(fl_partials(in) + (fl_block() * kRows + row) * (kWidth + 2) + column, total);
          } else if (row < kRows) {
            const long long at = fl_results_at(in, source * kGroup + row / kQueries) + row % kQueries * kResultPitch;
#pragma unroll
            for (int e = 0; e < 2; ++e) fl_results(in)[at + column + e] = fl_narrowed(total.v[e] * share[half]);
          }
        }
    }
    fl_barrier();
  }
}
