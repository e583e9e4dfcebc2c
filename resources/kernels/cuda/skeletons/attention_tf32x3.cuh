// SPDX-License-Identifier: Apache-2.0
// needs: attention_rows
// Attention's products of f32 by three of TF32 (mma m16n8k8): each number is high + low, and low · high, high · low and high · high
// are summed. What is not finite takes part in high · high alone: there it gives what f32 does, and times a low part it would not,
// which is zero or of another sign.
constexpr int kStepRegisters = 8;  // of a lane, for one step of the depth of 16 queries: 16 elements
constexpr int kStepsTogether = 1;  // more of them unrolled would take the registers that results need
constexpr unsigned kExponents = 0x7f800000u, kCarries = 0x00800000u, kSigns = 0x80000000u;  // of the element in a register

template <int Count>
struct fl_split {
  unsigned high[Count], low[Count];
  unsigned finite[Count];  // high, or zero
  FL_DEVICE void set(int e, float value) {
    high[e] = fl_round_tf32(value);
    const float rest = value - fl_of_bits(high[e]);
    const bool is_finite = rest - rest == 0.0f;
    low[e] = fl_round_tf32(is_finite ? rest : 0.0f);
    finite[e] = is_finite ? high[e] : 0;
  }
  // The same of a weight, which is finite, or makes all NaN.
  FL_DEVICE void set_weight(int e, float weight) {
    finite[e] = high[e] = fl_round_tf32(weight);
    low[e] = fl_round_tf32(weight - fl_of_bits(high[e]));
  }
};

// Adds a product to each of the sums. The three of a sum lie apart, so that none waits for the one before.
template <int Count>
FL_DEVICE void fl_multiply_split(float (*sums)[4], const fl_split<4>& left, const fl_split<2> (&right)[Count]) {
#pragma unroll
  for (int n = 0; n < Count; ++n) fl_multiply_tf32(sums[n], left.low, right[n].finite[0], right[n].finite[1]);
#pragma unroll
  for (int n = 0; n < Count; ++n) fl_multiply_tf32(sums[n], left.finite, right[n].low[0], right[n].low[1]);
#pragma unroll
  for (int n = 0; n < Count; ++n) fl_multiply_tf32(sums[n], left.high, right[n].high[0], right[n].high[1]);
}

// One step of the depth of 16 queries from memory; of a lane's two rows, one that does not exist is null.
FL_DEVICE void fl_read_queries(unsigned (&to)[kStepRegisters], const fl_operand* const (&rows)[2], int step, int lane) {
#pragma unroll
  for (int e = 0; e < kStepRegisters; ++e) {
    const int at = step * 16 + e / 2 * 4 + lane % 4;
    to[e] = 0;
    if (rows[e % 2] != nullptr && at < kDepth)
      to[e] = fl_load<unsigned, 1>(reinterpret_cast<const unsigned*>(rows[e % 2] + at)).v[0];
  }
}
// The same of the queries from row `first` of shared memory on.
FL_DEVICE void fl_load_queries(unsigned (&to)[kStepRegisters], const fl_operand* tile, int first, int step, int lane) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    unsigned matrices[4];
    fl_load_matrices(matrices, tile + fl_part_at<kDepth>(first + lane % 16, step * 4 + half * 2 + lane / 16));
#pragma unroll
    for (int e = 0; e < 4; ++e) to[half * 4 + e] = matrices[e];
  }
}

// Adds one step of the depth to the scores of 16 queries and `Keys` keys, which are rows of shared memory.
template <int Keys>
FL_DEVICE void fl_add_products(float (&scores)[Keys / 8][4], const unsigned (&queries)[kStepRegisters], const fl_operand* keys, int step,
                               int lane) {
  constexpr int kTogether = Keys % 32 == 0 ? 4 : 2;  // groups of eight keys
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    fl_split<4> left;
#pragma unroll
    for (int e = 0; e < 4; ++e) left.set(e, fl_of_bits(queries[half * 4 + e]));
#pragma unroll
    for (int j = 0; j < Keys / 8; j += kTogether) {
      fl_split<2> right[kTogether];
#pragma unroll
      for (int n = 0; n < kTogether; n += 2) {
        unsigned bits[4];  // 16 keys by 8 elements
        fl_load_matrices(
            bits, keys + fl_part_at<kDepth>((j + n) * 8 + lane % 8 + lane / 16 * 8, step * 4 + half * 2 + lane / 8 % 2));
#pragma unroll
        for (int e = 0; e < 4; ++e) right[n + e / 2].set(e % 2, fl_of_bits(bits[e]));
      }
      fl_multiply_split(scores + j, left, right);
    }
  }
}

// Adds the weighed values, which are rows of shared memory. The unit sums over these keys alone: its rounding must not grow with
// their number.
template <int Keys>
FL_DEVICE void fl_add_values(float (&results)[kStepsOf<kWidth> * 2][4], const float (&weights)[Keys / 8][4], const fl_operand* values,
                             int lane) {
  constexpr int kTogether = kStepsOf<kWidth> % 2 == 0 ? 4 : 2;  // groups of eight columns
  fl_split<4> left[Keys / 8];
#pragma unroll
  for (int i = 0; i < Keys / 8; ++i) {
    // A lane has the weights of two neighbouring keys, and the unit takes those of keys t and t + 4: they change places, as values do.
#pragma unroll
    for (int e = 0; e < 4; ++e) left[i].set_weight(e, weights[i][e % 2 * 2 + e / 2]);
  }
#pragma unroll
  for (int j = 0; j < kStepsOf<kWidth> * 2; j += kTogether) {
    float sums[kTogether][4];
    fl_clear(sums);
#pragma unroll
    for (int i = 0; i < Keys / 8; ++i) {
      fl_split<2> right[kTogether];
#pragma unroll
      for (int n = 0; n < kTogether; ++n)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          const int key = i * 8 + lane % 4 * 2 + e, column = (j + n) * 8 + lane / 4;
          right[n].set(e, fl_load<float, 1>(values + fl_part_at<kWidth>(key, column / 4) + column % 4).v[0]);
        }
      fl_multiply_split(sums, left[i], right);
    }
#pragma unroll
    for (int n = 0; n < kTogether; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) results[j + n][e] += sums[n][e];
  }
}
