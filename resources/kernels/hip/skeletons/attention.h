// SPDX-License-Identifier: Apache-2.0
// needs: stage
// softmax(scores) · v on AMD's matrix units. A wavefront has kUnitLines queries, and its block walks the keys kTileK at a time. A
// lane has scores, and then results, of one query; another lane has the rest of them. Weights reach the second product through
// shared memory. Before this text stand what cuda/skeletons/attention_rows.cuh lists, and kWarps, kTileK.
constexpr float kLowest = -3.4028235e38f;  // no score that a query sees is lower
constexpr int kThreads = kWarps * kUnitLanes, kTileQ = kWarps * kUnitLines;
constexpr int kBlocksQ = (kQueries + kTileQ - 1) / kTileQ;  // of a batch
constexpr int kDepthSteps = (kDepth + kUnitDepth - 1) / kUnitDepth, kDepthParts = kDepthSteps * kUnitDepth / kPart;
constexpr int kKeyParts = kTileK / kPart, kWidthTiles = (kWidth + kUnitLines - 1) / kUnitLines, kKeyTiles = kTileK / kUnitLines;
constexpr int kKeyTile = kTileK * kPitchOf<kDepthParts> * kPart,
              kValueTile = kWidthTiles * kUnitLines * kPitchOf<kKeyParts> * kPart;
constexpr int kWeightTile = kUnitLines * kPitchOf<kKeyParts> * kPart;
constexpr int kTogether = kUnitTwice ? 1 : 4;  // neighbours that a lane has

FL_DEVICE float fl_with_the_other(float mine) {
  return fl_shuffle_xor(mine, kUnitLines, kUnitLanes);
}

// What the graph makes of a lane's products; keys that are none, or later than the query, are hidden.
FL_DEVICE void fl_make_scores(fl_sums (&scores)[kKeyTiles], const fl_arguments& in, long long mask_at, int first_key, int query) {
#pragma unroll
  for (int j = 0; j < kKeyTiles; ++j)
#pragma unroll
    for (int e = 0; e < kUnitSums; e += kUnitTwice ? 1 : 2) {
      const int key = first_key + j * kUnitLines + fl_unit_column(e);
      if constexpr (kUnitTwice) {  // the neighbour is another lane's
        const auto pair = fl_scores(in, mask_at, key - key % 2, {{scores[j].v[e], scores[j].v[e]}});
        scores[j].v[e] = key % 2 == 0 ? pair.v[0] : pair.v[1];
      } else {
        const auto pair = fl_scores(in, mask_at, key, {{scores[j].v[e], scores[j].v[e + 1]}});
        scores[j].v[e] = pair.v[0], scores[j].v[e + 1] = pair.v[1];
      }
    }
  if (first_key + kTileK <= kKeys && !kCausal) return;
#pragma unroll
  for (int j = 0; j < kKeyTiles; ++j)
#pragma unroll
    for (int e = 0; e < kUnitSums; ++e) {
      const int key = first_key + j * kUnitLines + fl_unit_column(e);
      if (key >= kKeys || (kCausal && key > query)) scores[j].v[e] = -fl_infinity<float>();
    }
}

