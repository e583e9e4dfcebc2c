// SPDX-License-Identifier: Apache-2.0
// needs: attention_rows
// softmax(scores) · v on matrix units. A block has kTileQ queries of one batch, 16 a warp, and walks the keys kTileK at a time.
// Keys and values arrive in kStages pairs of tiles. A warp keeps its queries' scores, weights and results in registers.
constexpr int kThreads = kTileQ * 2;
constexpr int kBlocksQ = (kQueries + kTileQ - 1) / kTileQ;  // of a batch
constexpr int kKeyTile = kTileK * kPitchOf<kDepth>, kValueTile = kTileK * kPitchOf<kWidth>;
constexpr int kQueryTile = kQueriesStay ? 0 : kTileQ * kPitchOf<kDepth>;  // where queries do not stay in registers

// Whether all values of a tile are finite: if so, 0 · v is 0. Lanes read along lines where eight of them stay in one. Else they
// read down keys, as the unit does whose parts change places. Neither has bank conflicts.
FL_DEVICE bool fl_are_finite(const fl_operand* values, int lane) {
  constexpr int kParts = kPartsOf<kWidth>;
  constexpr bool kDown = sizeof(fl_operand) == 2 && kParts % 8 != 0;
  unsigned carries = 0;
#pragma unroll 4
  for (int at = lane; at < kTileK * kParts; at += 32) {
    const int key = kDown ? at % kTileK : at / kParts, place = kDown ? at / kTileK : at % kParts;
    const auto part = fl_load<unsigned, 4>(reinterpret_cast<const unsigned*>(values + fl_part_at<kWidth>(key, place)));
#pragma unroll
    for (int e = 0; e < 4; ++e) carries |= (part.v[e] & kExponents) + kCarries;  // an exponent of ones overflows into the sign
  }
  return !fl_any_lane((carries & kSigns) != 0);
}

// Adds 0 · v of the keys from `first` on, which no query of the block sees: it is NaN where v is, or is infinite.
FL_DEVICE void fl_add_unseen(float (&results)[kStepsOf<kWidth> * 2][4], const fl_operand* values, fl_operand* room, int first, int thread,
                             int lane) {
  constexpr int kParts = kWidth / kPart, kLines = kThreads / kParts < kTileK ? kThreads / kParts : kTileK;  // read at a time
  float sums[kPart] = {};
  if (thread < kLines * kParts) {
#pragma unroll 4
    for (int key = first + thread / kParts; key < kKeys; key += kLines) {
      const auto part = fl_load<fl_operand, kPart>(values + key * kValuePitch + thread % kParts * kPart);
#pragma unroll
      for (int e = 0; e < kPart; ++e) sums[e] = fl_fma(0.0f, fl_number(part.v[e]), sums[e]);
    }
  }
  fl_barrier();  // nobody reads the last values any more
  if (thread < kLines * kParts) {
    fl_vec<fl_operand, kPart> part;
#pragma unroll
    for (int e = 0; e < kPart; ++e) part.v[e] = fl_narrowed(sums[e]);
    fl_store<fl_operand, kPart>(room + thread * kPart, part);
  }
  fl_barrier();
#pragma unroll
  for (int j = 0; j < kWidth / 8; ++j)
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float sum = 0.0f;
      for (int line = 0; line < kLines; ++line) sum += fl_number(room[line * kWidth + j * 8 + lane % 4 * 2 + e]);
      results[j][e] += sum, results[j][2 + e] += sum;
    }
}

FL_DEVICE void fl_attention(const fl_arguments& in) {
  FL_DYNAMIC_SHARED(fl_operand, key_tiles, kStages * kKeyTile, 0);
  FL_DYNAMIC_SHARED(fl_operand, value_tiles, kStages * kValueTile + kQueryTile, kStages * kKeyTile * static_cast<int>(sizeof(fl_operand)));
  const int thread = fl_thread(), lane = fl_lane(), warp = fl_warp();
  // Neighbouring blocks read the same keys. Where later queries see more, they come first.
  const int block = static_cast<int>(fl_block()), batch = block / kBlocksQ;
  const int first_query = (kCausal ? kBlocksQ - 1 - block % kBlocksQ : block % kBlocksQ) * kTileQ;
  const fl_operand* const queries = fl_queries(in) + fl_queries_at(in, batch);
  const fl_operand* const keys = fl_keys(in) + fl_keys_at(in, batch);
  const fl_operand* const values = fl_values(in) + fl_values_at(in, batch);
  const int seen = kCausal && first_query + kTileQ < kKeys ? first_query + kTileQ : kKeys;  // by any query of the block
  const int steps = (seen + kTileK - 1) / kTileK;

  const auto fetch_keys = [&](int step) {
    fl_fetch_rows<kTileK, kDepth, kThreads>(key_tiles + step % kStages * kKeyTile, keys, kKeyPitch, step * kTileK, kKeys, thread);
  };
  const auto fetch_values = [&](int step) {
    fl_fetch_rows<kTileK, kWidth, kThreads>(value_tiles + step % kStages * kValueTile, values, kValuePitch, step * kTileK, kKeys,
                                            thread);
  };
  fl_operand* const query_tile = value_tiles + kStages * kValueTile;
  if (!kQueriesStay)
    fl_fetch_rows<kTileQ, kDepth, kThreads>(query_tile, queries, kQueryPitch, first_query, kQueries, thread);
  if (kStages == 1) {
    fetch_keys(0);
    fl_copy_async_commit();
  }
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) {
    if (step < steps) fetch_keys(step), fetch_values(step);
    fl_copy_async_commit();
  }

  // A lane has row lane / 4 of its warp's queries, and the one eight below.
  const int query = first_query + warp * 16 + lane / 4;
  constexpr int kKept = kQueriesStay ? kStepsOf<kDepth> : 1;
  unsigned left[kKept][kStepRegisters];
  if (kQueriesStay) {
    const fl_operand* const rows[2] = {query < kQueries ? queries + query * kQueryPitch : nullptr,
                                       query + 8 < kQueries ? queries + (query + 8) * kQueryPitch : nullptr};
#pragma unroll
    for (int d = 0; d < kKept; ++d) fl_read_queries(left[d], rows, d, lane);
  }
  long long mask_at[2];
