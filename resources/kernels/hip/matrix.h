// SPDX-License-Identifier: Apache-2.0
// The second prelude: AMD's matrix units, for clang -x hip. matrix_host.h implements the same names for the executor. All lanes of
// a wavefront call a product at the same place. A lane gives neighbouring steps of depth of one line of each operand, and gets sums
// of one line of b: where they lie stands in AMD's instruction set documents, and in the text that calls this (unit.h).

#if defined(__GFX9__)
typedef float fl_f32x16 __attribute__((ext_vector_type(16)));
typedef int fl_i32x16 __attribute__((ext_vector_type(16)));
typedef short fl_i16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 fl_f16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 fl_f16x8 __attribute__((ext_vector_type(8)));
typedef int fl_i32x4 __attribute__((ext_vector_type(4)));
#define FL_MULTIPLY(element, each, sum, of, vector, builtin)                                                          \
  FL_DEVICE void fl_multiply_unit(sum(&d)[16], fl_vec<element, each> a, fl_vec<element, each> b) {                    \
    of total = __builtin_bit_cast(of, d);                                                                             \
    total = __builtin_amdgcn_##builtin(__builtin_bit_cast(vector, a), __builtin_bit_cast(vector, b), total, 0, 0, 0); \
    __builtin_memcpy(d, &total, sizeof d);                                                                            \
  }
FL_MULTIPLY(float, 1, float, fl_f32x16, float, mfma_f32_32x32x2f32)
#if defined(__gfx950__)
typedef __bf16 fl_bf16x8 __attribute__((ext_vector_type(8)));
FL_MULTIPLY(fl_bf16, 8, float, fl_f32x16, fl_bf16x8, mfma_f32_32x32x16_bf16)
FL_MULTIPLY(fl_f16, 8, float, fl_f32x16, fl_f16x8, mfma_f32_32x32x16_f16)
FL_MULTIPLY(signed char, 16, int, fl_i32x16, fl_i32x4, mfma_i32_32x32x32_i8)
#else
FL_MULTIPLY(fl_bf16, 4, float, fl_f32x16, fl_i16x4, mfma_f32_32x32x8bf16_1k)
FL_MULTIPLY(fl_f16, 4, float, fl_f32x16, fl_f16x4, mfma_f32_32x32x8f16)
#if defined(__gfx942__)
FL_MULTIPLY(signed char, 8, int, fl_i32x16, long, mfma_i32_32x32x16_i8)
#else
FL_MULTIPLY(signed char, 4, int, fl_i32x16, int, mfma_i32_32x32x8i8)
#endif
#endif
#undef FL_MULTIPLY
#elif defined(__GFX11__) || defined(__GFX12__)
typedef float fl_f32x8 __attribute__((ext_vector_type(8)));
typedef int fl_i32x8 __attribute__((ext_vector_type(8)));
typedef int fl_i32x4 __attribute__((ext_vector_type(4)));
typedef int fl_i32x2 __attribute__((ext_vector_type(2)));
#define FL_MULTIPLY(element, each, vector, builtin)                                                          \
  FL_DEVICE void fl_multiply_unit(float(&d)[8], fl_vec<element, each> a, fl_vec<element, each> b) {          \
    fl_f32x8 total = __builtin_bit_cast(fl_f32x8, d);                                                        \
    total = __builtin_amdgcn_##builtin(__builtin_bit_cast(vector, a), __builtin_bit_cast(vector, b), total); \
    __builtin_memcpy(d, &total, sizeof d);                                                                   \
  }
#define FL_MULTIPLY_BYTES(each, vector, builtin)                                                                                \
  FL_DEVICE void fl_multiply_unit(int(&d)[8], fl_vec<signed char, each> a, fl_vec<signed char, each> b) {                       \
    fl_i32x8 total = __builtin_bit_cast(fl_i32x8, d);                                                                           \
    total = __builtin_amdgcn_##builtin(true, __builtin_bit_cast(vector, a), true, __builtin_bit_cast(vector, b), total, false); \
    __builtin_memcpy(d, &total, sizeof d);                                                                                      \
  }
#if defined(__GFX11__)
typedef short fl_i16x16 __attribute__((ext_vector_type(16)));
typedef _Float16 fl_f16x16 __attribute__((ext_vector_type(16)));
FL_MULTIPLY(fl_bf16, 16, fl_i16x16, wmma_f32_16x16x16_bf16_w32)
FL_MULTIPLY(fl_f16, 16, fl_f16x16, wmma_f32_16x16x16_f16_w32)
FL_MULTIPLY_BYTES(16, fl_i32x4, wmma_i32_16x16x16_iu8_w32)
#else
typedef short fl_i16x8 __attribute__((ext_vector_type(8)));
typedef _Float16 fl_f16x8 __attribute__((ext_vector_type(8)));
FL_MULTIPLY(fl_bf16, 8, fl_i16x8, wmma_f32_16x16x16_bf16_w32_gfx12)
FL_MULTIPLY(fl_f16, 8, fl_f16x8, wmma_f32_16x16x16_f16_w32_gfx12)
FL_MULTIPLY_BYTES(8, fl_i32x2, wmma_i32_16x16x16_iu8_w32_gfx12)
#endif
#undef FL_MULTIPLY
#undef FL_MULTIPLY_BYTES
#endif

// 2^x, as one instruction; -Inf gives 0.
FL_DEVICE float fl_exp2_fast(float x) {
  return __builtin_amdgcn_exp2f(x);
}
// Every lane reaches this before any continues, and knows what the others have written.
FL_DEVICE void fl_wavefront_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
// End of the matrix prelude.
