// SPDX-License-Identifier: Apache-2.0
// The second prelude: primitives for matrix units and asynchronous copies. It stands behind prelude.cuh in modules that ask for it.
// The files of this folder are joined in the order warp, phases, engine, cluster, group. Each *_host.h implements the same names
// for the executor. Includes nothing; for NVRTC and sm_80 or later. A primitive of a warp is called by all its 32 lanes, one of a
// warpgroup by all its 128 threads, at the same place.

// The most threads of a block, and where it is given how many blocks share a multiprocessor at least.
#undef FL_KERNEL
#define FL_KERNEL(...) __global__ __launch_bounds__(__VA_ARGS__)
// As FL_DYNAMIC_SHARED, but the memory begins at a multiple of 1024 bytes, as swizzles need it.
#define FL_ALIGNED_SHARED(type, name, count, offset)                   \
  extern __shared__ __align__(1024) unsigned char fl_aligned_memory[]; \
  type* const name = reinterpret_cast<type*>(fl_aligned_memory + (offset))

// --- Matrices of one warp ---
// Every lane reaches this before any continues, and knows what the others have written.
FL_DEVICE void fl_warp_barrier() {
  __syncwarp();
}
FL_DEVICE unsigned fl_shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
// Four 8×8 matrices of 16-bit elements. Lane l names row l % 8 of matrix l / 8. Of matrix i it gets in to[i] the element
// (l / 4, 2 · (l % 4)) and its right neighbour; turned: (2 · (l % 4), l / 4) and the one below.
FL_DEVICE void fl_load_matrices(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(fl_shared_address(row))
               : "memory");
}
FL_DEVICE void fl_load_matrices_turned(unsigned (&to)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(fl_shared_address(row))
               : "memory");
}
// d += a · b for 16 × 8 results. g = lane / 4, t = lane % 4; d: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).
// 16-bit, depth 16: a[0] (g, 2t..), a[1] (g + 8, 2t..), a[2] (g, 2t + 8..), a[3] (g + 8, 2t + 8..);
// b0 (2t.., g), b1 (2t + 8.., g).
#define FL_MULTIPLY(name, shape, types, sum, constraint)                                                                        \
  FL_DEVICE void name(sum(&d)[4], const unsigned(&a)[4], unsigned b0, unsigned b1) {                                            \
    asm volatile("mma.sync.aligned." shape ".row.col." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]), "+" constraint(d[3])                       \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                               \
  }
FL_MULTIPLY(fl_multiply_bf16, "m16n8k16", "f32.bf16.bf16.f32", float, "f")
FL_MULTIPLY(fl_multiply_f16, "m16n8k16", "f32.f16.f16.f32", float, "f")
FL_MULTIPLY(fl_multiply_tf32, "m16n8k8", "f32.tf32.tf32.f32", float, "f")
FL_MULTIPLY(fl_multiply_i8, "m16n8k32", "s32.s8.s8.s32", int, "r")
#undef FL_MULTIPLY

// Two bf16 in a register, `low` in the lower half.
FL_DEVICE unsigned fl_pack_bf16(float low, float high) {
  unsigned result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}
// The nearest number of 11 significant bits, ties away from zero, as fl_multiply_tf32 takes it.
FL_DEVICE unsigned fl_round_tf32(float x) {
  unsigned result;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(result) : "f"(x));
  return result;
}
FL_DEVICE float fl_of_bits(unsigned bits) {
  return __uint_as_float(bits);
}
// 2^x to 2 ulp, as one instruction; -Inf gives 0.
FL_DEVICE float fl_exp2_fast(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// Copies 16 bytes to shared memory as fl_copy_async does, `valid` (0 to 16) of them; the rest becomes zero and is not read.
FL_DEVICE void fl_copy_async_part(void* shared, const void* global, int valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(fl_shared_address(shared)), "l"(global), "r"(valid)
               : "memory");
}
