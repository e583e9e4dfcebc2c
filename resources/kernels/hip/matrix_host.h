// SPDX-License-Identifier: Apache-2.0
// The second prelude of HIP for the executor. Operands and sums are exchanged as AMD's instruction set documents lay them out; sums
// are made in double and rounded once a product.
FL_DEVICE float fl_host_number(float x) {
  return x;
}
FL_DEVICE float fl_host_number(fl_f16 x) {
  return fl_to_f32(x);
}
FL_DEVICE float fl_host_number(fl_bf16 x) {
  return fl_to_f32(x);
}
FL_DEVICE float fl_host_number(signed char x) {
  return x;
}
template <typename T, typename Sum>
struct fl_host_unit_product {
  Sum* d;
  const T *a, *b;
};
// 32 × 32 sums by 64 lanes (MFMA), 16 of each lane; or 16 × 16 by 32 lanes (WMMA), 8 of each lane.
template <typename T, int Each, typename Sum, int Sums>
FL_HOST_UNWATCHED static void fl_host_multiply_unit(void* const* each) {
  constexpr int kSide = Sums == 16 ? 32 : 16, kLanes = Sums == 16 ? 64 : 32;
  // With sixteen elements a lane of WMMA has all of the depth, and both halves of the lanes have to give the same.
  constexpr bool kTwice = Sums == 8 && Each == 16;
  constexpr int kDepth = kTwice ? Each : kLanes / kSide * Each;
  const auto of = [&](int lane) { return static_cast<const fl_host_unit_product<T, Sum>*>(each[lane]); };
  const auto number = [](T x) { return static_cast<double>(fl_host_number(x)); };
  double a[kSide][kDepth], b[kSide][kDepth];
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < Each; ++i) {
      const int line = lane % kSide, k = kTwice ? i : lane / kSide * Each + i;
      const double left = number(of(lane)->a[i]), right = number(of(lane)->b[i]);
      const bool differs =
          kTwice && lane >= kSide && ((left == left && a[line][k] != left) || (right == right && b[line][k] != right));
      if (differs) __builtin_trap();
      a[line][k] = left;
      b[line][k] = right;
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < Sums; ++e) {
      const int half = lane / kSide;
      const int row = Sums == 16 ? e / 4 * 8 + half * 4 + e % 4 : kTwice ? e * 2 + half : half * 8 + e;
      double total = static_cast<double>(of(lane)->d[e]);
      for (int k = 0; k < kDepth; ++k) total += a[row][k] * b[lane % kSide][k];
      of(lane)->d[e] = static_cast<Sum>(total);
    }
  }
}
template <typename T, int Each, typename Sum, int Sums>
FL_DEVICE void fl_multiply_unit(Sum (&d)[Sums], fl_vec<T, Each> a, fl_vec<T, Each> b, int line = __builtin_LINE()) {
  fl_host_unit_product<T, Sum> mine{d, a.v, b.v};
  fl_host_together(Sums == 16 ? 64 : 32, fl_host_multiply_unit<T, Each, Sum, Sums>, &mine, line);
}

FL_HOST_UNWATCHED static void fl_host_meet_wavefront(void* const*) {
  fl_host_meet(fl_host_lanes());
}
FL_DEVICE void fl_wavefront_barrier(int line = __builtin_LINE()) {
  fl_host_together(fl_host_lanes(), fl_host_meet_wavefront, nullptr, line);
}
