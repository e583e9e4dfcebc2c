// SPDX-License-Identifier: Apache-2.0
// The primitives of the second prelude for the executor, joined like the device's texts. Fragments are exchanged lane by lane as
// the vendor's manual lays them out; sums are made in double and rounded once a product. What fl_host_… promise stands in
// backends/emulator/matrix_interface.cpp.
extern "C" {
void fl_host_copy_async_part(void* shared, const void* global, int bytes, int valid, int line);
void fl_host_together(int members, void (*work)(void* const* each), void* mine, int line);
void fl_host_meet(int members);
void fl_host_check_row(const void* row, int writes, int line);
void fl_host_count_rows(const unsigned long long* rows, int reads, int line);
}
#undef FL_KERNEL
#define FL_KERNEL(...) __attribute__((visibility("default")))
#define FL_ALIGNED_SHARED(type, name, count, offset) \
  auto& name = *static_cast<type(*)[count]>(fl_host_dynamic_shared(#name, sizeof(type), count, 1024, offset, __LINE__))
// The executor's own code: its accesses are not the kernel's.
#ifdef __clang__
#define FL_HOST_UNWATCHED __attribute__((no_sanitize("thread"), no_sanitize("coverage"), noinline))
#else
#define FL_HOST_UNWATCHED __attribute__((no_sanitize("thread"), no_sanitize_coverage, noinline, optimize("O2")))
#endif

// --- Matrices of one warp ---
FL_HOST_UNWATCHED static void fl_host_meet_warp(void* const*) {
  fl_host_meet(32);
}
FL_DEVICE void fl_warp_barrier(int line = __builtin_LINE()) {
  fl_host_together(32, fl_host_meet_warp, nullptr, line);
}
struct fl_host_rows {
  unsigned short row[8];
  unsigned* to;
  const void* at;
  int line;
};
FL_HOST_UNWATCHED static void fl_host_count_of(void* const* each, int reads) {
  unsigned long long rows[32];
  for (int i = 0; i < 32; ++i) rows[i] = reinterpret_cast<unsigned long long>(static_cast<const fl_host_rows*>(each[i])->at);
  fl_host_count_rows(rows, reads, static_cast<const fl_host_rows*>(each[0])->line);
}
FL_HOST_UNWATCHED static void fl_host_share_rows(void* const* each) {
  fl_host_count_of(each, 1);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const auto* const from = static_cast<const fl_host_rows*>(each[8 * i + lane / 4]);
      static_cast<const fl_host_rows*>(each[lane])->to[i] =
          from->row[lane % 4 * 2] | static_cast<unsigned>(from->row[lane % 4 * 2 + 1]) << 16;
    }
  }
}
FL_HOST_UNWATCHED static void fl_host_gather_rows(void* const* each) {
  fl_host_count_of(each, 0);
  for (int lane = 0; lane < 32; ++lane) {
    auto* const row = static_cast<fl_host_rows*>(each[lane])->row;
    for (int i = 0; i < 4; ++i) {
      const unsigned pair = static_cast<const fl_host_rows*>(each[lane % 8 * 4 + i])->to[lane / 8];
      row[2 * i] = static_cast<unsigned short>(pair);
      row[2 * i + 1] = static_cast<unsigned short>(pair >> 16);
    }
  }
}
FL_HOST_UNWATCHED static void fl_host_share_columns(void* const* each) {
  fl_host_count_of(each, 1);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const auto at = [&](int row) {
        return static_cast<unsigned>(static_cast<const fl_host_rows*>(each[8 * i + row])->row[lane / 4]);
      };
      static_cast<const fl_host_rows*>(each[lane])->to[i] = at(lane % 4 * 2) | at(lane % 4 * 2 + 1) << 16;
    }
  }
}
FL_HOST_UNWATCHED static void fl_host_take(void* to, const void* from) {
  __builtin_memcpy(to, from, 16);
}
FL_DEVICE void fl_load_matrices(unsigned (&to)[4], const void* row, int line = __builtin_LINE()) {
  fl_host_rows mine{{}, to, row, line};
  fl_host_check_row(row, 0, line);
  fl_host_take(mine.row, row);
  fl_host_together(32, fl_host_share_rows, &mine, line);
}
FL_DEVICE void fl_load_matrices_turned(unsigned (&to)[4], const void* row, int line = __builtin_LINE()) {
  fl_host_rows mine{{}, to, row, line};
  fl_host_check_row(row, 0, line);
  fl_host_take(mine.row, row);
  fl_host_together(32, fl_host_share_columns, &mine, line);
}

