// SPDX-License-Identifier: Apache-2.0
// needs: attention_rows
// Attention's products of f16 and bf16 (mma m16n8k16); the module says kIsBf16.
constexpr int kStepRegisters = 4;  // of a lane, for one step of the depth of 16 queries
constexpr int kStepsTogether = 4;  // that are unrolled where queries do not stay in registers
constexpr unsigned kExponents = kIsBf16 ? 0x7f807f80u : 0x7c007c00u, kCarries = kIsBf16 ? 0x00800080u : 0x04000400u;
constexpr unsigned kSigns = 0x80008000u;  // of the elements in a register

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

// One step of the depth of 16 queries from memory; of a lane's two rows, one that does not exist is null.
FL_DEVICE void fl_read_queries(unsigned (&to)[kStepRegisters], const fl_operand* const (&rows)[2], int step, int lane) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int at = step * 16 + e / 2 * 8;
    to[e] = 0;
    if (rows[e % 2] != nullptr && at < kDepth)
      to[e] = fl_load<unsigned, 1>(reinterpret_cast<const unsigned*>(rows[e % 2] + at + lane % 4 * 2)).v[0];
  }
}

// The same of the queries from row `first` of shared memory on.
FL_DEVICE void fl_load_queries(unsigned (&to)[kStepRegisters], const fl_operand* tile, int first, int step, int lane) {
  fl_load_matrices(to, tile + fl_part_at<kDepth>(first + lane % 16, step * 2 + lane / 16));
}

// Adds one step of the depth to the scores of 16 queries and `Keys` keys, which are rows of shared memory.
template <int Keys>
FL_DEVICE void fl_add_products(float (&scores)[Keys / 8][4], const unsigned (&queries)[kStepRegisters], const fl_operand* keys, int step,
                               int lane) {
#pragma unroll
  for (int j = 0; j < Keys / 16; ++j) {
    unsigned right[4];  // 16 keys by 16 elements
    fl_load_matrices(right, keys + fl_part_at<kDepth>(j * 16 + lane % 8 + lane / 16 * 8, step * 2 + lane / 8 % 2));
    fl_multiply_operands(scores[2 * j], queries, right[0], right[1]);
    fl_multiply_operands(scores[2 * j + 1], queries, right[2], right[3]);
  }
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
