// Products of a warpgroup, exact in whole numbers: a and b along depth, b turned, a in registers, and 256 columns.
constexpr int kRows = 64, kDepth = 64, kMost = 256;
enum Kind { kAlong, kTurned, kHeld, kWide };

// One kind after the other: their sums do not fit into the registers together.
template <int Which, int Sums>
FL_DEVICE void multiply(const signed char* a, const fl_bf16* a_tile, const fl_bf16* b_rows, const fl_bf16* b_turned, float* y) {
  const int thread = fl_thread(), lane = fl_lane(), warp = fl_warp();
  unsigned held[4][4];  // a as fl_multiply_bf16 takes it
#pragma unroll
  for (int step = 0; step < 4; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = warp * 16 + (lane >> 2) + i % 2 * 8, k = step * 16 + lane % 4 * 2 + i / 2 * 8;
      held[step][i] = fl_pack_bf16(static_cast<float>(a[row * kDepth + k]), static_cast<float>(a[row * kDepth + k + 1]));
    }
  }
  float sums[Sums];
  fl_group_fence();
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    const unsigned long long left = fl_matrix_place(a_tile + step * 16, 1024, 0);
    const unsigned long long along = fl_matrix_place(b_rows + step * 16, 1024, 0);
    const unsigned long long across = fl_matrix_place(b_turned + step * 1024, 1024, 8192);
    if constexpr (Which == kAlong) fl_group_multiply_bf16_128<0>(sums, left, along, step != 0);
    if constexpr (Which == kTurned) fl_group_multiply_bf16_128<1>(sums, left, across, step != 0);
    if constexpr (Which == kHeld) fl_group_multiply_bf16_128<0>(sums, held[step], along, step != 0);
    if constexpr (Which == kWide) fl_group_multiply_bf16_256<1>(sums, left, across, step != 0);
  }
  fl_group_commit();
  fl_group_wait<0>();
#pragma unroll
  for (int i = 0; i < Sums; ++i) y[thread * Sums + i] = sums[i];
}

extern "C" FL_KERNEL(128, 1) void primitive(const signed char* FL_RESTRICT a, const signed char* FL_RESTRICT b, float* FL_RESTRICT y) {
  FL_ALIGNED_SHARED(fl_bf16, a_tile, kRows * kDepth, 0);
  FL_ALIGNED_SHARED(fl_bf16, b_rows, kMost * kDepth, kRows * kDepth * 2);                         // a column's depth lies together
  FL_ALIGNED_SHARED(fl_bf16, b_turned, kMost * kDepth, kRows * kDepth * 2 + kMost * kDepth * 2);  // 64 columns of a step lie together
  const auto number = [](signed char x) { return fl_from_f32_bf16(static_cast<float>(x)); };
  for (int i = fl_thread(); i < kRows * kDepth; i += 128) {
    const int row = i / kDepth, k = i % kDepth;
    a_tile[row * 64 + (k / 8 ^ row & 7) * 8 + k % 8] = number(a[i]);
  }
  for (int i = fl_thread(); i < kMost * kDepth; i += 128) {
    const int k = i / kMost, column = i % kMost;
    b_rows[column * 64 + (k / 8 ^ column & 7) * 8 + k % 8] = number(b[i]);
    b_turned[column / 64 * 4096 + k * 64 + (column % 64 / 8 ^ k & 7) * 8 + column % 8] = number(b[i]);
  }
  fl_engine_fence();
  fl_barrier();
  multiply<kAlong, 64>(a, a_tile, b_rows, b_turned, y);
  multiply<kTurned, 64>(a, a_tile, b_rows, b_turned, y + 8192);
  multiply<kHeld, 64>(a, a_tile, b_rows, b_turned, y + 2 * 8192);
  multiply<kWide, 128>(a, a_tile, b_rows, b_turned, y + 3 * 8192);
}
