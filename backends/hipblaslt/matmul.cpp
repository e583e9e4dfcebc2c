// SPDX-License-Identifier: Apache-2.0
#include "backends/hipblaslt/matmul.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace fuselab::hipblaslt {
namespace {

using library::ProductEnd;

constexpr int kMostSolutions = 128;  // that the heuristic is asked for

constexpr const char* kNames[] = {"SUCCESS",          "NOT_INITIALIZED", "ALLOC_FAILED",  "INVALID_VALUE", "MAPPING_ERROR",
                                  "EXECUTION_FAILED", "INTERNAL_ERROR",  "NOT_SUPPORTED", "ARCH_MISMATCH"};

int type_of(DType dtype) {
  return dtype == DType::kF16 ? abi::kR16F : dtype == DType::kBF16 ? abi::kR16BF : abi::kR32F;
}

std::uint32_t epilogue_of(const library::ProductCall& product) {
  const bool biased = product.bias >= 0;
  switch (product.end) {
    case ProductEnd::kRelu: return biased ? abi::kEndReluBias : abi::kEndRelu;
    case ProductEnd::kGelu: return biased ? abi::kEndGeluBias : abi::kEndGelu;
    case ProductEnd::kNone: break;
  }
  return biased ? abi::kEndBias : abi::kEndDefault;
}

template <typename T>
Status set(abi::Code (*setter)(void*, int, const void*, std::size_t), void* of, int attribute, const T& value, const char* call) {
  return check(setter(of, attribute, &value, sizeof value), call);
}

}  // namespace

Status check(abi::Code code, const char* call) {
  if (code == abi::kSuccess) return {};
  const bool known = code > 0 && static_cast<std::size_t>(code) < std::size(kNames);
  const ErrorCode meaning = code == abi::kAllocFailed                                  ? ErrorCode::kOutOfMemory
                            : code == abi::kNotSupported || code == abi::kArchMismatch ? ErrorCode::kUnsupported
                                                                                       : ErrorCode::kLaunchFailed;
  return Error{meaning, std::string(call) + ": " +
                            (known ? std::string("HIPBLAS_STATUS_") + kNames[code] + " (" + std::to_string(code) + ")"
                                   : "status " + std::to_string(code))};
}

Result<std::unique_ptr<library::SolutionCall>> Matmul::describe(const abi::Functions& calls, const library::ProductCall& product) {
  std::unique_ptr<Matmul> made(new Matmul(calls, product));
  FL_TRY_VOID(made->make());
  return std::unique_ptr<library::SolutionCall>(std::move(made));
}

Status Matmul::make() {
  void* desc = nullptr;
  FL_TRY_VOID(check(calls_.desc_create(&desc, abi::kCompute32F, abi::kR32F), "hipblasLtMatmulDescCreate"));
  desc_ = Descriptor(desc, calls_.desc_destroy);
  constexpr const char* kSetDesc = "hipblasLtMatmulDescSetAttribute";
  const auto operation = [](const library::ProductMatrix& matrix) { return matrix.transposed ? abi::kOpT : abi::kOpN; };
  FL_TRY_VOID(set(calls_.desc_set, desc, abi::kTransA, operation(product_.a), kSetDesc));
  FL_TRY_VOID(set(calls_.desc_set, desc, abi::kTransB, operation(product_.b), kSetDesc));
  FL_TRY_VOID(set(calls_.desc_set, desc, abi::kEpilogue, epilogue_of(product_), kSetDesc));
  if (product_.bias >= 0) {
    FL_TRY_VOID(set(calls_.desc_set, desc, abi::kBiasDataType, std::int32_t{type_of(product_.dtype)}, kSetDesc));
    // The heuristic is asked before there is a bias, and takes a null pointer for none.
    FL_TRY_VOID(set_bias(reinterpret_cast<void*>(std::uintptr_t{256})));
  }
  const std::int64_t m = product_.rows, n = product_.columns, k = product_.depth;
  FL_TRY_VOID(make_layout(a_, product_.a, product_.a.transposed ? k : m, product_.a.transposed ? m : k));
  FL_TRY_VOID(make_layout(b_, product_.b, product_.b.transposed ? n : k, product_.b.transposed ? k : n));
  FL_TRY_VOID(make_layout(c_, product_.c.argument >= 0 ? product_.c : product_.d, m, n));
  FL_TRY_VOID(make_layout(d_, product_.d, m, n));
  void* preference = nullptr;
  FL_TRY_VOID(check(calls_.preference_create(&preference), "hipblasLtMatmulPreferenceCreate"));
  preference_ = Descriptor(preference, calls_.preference_destroy);
  return set(calls_.preference_set, preference, abi::kMaxWorkspaceBytes, kMostWorkspace, "hipblasLtMatmulPreferenceSetAttribute");
}

