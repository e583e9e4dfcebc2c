// Each kind of warp product once, operands placed element by element as the vendor's manual numbers them (a_i, b_i, c_i), small
// whole numbers, so that any machine's sum is exact: on a GPU a wrong result means that a layout was misread. rounding[0] tells how
// the unit adds: 1 + (2^-24 + 2^-26) is 1 + 2^-23 to the nearest, 1 when it cuts. One warp.
FL_DEVICE unsigned half_bits(float x) {
  return fl_from_f32_f16(x).bits;
}
FL_DEVICE unsigned float_bits(float x) {  // a whole number is its own TF32
  return fl_round_tf32(x);
}

extern "C" FL_KERNEL(32) void primitive(const signed char* FL_RESTRICT a, const signed char* FL_RESTRICT b, float* FL_RESTRICT d, float* FL_RESTRICT rounding) {
  const int lane = fl_lane(), group = lane >> 2, in_group = lane % 4;
  // a is 16 × 32, b is 32 × 8; of a depth of less than 32 the first steps count.
  const auto of_a = [&](int row, int column) { return static_cast<float>(a[row * 32 + column]); };
  const auto of_b = [&](int row, int column) { return static_cast<float>(b[row * 8 + column]); };
  unsigned left[4], right[2];
  float sums[4][4] = {};
  int whole[4] = {};
#pragma unroll
  for (int kind = 0; kind < 2; ++kind) {  // bf16, f16: m16n8k16
#pragma unroll
    for (int i = 0; i < 8; i += 2) {
      const int row = i < 2 || (i >= 4 && i < 6) ? group : group + 8, column = in_group * 2 + (i < 4 ? 0 : 8);
      left[i / 2] = kind == 0 ? fl_pack_bf16(of_a(row, column), of_a(row, column + 1))
                              : half_bits(of_a(row, column)) | half_bits(of_a(row, column + 1)) << 16;
    }
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const int row = in_group * 2 + (i < 2 ? 0 : 8);
      right[i / 2] = kind == 0 ? fl_pack_bf16(of_b(row, group), of_b(row + 1, group)) : half_bits(of_b(row, group)) | half_bits(of_b(row + 1, group)) << 16;
    }
    if (kind == 0) {
      fl_multiply_bf16(sums[0], left, right[0], right[1]);
    } else {
      fl_multiply_f16(sums[1], left, right[0], right[1]);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) left[i] = float_bits(of_a(i == 0 || i == 2 ? group : group + 8, in_group + (i < 2 ? 0 : 4)));  // m16n8k8
  for (int i = 0; i < 2; ++i) right[i] = float_bits(of_b(in_group + 4 * i, group));
  fl_multiply_tf32(sums[2], left, right[0], right[1]);
#pragma unroll
  for (int e = 0; e < 4; ++e) left[e] = 0;
  right[0] = right[1] = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) {  // m16n8k32
    const int row = i < 4 || (i >= 8 && i < 12) ? group : group + 8, column = in_group * 4 + (i & 3) + (i < 8 ? 0 : 16);
    left[i / 4] |= static_cast<unsigned>(static_cast<unsigned char>(a[row * 32 + column])) << 8 * (i % 4);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    right[i / 4] |= static_cast<unsigned>(static_cast<unsigned char>(b[(in_group * 4 + (i & 3) + (i < 4 ? 0 : 16)) * 8 + group])) << 8 * (i % 4);
  fl_multiply_i8(whole, left, right[0], right[1]);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = i < 2 ? group : group + 8, column = in_group * 2 + (i & 1);
    sums[3][i] = static_cast<float>(whole[i]);
    for (int kind = 0; kind < 4; ++kind) d[kind * 128 + row * 8 + column] = sums[kind][i];
  }
  float one[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  const unsigned small = fl_pack_bf16(0x1.4p-24f, 0.0f), unit = fl_pack_bf16(1.0f, 0.0f);
  const unsigned first[4] = {in_group == 0 ? small : 0, 0, 0, 0};
  fl_multiply_bf16(one, first, in_group == 0 ? unit : 0, 0);
  if (lane == 0) rounding[0] = one[0];
}
