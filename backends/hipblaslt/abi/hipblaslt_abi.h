// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of hipBLASLt's interface that Fuselab uses, declared here so that no ROCm header is needed to build. Looked up in
// library/include/hipblaslt/hipblaslt.h of ROCm/hipBLASLt (MIT; hipBLASLt 0.10 to 1.1), and for data types and compute types in
// hip/library_types.h and hipblas-common.h. Never called on the real library yet.
namespace fuselab::hipblaslt::abi {

using Code = int;  // hipblasStatus_t
inline constexpr Code kSuccess = 0;
inline constexpr Code kNotInitialized = 1;
inline constexpr Code kAllocFailed = 2;
inline constexpr Code kInvalidValue = 3;
inline constexpr Code kMappingError = 4;
inline constexpr Code kExecutionFailed = 5;
inline constexpr Code kInternalError = 6;
inline constexpr Code kNotSupported = 7;
inline constexpr Code kArchMismatch = 8;

inline constexpr int kCompute32F = 2;                    // hipblasComputeType_t
inline constexpr int kR32F = 0, kR16F = 2, kR16BF = 14;  // hipDataType
inline constexpr std::int32_t kOpN = 111, kOpT = 112;    // hipblasOperation_t

// hipblasLtMatmulDescAttributes_t, with the types of their values
inline constexpr int kTransA = 0, kTransB = 1;  // int32
inline constexpr int kEpilogue = 2;             // uint32
inline constexpr int kBiasPointer = 3;          // void*
inline constexpr int kBiasDataType = 4;         // int32
// hipblasLtMatrixLayoutAttribute_t
inline constexpr int kBatchCount = 0;          // int32
inline constexpr int kStridedBatchOffset = 1;  // int64, elements
// hipblasLtMatmulPreferenceAttributes_t
inline constexpr int kMaxWorkspaceBytes = 1;  // uint64

// hipblasLtEpilogue_t. A bias has one number for each of D's rows; Gelu is by tanh.
inline constexpr std::uint32_t kEndDefault = 1, kEndRelu = 2, kEndBias = 4, kEndReluBias = 6, kEndGelu = 32, kEndGeluBias = 36;

struct Algorithm {
  // The first int32 is the solution's index: what hipblaslt_ext::getIndexFromAlgo, which is C++ alone, returns.
  alignas(8) std::uint8_t data[16];
  std::size_t most_workspace;
};
struct Heuristic {
  Algorithm algorithm;
  std::size_t workspace;
  Code state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Algorithm) == 24 && sizeof(Heuristic) == 56);

struct Functions {
  Code (*create)(void** handle);
  Code (*version)(void* handle, int* version);  // 100,000 × major + 100 × minor + patch
  Code (*desc_create)(void** desc, int compute, int scale);
  Code (*desc_destroy)(const void* desc);
  Code (*desc_set)(void* desc, int attribute, const void* value, std::size_t bytes);
  Code (*layout_create)(void** layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading);
  Code (*layout_destroy)(const void* layout);
  Code (*layout_set)(void* layout, int attribute, const void* value, std::size_t bytes);
  Code (*preference_create)(void** preference);
  Code (*preference_destroy)(const void* preference);
  Code (*preference_set)(void* preference, int attribute, const void* value, std::size_t bytes);
  Code (*heuristic)(void* handle, void* desc, void* a, void* b, void* c, void* d, void* preference, int requested, Heuristic* found,
                    int* returned);
  Code (*matmul)(void* handle, void* desc, const void* alpha, const void* a, void* a_layout, const void* b, void* b_layout,
                 const void* beta, const void* c, void* c_layout, void* d, void* d_layout, const Algorithm* algorithm,
                 void* workspace, std::size_t workspace_bytes, void* stream);
};

// X(entry, name)
// clang-format off
#define FL_HIPBLASLT_CALLS(X) \
  X(create, hipblasLtCreate) X(version, hipblasLtGetVersion) X(desc_create, hipblasLtMatmulDescCreate) \
  X(desc_destroy, hipblasLtMatmulDescDestroy) X(desc_set, hipblasLtMatmulDescSetAttribute) \
  X(layout_create, hipblasLtMatrixLayoutCreate) X(layout_destroy, hipblasLtMatrixLayoutDestroy) \
  X(layout_set, hipblasLtMatrixLayoutSetAttribute) X(preference_create, hipblasLtMatmulPreferenceCreate) \
  X(preference_destroy, hipblasLtMatmulPreferenceDestroy) X(preference_set, hipblasLtMatmulPreferenceSetAttribute) \
  X(heuristic, hipblasLtMatmulAlgoGetHeuristic) X(matmul, hipblasLtMatmul)
// clang-format on

}  // namespace fuselab::hipblaslt::abi
