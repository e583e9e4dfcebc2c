// One product of a matrix unit. Before this text stand kLines, kEach, KLANES and fl_operand. `map`: where a lane's sums lie, as
// row + kLines · column; `d`: the product of small whole numbers, so that any machine's sum is exact. A lane gives kEach steps of depth
// of one line of both operands; where it gives all of the depth, both halves of the lanes give the same.
constexpr bool kTwice = KLANES == 32 && kEach == 16;
constexpr int kSums = kLines * kLines / KLANES, kDepth = kTwice ? kEach : KLANES / kLines * kEach;
FL_DEVICE void fl_set(float& to, int value) {
  to = static_cast<float>(value);
}
FL_DEVICE void fl_set(signed char& to, int value) {
  to = static_cast<signed char>(value);
}
FL_DEVICE void fl_set(fl_bf16& to, int value) {
  to = fl_from_f32_bf16(static_cast<float>(value));
}
FL_DEVICE void fl_set(fl_f16& to, int value) {
  to = fl_from_f32_f16(static_cast<float>(value));
}

extern "C" FL_KERNEL(KLANES) FL_WAVEFRONT(KLANES) void primitive(const signed char* FL_RESTRICT a, const signed char* FL_RESTRICT b,
                                                               int* FL_RESTRICT map, int* FL_RESTRICT d) {
  const int lane = fl_lane(), line = lane % kLines, first = kTwice ? 0 : lane / kLines * kEach;
  fl_vec<fl_operand, kEach> left, right;
  fl_sum_word sums[kSums];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int k = first + i;
    fl_set(left.v[i], k == 0 ? line : k == 1 ? 8 : 0);
    fl_set(right.v[i], k == 0 ? 1 : k == 1 ? kLines / 8 * line : 0);
  }
#pragma unroll
  for (int e = 0; e < kSums; ++e) sums[e] = 0;
  fl_multiply_unit(sums, left, right);
#pragma unroll
  for (int e = 0; e < kSums; ++e) map[lane * kSums + e] = static_cast<int>(sums[e]);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    fl_set(left.v[i], a[line * kDepth + first + i]);
    fl_set(right.v[i], b[line * kDepth + first + i]);
  }
  fl_multiply_unit(sums, left, right);  // on what is there
#pragma unroll
  for (int e = 0; e < kSums; ++e) d[lane * kSums + e] = static_cast<int>(sums[e]);
}
