// SPDX-License-Identifier: Apache-2.0
// needs:
// What the forms of attention on matrix units share: rows in shared memory, products, a softmax that runs along the keys.
// The module defines fl_operand and its kIsBf16, kDepth and kWidth (elements of a key and of a value), the pitches of rows in
// memory, and how scores become weights: 2^(kPower · score).
constexpr float kLowest = -3.4028235e38f;  // no score that a query sees is lower

template <int Elements>
constexpr int kStepsOf = (Elements + 15) / 16;  // of a product's depth
template <int Elements>
constexpr int kPartsOf = kStepsOf<Elements> * 2;  // of 16 bytes
template <int Elements>
constexpr bool kIsSwizzled = kPartsOf<Elements> % 8 == 0;
template <int Elements>
constexpr int kPitchOf = (kPartsOf<Elements> + (kIsSwizzled<Elements> ? 0 : 1)) * 8;

// Where a part of a row lies in shared memory. The same part of eight rows falls into eight different groups of banks.
template <int Elements>
FL_DEVICE int fl_part_at(int row, int part) {
  return row * kPitchOf<Elements> + (kIsSwizzled<Elements> ? part ^ (row & 7) : part) * 8;
}

// Begins to copy rows [first, first + Rows) to shared memory. Rows from `end` on become zeros, and so does a row's last half step.
template <int Rows, int Elements, int Threads>
FL_DEVICE void fl_fetch_rows(fl_operand* tile, const fl_operand* from, long long pitch, int first, int end, int thread) {
  constexpr int kParts = kPartsOf<Elements>, kCopies = Rows * kParts;
#pragma unroll 4  // all at once, their addresses would take the registers that results need
  for (int i = 0; i < (kCopies + Threads - 1) / Threads; ++i) {
    const int copy = i * Threads + thread, row = copy / kParts, part = copy % kParts;
    if (kCopies % Threads != 0 && copy >= kCopies) break;
    const bool inside = first + row < end && part * 8 < Elements;
    fl_copy_async_part(tile + fl_part_at<Elements>(row, part), inside ? from + (first + row) * pitch + part * 8 : from,
                       inside ? 16 : 0);
  }
}

// d += a · b as fl_multiply_bf16 lays them out.
FL_DEVICE void fl_multiply_operands(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  if (kIsBf16) {
    fl_multiply_bf16(d, a, b0, b1);
  } else {
    fl_multiply_f16(d, a, b0, b1);
  }
}
FL_DEVICE unsigned fl_pack_operands(float low, float high) {
  if (kIsBf16) return fl_pack_bf16(low, high);
  return fl_from_f32_f16(low).bits | static_cast<unsigned>(fl_from_f32_f16(high).bits) << 16;
}
template <int Tiles>
FL_DEVICE void fl_clear(float (&sums)[Tiles][4]) {
#pragma unroll
  for (int j = 0; j < Tiles; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) sums[j][e] = 0.0f;
}

// One step of the depth of 16 queries from memory; of a lane's two rows, one that does not exist is null.
FL_DEVICE void fl_read_queries(unsigned (&to)[4], const fl_operand* const (&rows)[2], int step, int lane) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int at = step * 16 + e / 2 * 8;
    to[e] = 0;
    if (rows[e % 2] != nullptr && at < kDepth)
      to[e] = fl_load<unsigned, 1>(reinterpret_cast<const unsigned*>(rows[e % 2] + at + lane % 4 * 2)).v[0];
  }
}

// Adds one step of the depth to the scores of 16 queries and `Keys` keys, which are rows of shared memory.
template <int Keys>
FL_DEVICE void fl_add_products(float (&scores)[Keys / 8][4], const unsigned (&queries)[4], const fl_operand* keys, int step, int lane) {
#pragma unroll
  for (int j = 0; j < Keys / 16; ++j) {
    unsigned right[4];  // 16 keys by 16 elements
    fl_load_matrices(right, keys + fl_part_at<kDepth>(j * 16 + lane % 8 + lane / 16 * 8, step * 2 + lane / 8 % 2));
    fl_multiply_operands(scores[2 * j], queries, right[0], right[1]);
    fl_multiply_operands(scores[2 * j + 1], queries, right[2], right[3]);
  }
}

// The running softmax of one of a lane's two rows, `half` of them. The scores become weights, and what was summed before is scaled.
template <int Tiles>
FL_DEVICE void fl_weigh(float (&scores)[Tiles][4], float (&results)[kStepsOf<kWidth> * 2][4], float& most, float& sum, int half) {
  float now = most;
#pragma unroll
  for (int j = 0; j < Tiles; ++j) now = fl_max(now, fl_max(scores[j][half * 2], scores[j][half * 2 + 1]));
#pragma unroll
  for (int mask = 1; mask <= 2; mask *= 2) now = fl_max(now, fl_shuffle_xor(now, mask, 32));
  const float less = fl_exp2_fast((most - now) * kPower);
  most = now;
  float part = 0.0f;
#pragma unroll
  for (int j = 0; j < Tiles; ++j)
#pragma unroll
    for (int e = half * 2; e < half * 2 + 2; ++e) {
      scores[j][e] = fl_exp2_fast((scores[j][e] - now) * kPower);
      part += scores[j][e];
    }
  sum = sum * less + part;
#pragma unroll
  for (int j = 0; j < kStepsOf<kWidth> * 2; ++j) results[j][half * 2] *= less, results[j][half * 2 + 1] *= less;
}

// Adds the weighed values, which are rows of shared memory.
template <int Keys>
FL_DEVICE void fl_add_values(float (&results)[kStepsOf<kWidth> * 2][4], const float (&weights)[Keys / 8][4], const fl_operand* values,
                             int lane) {
#pragma unroll
  for (int i = 0; i < Keys / 16; ++i) {
    // The sums of one product are laid out as the left operand of the next.
    const unsigned left[4] = {fl_pack_operands(weights[2 * i][0], weights[2 * i][1]),
                              fl_pack_operands(weights[2 * i][2], weights[2 * i][3]),
                              fl_pack_operands(weights[2 * i + 1][0], weights[2 * i + 1][1]),
                              fl_pack_operands(weights[2 * i + 1][2], weights[2 * i + 1][3])};
#pragma unroll
    for (int j = 0; j < kStepsOf<kWidth>; ++j) {
      unsigned right[4];
      fl_load_matrices_turned(right, values + fl_part_at<kWidth>(i * 16 + lane % 16, j * 2 + lane / 16));
      fl_multiply_operands(results[2 * j], left, right[0], right[1]);
      fl_multiply_operands(results[2 * j + 1], left, right[2], right[3]);
    }
  }
}

// What a row's results are multiplied by. Where every key is hidden, the operator's result is zero and a softmax's is NaN.
FL_DEVICE float fl_share(float sum) {
  return kHiddenIsZero && sum == 0.0f ? 0.0f : 1.0f / sum;
}
FL_DEVICE fl_operand fl_narrowed(float x) {
  return fl_stored<fl_operand>::from(x);
}
