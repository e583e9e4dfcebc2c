// SPDX-License-Identifier: Apache-2.0
// --- Matrices of a warpgroup ---
extern "C" {
unsigned long long fl_host_shared_offset(const void* shared);
// Of 128 threads. With `registers` the left matrix lies in them, else at the place a.
void fl_host_group_issue(float* const* sums, int columns, const unsigned* const* registers, unsigned long long a,
                         unsigned long long b, int turned, int keep, int line);
void fl_host_group_uneven(int line);
void fl_host_group_fence();
void fl_host_group_commit();
void fl_host_group_wait(int newest);
}
template <int Registers>
FL_DEVICE void fl_registers_more() {}
template <int Registers>
FL_DEVICE void fl_registers_fewer() {}
FL_DEVICE unsigned long long fl_matrix_place(const void* shared, int apart, int next) {
  return fl_host_shared_offset(shared) >> 4 | static_cast<unsigned long long>(next >> 4) << 16 |
         static_cast<unsigned long long>(apart >> 4) << 32 | 1ull << 62;
}
struct fl_host_group_product {
  float* d;
  const unsigned* registers;
  unsigned long long a, b;
  int columns, turned, keep, line;
};
FL_HOST_UNWATCHED static void fl_host_issue(void* const* each) {
  float* sums[128];
  const unsigned* registers[128];
  const auto& first = *static_cast<const fl_host_group_product*>(each[0]);
  for (int i = 0; i < 128; ++i) {
    const auto& mine = *static_cast<const fl_host_group_product*>(each[i]);
    if (mine.a != first.a || mine.b != first.b || mine.keep != first.keep) fl_host_group_uneven(first.line);
    sums[i] = mine.d;
    registers[i] = mine.registers;
  }
  fl_host_group_issue(sums, first.columns, registers, first.a, first.b, first.turned, first.keep, first.line);
}
FL_HOST_UNWATCHED static void fl_host_fence(void* const*) {
  fl_host_group_fence();
}
FL_HOST_UNWATCHED static void fl_host_commit(void* const*) {
  fl_host_group_commit();
}
template <int Groups>
FL_HOST_UNWATCHED static void fl_host_wait(void* const*) {
  fl_host_group_wait(Groups);
}
FL_DEVICE void fl_group_fence(int line = __builtin_LINE()) {
  fl_host_together(128, fl_host_fence, nullptr, line);
}
FL_DEVICE void fl_group_commit(int line = __builtin_LINE()) {
  fl_host_together(128, fl_host_commit, nullptr, line);
}
template <int Groups>
FL_DEVICE void fl_group_wait(int line = __builtin_LINE()) {
  fl_host_together(128, fl_host_wait<Groups>, nullptr, line);
}
template <int B_turned>
FL_DEVICE void fl_group_multiply_bf16_128(float (&d)[64], unsigned long long a, unsigned long long b, int keep,
                                          int line = __builtin_LINE()) {
  fl_host_group_product mine{d, nullptr, a, b, 128, B_turned, keep != 0, line};
  fl_host_together(128, fl_host_issue, &mine, line);
}
template <int B_turned>
FL_DEVICE void fl_group_multiply_bf16_128(float (&d)[64], const unsigned (&a)[4], unsigned long long b, int keep,
                                          int line = __builtin_LINE()) {
  fl_host_group_product mine{d, a, 0, b, 128, B_turned, keep != 0, line};
  fl_host_together(128, fl_host_issue, &mine, line);
}
template <int B_turned>
FL_DEVICE void fl_group_multiply_bf16_256(float (&d)[128], unsigned long long a, unsigned long long b, int keep,
                                          int line = __builtin_LINE()) {
  fl_host_group_product mine{d, nullptr, a, b, 256, B_turned, keep != 0, line};
  fl_host_together(128, fl_host_issue, &mine, line);
}
