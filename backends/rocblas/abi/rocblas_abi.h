// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of rocBLAS's interface that Fuselab uses, declared here so that no ROCm header is needed to build. Looked up in
// rocblas-types.h, rocblas-functions.h and rocblas-beta.h of ROCm/rocBLAS (MIT; rocBLAS 3 to 5). The functions that list solutions
// are declared beta there and exported always. Never called on the real library yet.
namespace fuselab::rocblas::abi {

using Code = int;  // rocblas_status
inline constexpr Code kSuccess = 0;
inline constexpr Code kNotImplemented = 2;
inline constexpr Code kInvalidPointer = 3;
inline constexpr Code kInvalidSize = 4;
inline constexpr Code kMemoryError = 5;
inline constexpr Code kInternalError = 6;
inline constexpr Code kInvalidValue = 11;
inline constexpr Code kExcludedFromBuild = 14;
inline constexpr Code kArchMismatch = 15;

inline constexpr int kOpN = 111, kOpT = 112;                     // rocblas_operation
inline constexpr int kF16 = 150, kF32 = 151, kBF16 = 168;        // rocblas_datatype
inline constexpr int kAlgoStandard = 0, kAlgoSolutionIndex = 1;  // rocblas_gemm_algo

// The types of the arguments that all four products take, alpha and beta as numbers of the host.
#define FL_ROCBLAS_GEMM                                                                                                       \
  void *handle, int trans_a, int trans_b, std::int32_t m, std::int32_t n, std::int32_t k, const void *alpha, const void *a,   \
      int a_type, std::int32_t lda, const void *b, int b_type, std::int32_t ldb, const void *beta, const void *c, int c_type, \
      std::int32_t ldc, void *d, int d_type, std::int32_t ldd, int compute_type, int algo
#define FL_ROCBLAS_BATCHED                                                                                                         \
  void *handle, int trans_a, int trans_b, std::int32_t m, std::int32_t n, std::int32_t k, const void *alpha, const void *a,        \
      int a_type, std::int32_t lda, std::int64_t stride_a, const void *b, int b_type, std::int32_t ldb, std::int64_t stride_b,     \
      const void *beta, const void *c, int c_type, std::int32_t ldc, std::int64_t stride_c, void *d, int d_type, std::int32_t ldd, \
      std::int64_t stride_d, std::int32_t batch, int compute_type, int algo

struct Functions {
  Code (*create)(void** handle);
  Code (*set_stream)(void* handle, void* stream);
  Code (*version)(char* text, std::size_t bytes);  // "4.2.0.2b1fbe7"
  const char* (*name)(Code code);
  Code (*gemm)(FL_ROCBLAS_GEMM, std::int32_t solution, std::uint32_t flags);
  Code (*gemm_batched)(FL_ROCBLAS_BATCHED, std::int32_t solution, std::uint32_t flags);
  // Without a list the number of solutions is written; with one, as many as it holds.
  Code (*solutions)(FL_ROCBLAS_GEMM, std::uint32_t flags, std::int32_t* list, std::int32_t* size);
  Code (*solutions_batched)(FL_ROCBLAS_BATCHED, std::uint32_t flags, std::int32_t* list, std::int32_t* size);
};

// X(entry, name)
// clang-format off
#define FL_ROCBLAS_CALLS(X) \
  X(create, rocblas_create_handle) X(set_stream, rocblas_set_stream) X(version, rocblas_get_version_string) \
  X(name, rocblas_status_to_string) X(gemm, rocblas_gemm_ex) X(gemm_batched, rocblas_gemm_strided_batched_ex) \
  X(solutions, rocblas_gemm_ex_get_solutions) X(solutions_batched, rocblas_gemm_strided_batched_ex_get_solutions)
// clang-format on

}  // namespace fuselab::rocblas::abi