Status Matmul::make_layout(Descriptor& layout, const library::ProductMatrix& matrix, std::int64_t rows,
                           std::int64_t columns) const {
  void* made = nullptr;
  FL_TRY_VOID(check(calls_.layout_create(&made, type_of(product_.dtype), static_cast<std::uint64_t>(rows),
                                         static_cast<std::uint64_t>(columns), matrix.leading),
                    "hipblasLtMatrixLayoutCreate"));
  layout = Descriptor(made, calls_.layout_destroy);
  if (product_.batch == 1) return {};
  constexpr const char* kSetLayout = "hipblasLtMatrixLayoutSetAttribute";
  FL_TRY_VOID(set(calls_.layout_set, made, abi::kBatchCount, static_cast<std::int32_t>(product_.batch), kSetLayout));
  return set(calls_.layout_set, made, abi::kStridedBatchOffset, matrix.stride, kSetLayout);
}

Status Matmul::set_bias(void* bias) {
  return set(calls_.desc_set, desc_.get(), abi::kBiasPointer, bias, "hipblasLtMatmulDescSetAttribute");
}

Result<std::vector<library::Solution>> Matmul::solutions(void* handle) {
  std::vector<abi::Heuristic> found(kMostSolutions);
  int returned = 0;
  const abi::Code code = calls_.heuristic(handle, desc_.get(), a_.get(), b_.get(), c_.get(), d_.get(), preference_.get(),
                                          kMostSolutions, found.data(), &returned);
  std::vector<library::Solution> solutions;
  if (code == abi::kNotSupported) return solutions;
  FL_TRY_VOID(check(code, "hipblasLtMatmulAlgoGetHeuristic"));
  found.resize(static_cast<std::size_t>(std::clamp(returned, 0, kMostSolutions)));
  for (const abi::Heuristic& each : found) {
    std::int32_t index = 0;
    std::memcpy(&index, each.algorithm.data, sizeof index);
    if (each.state != abi::kSuccess || each.workspace > kMostWorkspace) continue;
    if (std::ranges::find(solutions, index, &library::Solution::number) != solutions.end()) continue;
    library::Solution& solution = solutions.emplace_back(library::Solution{index, each.workspace});
    std::memcpy(solution.opaque.data(), &each.algorithm, sizeof each.algorithm);
  }
  return solutions;
}

Status Matmul::enqueue(void* handle, const library::Solution& solution, std::span<void* const> addresses, void* workspace,
                       void* stream) {
  const auto at = [&](int argument) { return addresses[static_cast<std::size_t>(argument)]; };
  if (product_.bias >= 0) FL_TRY_VOID(set_bias(at(product_.bias)));
  void* const d = at(product_.d.argument);
  const void* const c = product_.c.argument >= 0 ? at(product_.c.argument) : d;
  abi::Algorithm algorithm{};
  std::memcpy(&algorithm, solution.opaque.data(), sizeof algorithm);
  return check(calls_.matmul(handle, desc_.get(), &product_.alpha, at(product_.a.argument), a_.get(), at(product_.b.argument),
                             b_.get(), &product_.beta, c, c_.get(), d, d_.get(), &algorithm, workspace, solution.workspace, stream),
               "hipblasLtMatmul");
}

}  // namespace fuselab::hipblaslt