#pragma unroll
  for (int half = 0; half < 2; ++half)
    mask_at[half] = fl_mask_at(in, batch, query + half * 8 < kQueries ? query + half * 8 : kQueries - 1);

  float results[kStepsOf<kWidth> * 2][4], most[2] = {kLowest, kLowest}, sum[2] = {0.0f, 0.0f};
  fl_clear(results);
  for (int step = 0; step < steps; ++step) {
    fl_copy_async_wait<kStages == 1 ? 0 : kStages - 2>();
    fl_barrier();  // this step's keys are there, and the tiles of the step before are free
    if (kStages == 1) {
      fetch_values(step);
    } else if (step + kStages - 1 < steps) {
      fetch_keys(step + kStages - 1), fetch_values(step + kStages - 1);
    }
    fl_copy_async_commit();

    // Of keys that no query of the warp sees, scores are what the mask says, and weights 0, whatever the products are.
    const int first_key = step * kTileK + lane % 4 * 2;
    bool sees = true;
    if (kSkips && kCausal) sees = step * kTileK < first_query + warp * 16 + 16;
    if (kSkips && kMaskHides) sees = sees && fl_shows<kTileK>(in, mask_at, first_key);
    float scores[kTileK / 8][4];
    fl_clear(scores);
    const fl_operand* const key_tile = key_tiles + step % kStages * kKeyTile;
    if (sees) {
#pragma unroll(kQueriesStay ? kKept : kStepsTogether)
      for (int d = 0; d < kStepsOf<kDepth>; ++d) {
        if (!kQueriesStay) fl_load_queries(left[0], query_tile, warp * 16, d, lane);
        fl_add_products<kTileK>(scores, left[kQueriesStay ? d : 0], key_tile, d, lane);
      }
    }
    if (kStages == 1) {
      fl_copy_async_wait<0>();
      fl_barrier();  // this step's values are there, and its keys are free
      if (step + 1 < steps) fetch_keys(step + 1);
      fl_copy_async_commit();
    }

#pragma unroll
    for (int j = 0; j < kTileK / 8; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        fl_vec<float, 2> pair = {{scores[j][half * 2], scores[j][half * 2 + 1]}};
        pair = fl_scores(in, mask_at[half], first_key + j * 8, pair);
        scores[j][half * 2] = pair.v[0], scores[j][half * 2 + 1] = pair.v[1];
      }
    const int end = (step + 1) * kTileK;
    if (end > kKeys || (kCausal && end > first_query + warp * 16 + 1)) {
#pragma unroll
      for (int j = 0; j < kTileK / 8; ++j)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int key = first_key + j * 8 + e % 2;
          if (key >= kKeys || (kCausal && key > query + e / 2 * 8)) scores[j][e] = -fl_infinity<float>();
        }
    }
    bool weighs = false;
#pragma unroll
    for (int half = 0; half < 2; ++half) weighs = fl_weigh(scores, results, most[half], sum[half], half) != 0.0f || weighs;
    const fl_operand* const value_tile = value_tiles + step % kStages * kValueTile;
    if (!kSkips || fl_any_lane(weighs) || !fl_are_finite(value_tile, lane)) fl_add_values<kTileK>(results, scores, value_tile, lane);
  }

  if (kCausal && steps * kTileK < kKeys) fl_add_unseen(results, values, value_tiles, steps * kTileK, thread, lane);

  fl_operand* const to = fl_results(in) + fl_results_at(in, batch);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int mask = 1; mask <= 2; mask *= 2) sum[half] += fl_shuffle_xor(sum[half], mask, 32);
    const float share = fl_share(sum[half]);
    if (query + half * 8 >= kQueries) continue;
#pragma unroll
    for (int j = 0; j < kWidth / 8; ++j) {
      const fl_vec<fl_operand, 2> pair = {{fl_narrowed(results[j][half * 2] * share), fl_narrowed(results[j][half * 2 + 1] * share)}};
      fl_store<fl_operand, 2>(to + (query + half * 8) * kResultPitch + j * 8 + lane % 4 * 2, pair);
    }
  }
}
