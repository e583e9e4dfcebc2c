// SPDX-License-Identifier: Apache-2.0
// A library that looks like rocBLAS 4.2 and computes products plainly. It lists three solutions. $FUSELAB_FAKE_ROCBLAS says how it
// behaves, separated by commas: "version=2.46.0.abc", "create=1" (any code, crash, hang), "none" (it lists nothing), "none=6" (and
// answers with the code), "gemm=5", "wrong=42" (that solution leaves out the last of the depth), "other" (the solutions have other
// numbers).
#include <algorithm>
#include <array>
#include <cstring>

#include "backends/rocblas/abi/rocblas_abi.h"
#include "tests/support/fake_amd_libraries/fake_product.h"
#include "tests/support/fake_amd_libraries/on_fake_hip.h"

using namespace fuselab::rocblas::abi;
using namespace fuselab::fake_amd;
using fuselab::fake_cuda::Behaviour;

namespace {

struct Handle {
  void* stream = nullptr;
};

Behaviour asked() {
  return Behaviour::of("FUSELAB_FAKE_ROCBLAS");
}

std::array<std::int32_t, 3> solutions() {
  return asked().has("other") ? std::array<std::int32_t, 3>{7, 8, 9} : std::array<std::int32_t, 3>{42, 4711, -5};
}

// What the real one looks at before anything else.
Code refusal(const Product& product, std::array<int, 4> types, int compute) {
  const auto narrow = [](const Matrix& matrix, std::int64_t rows, std::int64_t columns) {
    return matrix.leading < (matrix.transposed ? columns : rows);
  };
  const bool same = std::all_of(types.begin(), types.end(), [&](int type) { return type == types[0]; });
  if (!same || compute != kF32) return kNotImplemented;
  if (product.a.data == nullptr || product.b.data == nullptr || product.c.data == nullptr || product.d == nullptr)
    return kInvalidPointer;
  if (narrow(product.a, product.m, product.k) || narrow(product.b, product.k, product.n) || product.c.leading < product.m ||
      product.leading_d < product.m)
    return kInvalidSize;
  return kSuccess;
}

Number number_of(int type) {
  return type == kF16 ? Number::kF16 : type == kBF16 ? Number::kBF16 : Number::kF32;
}

Code multiply(void* handle, Product product, int algo, std::int32_t solution) {
  if (static_cast<Handle*>(handle)->stream == nullptr) return kInvalidValue;  // ours is never the default one
  if (const Code code = answer_of(asked(), "gemm"); code != kSuccess) return code;
  const auto known = solutions();
  if (algo == kAlgoSolutionIndex && std::find(known.begin(), known.end(), solution) == known.end()) return kInvalidValue;
  product.wrong = asked().number("wrong") == solution;
  product.misbehave();
  return queue([product] { return product.compute(), 0; }) == 0 ? kSuccess : kInternalError;
}

Code list_solutions(std::int32_t* list, std::int32_t* size) {
  if (asked().has("none")) return *size = 0, answer_of(asked(), "none");
  const auto known = solutions();
  if (list == nullptr) return *size = static_cast<std::int32_t>(known.size()), kSuccess;
  return std::copy_n(known.begin(), std::min<std::size_t>(known.size(), static_cast<std::size_t>(*size)), list), kSuccess;
}

}  // namespace

#define PRODUCT                                                                                                       \
  Product product;                                                                                                    \
  product.type = number_of(d_type);                                                                                   \
  product.m = m, product.n = n, product.k = k;                                                                        \
  product.alpha = *static_cast<const float*>(alpha), product.beta = *static_cast<const float*>(beta);                 \
  product.a = {a, lda, 0, trans_a == kOpT}, product.b = {b, ldb, 0, trans_b == kOpT}, product.c = {c, ldc, 0, false}; \
  product.d = d, product.leading_d = ldd
#define BATCH            \
  product.batch = batch; \
  product.a.stride = stride_a, product.b.stride = stride_b, product.c.stride = stride_c, product.stride_d = stride_d
#define REFUSE \
  if (const Code code = refusal(product, {a_type, b_type, c_type, d_type}, compute_type); code != kSuccess) return code

EXPORTED Code rocblas_create_handle(void** handle) {
  static Handle held;
  *handle = &held;
  return answer_of(asked(), "create");
}
EXPORTED Code rocblas_set_stream(void* handle, void* stream) {
  return static_cast<Handle*>(handle)->stream = stream, kSuccess;
}
EXPORTED Code rocblas_get_version_string(char* text, std::size_t bytes) {
  const std::string version = asked().text("version").value_or("4.2.0.2b1fbe7");
  if (bytes <= version.size()) return kInvalidSize;
  return std::memcpy(text, version.c_str(), version.size() + 1), kSuccess;
}
EXPORTED const char* rocblas_status_to_string(Code code) {
  return code == kMemoryError     ? "rocblas_status_memory_error"
         : code == kInternalError ? "rocblas_status_internal_error"
                                  : "rocblas_status_of_another_kind";
}
EXPORTED Code rocblas_gemm_ex(FL_ROCBLAS_GEMM, std::int32_t solution, std::uint32_t) {
  PRODUCT;
  REFUSE;
  return multiply(handle, product, algo, solution);
}
EXPORTED Code rocblas_gemm_strided_batched_ex(FL_ROCBLAS_BATCHED, std::int32_t solution, std::uint32_t) {
  PRODUCT;
  BATCH;
  REFUSE;
  return multiply(handle, product, algo, solution);
}
EXPORTED Code rocblas_gemm_ex_get_solutions(FL_ROCBLAS_GEMM, std::uint32_t, std::int32_t* list, std::int32_t* size) {
  PRODUCT;
  REFUSE;
  return handle == nullptr || algo != kAlgoSolutionIndex ? kInvalidValue : list_solutions(list, size);
}
#ifndef FAKE_PARTIAL
EXPORTED Code rocblas_gemm_strided_batched_ex_get_solutions(FL_ROCBLAS_BATCHED, std::uint32_t, std::int32_t* list,
                                                            std::int32_t* size) {
  PRODUCT;
  BATCH;
  REFUSE;
  return handle == nullptr || algo != kAlgoSolutionIndex ? kInvalidValue : list_solutions(list, size);
}
#endif