FL_DEVICE void fl_attention(const fl_arguments& in) {
  FL_DYNAMIC_SHARED(fl_operand, key_tile, kKeyTile, 0);
  FL_DYNAMIC_SHARED(fl_operand, value_tile, kValueTile, kKeyTile * static_cast<int>(sizeof(fl_operand)));
  FL_DYNAMIC_SHARED(fl_operand, weight_tiles, kWarps * kWeightTile, (kKeyTile + kValueTile) * static_cast<int>(sizeof(fl_operand)));
  fl_operand* const weight_tile = weight_tiles + fl_warp() * kWeightTile;
  // Neighbouring blocks read the same keys.
  const int block = static_cast<int>(fl_block()), batch = block / kBlocksQ;
  const int line = fl_unit_line(), query = block % kBlocksQ * kTileQ + fl_warp() * kUnitLines + line;
  const fl_operand* const queries = fl_queries(in) + fl_queries_at(in, batch);
  const fl_operand* const keys = fl_keys(in) + fl_keys_at(in, batch);
  const fl_operand* const values = fl_values(in) + fl_values_at(in, batch);

  fl_stage<kTileK, kDepthParts, 0, kThreads> key_stage;
  fl_stage<kWidthTiles * kUnitLines, kKeyParts, 1, kThreads> value_stage;
  const auto none = [](int, int) { return 0.0f; };
  const auto fetch = [&](int step) {
    key_stage.fetch(step * kTileK, kKeys, 0, kDepth, none,
                    [&](int key, int d, int valid) { return fl_part_of(keys, key * kKeyPitch + d, valid); });
    value_stage.fetch(0, kWidth, step * kTileK, kKeys, none,
                      [&](int column, int key, int valid) { return fl_part_of(values, key * kValuePitch + column, valid); });
  };
  fetch(0);
  key_stage.settle(key_tile);
  value_stage.settle(value_tile);

  fl_fragment held[kDepthSteps];
#pragma unroll
  for (int d = 0; d < kDepthSteps; ++d)
#pragma unroll
    for (int p = 0; p < kUnitRead / kPart; ++p) {
      const int at = d * kUnitDepth + fl_unit_group() * kUnitRead + p * kPart;
      const auto part = fl_part_of(queries, query * kQueryPitch + at, query < kQueries ? fl_valid(at, kDepth) : 0);
#pragma unroll
      for (int e = 0; e < kPart; ++e) held[d].v[p * kPart + e] = part.v[e];
    }
  const long long mask_at = fl_mask_at(in, batch, query < kQueries ? query : kQueries - 1);

  fl_sums results[kWidthTiles];
#pragma unroll
  for (int w = 0; w < kWidthTiles; ++w) results[w].clear();
  float most = kLowest, sum = 0.0f;
  constexpr int kSteps = (kKeys + kTileK - 1) / kTileK;
  for (int step = 0; step < kSteps; ++step) {
    fl_barrier();  // keys and values are there
    if (step + 1 < kSteps) fetch(step + 1);
    fl_sums scores[kKeyTiles];
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j) {
      scores[j].clear();
#pragma unroll
      for (int d = 0; d < kDepthSteps; ++d)
        scores[j].add(held[d], fl_read_fragment<kDepthParts, false>(key_tile, j * kUnitLines, d * kUnitDepth));
    }
    fl_make_scores(scores, in, mask_at, step * kTileK, query);

    float now = most;
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j)
#pragma unroll
      for (int e = 0; e < kUnitSums; ++e) now = fl_max(now, scores[j].v[e]);
    now = fl_max(now, fl_with_the_other(now));
    const float less = fl_exp2_fast((most - now) * kPower);
    most = now;
    sum *= less;
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j)
#pragma unroll
      for (int e = 0; e < kUnitSums; e += kTogether) {
        fl_vec<fl_operand, kTogether> weights;
#pragma unroll
        for (int i = 0; i < kTogether; ++i) {
          const float weight = fl_exp2_fast((scores[j].v[e + i] - now) * kPower);
          sum += weight;
          weights.v[i] = fl_operand_of(weight);
        }
        const int key = j * kUnitLines + fl_unit_column(e);
        fl_store<fl_operand, kTogether>(weight_tile + fl_part_at<kKeyParts>(line, key / kPart) + key % kPart, weights);
      }
#pragma unroll
    for (int w = 0; w < kWidthTiles; ++w)
#pragma unroll
      for (int e = 0; e < kUnitSums; ++e) results[w].v[e] *= less;
    fl_wavefront_barrier();  // the weights are there
#pragma unroll
    for (int k = 0; k < kTileK; k += kUnitDepth) {
      const fl_fragment weights = fl_read_fragment<kKeyParts, false>(weight_tile, 0, k);
#pragma unroll
      for (int w = 0; w < kWidthTiles; ++w)
        results[w].add(weights, fl_read_fragment<kKeyParts, false>(value_tile, w * kUnitLines, k));
    }
    fl_barrier();  // the tiles are free
    if (step + 1 < kSteps) {
      key_stage.settle(key_tile);
      value_stage.settle(value_tile);
    }
  }

  sum += fl_with_the_other(sum);
  // Where every key is hidden, the operator's result is zero and a softmax's is NaN.
  const float share = kHiddenIsZero && sum == 0.0f ? 0.0f : 1.0f / sum;
  if (query >= kQueries) return;
  fl_operand* const to = fl_results(in) + fl_results_at(in, batch) + query * kResultPitch;
#pragma unroll
  for (int w = 0; w < kWidthTiles; ++w)
#pragma unroll
    for (int e = 0; e < kUnitSums; e += kTogether) {
      const int column = w * kUnitLines + fl_unit_column(e);
      if (column >= kWidth) continue;
      fl_vec<fl_operand, kTogether> narrowed;
#pragma unroll
      for (int i = 0; i < kTogether; ++i) narrowed.v[i] = fl_operand_of(results[w].v[e + i] * share);
      fl_store<fl_operand, kTogether>(to + column, narrowed);
    }
}