// Elements of a register, by kind.
struct fl_host_as_bf16 {
  static constexpr int count = 2;
  static double at(unsigned bits, int i) { return fl_host_float(i == 0 ? bits << 16 : bits & 0xffff0000); }
};
struct fl_host_as_f16 {
  static constexpr int count = 2;
  static double at(unsigned bits, int i) { return fl_to_f32(fl_f16{static_cast<unsigned short>(bits >> 16 * i)}); }
};
struct fl_host_as_tf32 {  // the matrix units do not see the lowest 13 bits
  static constexpr int count = 1;
  static double at(unsigned bits, int) { return fl_host_float(bits & 0xffffe000); }
};
struct fl_host_as_i8 {
  static constexpr int count = 4;
  static double at(unsigned bits, int i) { return static_cast<signed char>(bits >> 8 * i); }
};
template <typename Sum>
struct fl_host_product {
  Sum* d;
  const unsigned* a;
  unsigned b[2];
};
// Depth 8 · count. Element k lies in lane % 4 = k % (4 · count) / count, register (half) k / (4 · count).
template <typename As, typename Sum>
FL_HOST_UNWATCHED static void fl_host_multiply(void* const* each) {
  constexpr int kDepth = 8 * As::count, kHalf = 4 * As::count;
  const auto lane = [&](int i) { return static_cast<const fl_host_product<Sum>*>(each[i]); };
  double left[16][kDepth], right[kDepth][8];
  for (int k = 0; k < kDepth; ++k) {
    const int t = k % kHalf / As::count, half = k / kHalf, within = k % As::count;
    for (int row = 0; row < 16; ++row) left[row][k] = As::at(lane(row % 8 * 4 + t)->a[half * 2 + row / 8], within);
    for (int column = 0; column < 8; ++column) right[k][column] = As::at(lane(column * 4 + t)->b[half], within);
  }
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      Sum& sum = lane(row % 8 * 4 + column / 2)->d[row / 8 * 2 + column % 2];
      double total = static_cast<double>(sum);
      for (int k = 0; k < kDepth; ++k) total += left[row][k] * right[k][column];
      sum = static_cast<Sum>(total);
    }
  }
}
#define FL_HOST_MULTIPLY(name, as, sum)                                                                           \
  FL_DEVICE void name(sum(&d)[4], const unsigned(&a)[4], unsigned b0, unsigned b1, int line = __builtin_LINE()) { \
    fl_host_product<sum> mine{d, a, {b0, b1}};                                                                    \
    fl_host_together(32, fl_host_multiply<as, sum>, &mine, line);                                                 \
  }
FL_HOST_MULTIPLY(fl_multiply_bf16, fl_host_as_bf16, float)
FL_HOST_MULTIPLY(fl_multiply_f16, fl_host_as_f16, float)
FL_HOST_MULTIPLY(fl_multiply_tf32, fl_host_as_tf32, float)
FL_HOST_MULTIPLY(fl_multiply_i8, fl_host_as_i8, int)
#undef FL_HOST_MULTIPLY

FL_DEVICE unsigned fl_pack_bf16(float low, float high) {
  return fl_from_f32_bf16(low).bits | static_cast<unsigned>(fl_from_f32_bf16(high).bits) << 16;
}
FL_DEVICE unsigned fl_round_tf32(float x) {
  const unsigned bits = fl_host_bits(x);
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : (bits + 0x1000) & 0xffffe000;
}
FL_DEVICE float fl_of_bits(unsigned bits) {
  return fl_host_float(bits);
}
FL_DEVICE float fl_exp2_fast(float x) {
  const float result = __builtin_exp2f(x);
  return result < 0x1p-126f ? 0.0f : result;
}
FL_DEVICE void fl_copy_async_part(void* shared, const void* global, int valid, int line = __builtin_LINE()) {
  fl_host_copy_async_part(shared, global, 16, valid, line);
}
