// SPDX-License-Identifier: Apache-2.0
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
// --- Matrices of a warpgroup ---
// How many registers each thread of the warpgroup has from here on.
template <int Registers>
FL_DEVICE void fl_registers_more() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
FL_DEVICE void fl_registers_fewer() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
// Matrices in shared memory, in rows of 128 bytes that are swizzled: 16-byte part p of row r lies at p ^ (r % 8). Row 0 begins at a
// multiple of 1024 bytes. A row holds 64 elements of depth; `apart` is the distance of eight rows. Or b is turned, and a row holds
// 64 neighbours of one step of depth: `apart` is the distance of eight steps, `next` that of the next 64 neighbours.
FL_DEVICE unsigned long long fl_matrix_place(const void* shared, int apart, int next) {
  return static_cast<unsigned long long>((fl_shared_address(shared) & 0x3ffff) >> 4) |
         static_cast<unsigned long long>(next >> 4) << 16 | static_cast<unsigned long long>(apart >> 4) << 32 | 1ull << 62;
}
// Registers that threads have written may be read by products that follow.
FL_DEVICE void fl_group_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// The products since the last one make a group.
FL_DEVICE void fl_group_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Until at most Groups of the groups are under way.
template <int Groups>
FL_DEVICE void fl_group_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
}
#define FL_R8(f, i) f(i), f(i + 1), f(i + 2), f(i + 3), f(i + 4), f(i + 5), f(i + 6), f(i + 7)
#define FL_R32(f, i) FL_R8(f, i), FL_R8(f, i + 8), FL_R8(f, i + 16), FL_R8(f, i + 24)
#define FL_SUM(i) "+f"(d[i])
// d += a · b for 64 × 128 or 256 results of a warpgroup, depth 16: d[4j + e] of a thread is that of fl_multiply_bf16 in rows
// 16 · warp and columns 8j. B_turned: b lies along its columns. A generator writes these for the widths that it uses.
template <int B_turned>
FL_DEVICE void fl_group_multiply_bf16_128(float (&d)[64], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
      "%26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
      "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, 0, %67;\n}"
      : FL_R32(FL_SUM, 0), FL_R32(FL_SUM, 32)
      : "l"(a), "l"(b), "r"(keep), "n"(B_turned)
      : "memory");
}
template <int B_turned>
FL_DEVICE void fl_group_multiply_bf16_256(float (&d)[128], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
      "%26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
      "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, "
      "%74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
      "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, "
      "%118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, p, 1, 1, 0, %131;\n}"
      : FL_R32(FL_SUM, 0), FL_R32(FL_SUM, 32), FL_R32(FL_SUM, 64), FL_R32(FL_SUM, 96)
      : "l"(a), "l"(b), "r"(keep), "n"(B_turned)
      : "memory");
}
// The same with a in registers, laid out as for fl_multiply_bf16; they must not change until the product is waited for.
template <int B_turned>
FL_DEVICE void fl_group_multiply_bf16_128(float (&d)[64], const unsigned (&a)[4], unsigned long long b, int keep) {
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
      "%26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
      "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, {%64, %65, %66, %67}, %68, p, 1, 1, %70;\n}"
      : FL_R32(FL_SUM, 0), FL_R32(FL_SUM, 32)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(keep), "n"(B_turned)
      : "memory");
}
#undef FL_R8
#undef FL_R32
#undef FL_SUM
#endif
// End of the matrix prelude.
