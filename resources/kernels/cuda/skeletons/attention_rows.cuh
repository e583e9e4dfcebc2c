// SPDX-License-Identifier: Apache-2.0
// needs:
// What the forms of attention on matrix units share: rows in shared memory, a softmax that runs along the keys. The text of a unit
// (attention_halves, attention_tf32x3) adds the products.
// The module defines fl_operand, kDepth and kWidth (elements of a key and of a value), the pitches of rows in memory, and how
// scores become weights: 2^(kPower · score).
constexpr int kPart = 16 / static_cast<int>(sizeof(fl_operand));  // elements of the 16 bytes that move together
constexpr float kLowest = -3.4028235e38f;  // no score that a query sees is lower

template <int Elements>
constexpr int kStepsOf = (Elements + 15) / 16;  // of a product's depth
template <int Elements>
constexpr int kPartsOf = kStepsOf<Elements> * (16 / kPart);
template <int Elements>
constexpr bool kIsSwizzled = kPartsOf<Elements> % 8 == 0;
template <int Elements>
constexpr int kPitchOf = (kPartsOf<Elements> + (kIsSwizzled<Elements> ? 0 : 1)) * kPart;

// Where a part of a row lies in shared memory. The same part of eight rows falls into eight different groups of banks.
template <int Elements>
FL_DEVICE int fl_part_at(int row, int part) {
  return row * kPitchOf<Elements> + (kIsSwizzled<Elements> ? part ^ (row & 7) : part) * kPart;
}

// Begins to copy rows [first, first + Rows) to shared memory. Rows from `end` on become zeros, and so does a row's last half step.
template <int Rows, int Elements, int Threads>
FL_DEVICE void fl_fetch_rows(fl_operand* tile, const fl_operand* from, long long pitch, int first, int end, int thread) {
  constexpr int kParts = kPartsOf<Elements>, kCopies = Rows * kParts;
#pragma unroll 4  // all at once, their addresses would take the registers that results need
  for (int i = 0; i < (kCopies + Threads - 1) / Threads; ++i) {
    const int copy = i * Threads + thread, row = copy / kParts, part = copy % kParts;
    if (kCopies % Threads != 0 && copy >= kCopies) break;
    const bool inside = first + row < end && part * kPart < Elements;
    fl_copy_async_part(tile + fl_part_at<Elements>(row, part), inside ? from + (first + row) * pitch + part * kPart : from,
                       inside ? 16 : 0);
  }
}

template <int Tiles>
FL_DEVICE void fl_clear(float (&sums)[Tiles][4]) {
#pragma unroll
  for (int j = 0; j < Tiles; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) sums[j][e] = 0.0f;
}

FL_DEVICE bool fl_any_lane(bool says) {
  int any = says ? 1 : 0;
#pragma unroll
  for (int mask = 1; mask <= 16; mask *= 2) any |= fl_shuffle_xor(any, mask, 32);
  return any != 0;
}

// Whether the mask shows any of `Keys` keys to the warp's queries; `key` is the lane's first one. A score that is no number stays
// none where it is shown.
template <int Keys>
FL_DEVICE bool fl_shows(const fl_arguments& in, const long long (&mask_at)[2], int key) {
  bool shows = false;
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int j = 0; j < Keys / 8; ++j) {
      const fl_vec<float, 2> pair = fl_scores(in, mask_at[half], key + j * 8, {{fl_nan<float>(), fl_nan<float>()}});
      shows = shows || pair.v[0] != pair.v[0] || pair.v[1] != pair.v[1];
    }
  return fl_any_lane(shows);
}

// The running softmax of one of a lane's two rows, `half` of them. The scores become weights, and what was summed before is scaled.
// Returns the lane's part of what the weights add up to.
template <int Tiles>
FL_DEVICE float fl_weigh(float (&scores)[Tiles][4], float (&results)[kStepsOf<kWidth> * 2][4], float& most, float& sum, int half) {
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
  return part;
}

// What a row's results are multiplied by. Where every key is hidden, the operator's result is zero and a softmax's is NaN.
FL_DEVICE float fl_share(float sum) {
  return kHiddenIsZero && sum == 0.0f ? 0.0f : 1.0f / sum;
}
FL_DEVICE fl_operand fl_narrowed(float x) {
  return fl_stored<fl_operand>::from(x);
}
