// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What is called of oneMKL's C interface, with 32-bit integers (LP64), declared after its public reference. The library's names
// stand beside the members.
namespace fuselab::mkl::abi {

inline constexpr int kRowMajor = 101;
inline constexpr int kNoTrans = 111, kTrans = 112, kPacked = 151;
inline constexpr int kBMatrix = 162, kRowOffset = 171;

constexpr int transposition(bool transposed) {
  return transposed ? kTrans : kNoTrans;
}

inline constexpr int kLayerSequential = 1, kLayerGnu = 3;

// Modes of vector mathematics: accuracy, denormals kept, no error handler.
inline constexpr std::int64_t kLowAccuracy = 0x1, kHighAccuracy = 0x2;
inline constexpr std::int64_t kKeepDenormals = 0x00140000, kIgnoreErrors = 0x00000100;

inline constexpr int kJitSuccess = 0;  // other codes: standard code is taken, or an error

struct Version {
  int major, minor, update;
  char* product_status;
  char* build;
  char* processor;
  char* platform;
};

using JitKernel = void (*)(void* jitter, float* a, float* b, float* c);
using Unary = void (*)(int n, const float* a, float* y, std::int64_t mode);
using Binary = void (*)(int n, const float* a, const float* b, float* y, std::int64_t mode);

struct Functions {
  void (*get_version)(Version* version);  // MKL_Get_Version
  int (*set_threading_layer)(int layer);  // MKL_Set_Threading_Layer
  void (*set_num_threads)(int threads);   // MKL_Set_Num_Threads
  void (*set_dynamic)(int is_dynamic);    // MKL_Set_Dynamic
  void (*sgemm)(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                int ldb, float beta, float* c, int ldc);  // cblas_sgemm
  void (*gemm_bf16)(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha, const std::uint16_t* a, int lda,
                    const std::uint16_t* b, int ldb, float beta, float* c, int ldc);  // cblas_gemm_bf16bf16f32
  // Row-major, A is of u8 and B of i8; numbers are added to each of A, of B, and those of `offsets` to each row of C.
  void (*gemm_bytes)(int layout, int trans_a, int trans_b, int offset, int m, int n, int k, float alpha, const void* a, int lda,
                     std::int8_t to_a, const void* b, int ldb, std::int8_t to_b, float beta, std::int32_t* c, int ldc,
                     const std::int32_t* offsets);  // cblas_gemm_s8u8s32
  void (*sgemm_batch_strided)(int layout, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda,
                              int stride_a, const float* b, int ldb, int stride_b, float beta, float* c, int ldc, int stride_c,
                              int count);                         // cblas_sgemm_batch_strided
  std::size_t (*pack_size)(int identifier, int m, int n, int k);  // cblas_sgemm_pack_get_size
  void (*pack)(int layout, int identifier, int trans, int m, int n, int k, float alpha, const float* source, int ld,
               float* packed);  // cblas_sgemm_pack
  void (*compute)(int layout, int trans_a, int trans_b, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                  float beta, float* c, int ldc);  // cblas_sgemm_compute
  int (*jit_create)(void** jitter, int layout, int trans_a, int trans_b, int m, int n, int k, float alpha, int lda, int ldb,
                    float beta,
                    int ldc);                   // mkl_cblas_jit_create_sgemm
  JitKernel (*jit_kernel)(const void* jitter);  // mkl_jit_get_sgemm_ptr
  int (*jit_destroy)(void* jitter);             // mkl_jit_destroy
};

}  // namespace fuselab::mkl::abi
