// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/hipblaslt/abi/hipblaslt_abi.h"
#include "backends/library/product_call.h"
#include "backends/library/stream/solution_library.h"

namespace fuselab::hipblaslt {

// Device memory that a product may use besides its matrices.
inline constexpr std::uint64_t kMostWorkspace = 32 << 20;

// Returns success, or an error with what was called: "hipblasLtMatmul: HIPBLAS_STATUS_NOT_SUPPORTED (7)".
Status check(abi::Code code, const char* call);

// A product as hipBLASLt's descriptors say it.
class Matmul final : public library::SolutionCall {
 public:
  // `calls` must outlive it.
  static Result<std::unique_ptr<library::SolutionCall>> describe(const abi::Functions& calls, const library::ProductCall& product);

  Result<std::vector<library::Solution>> solutions(void* handle) override;
  Status prepare(void*, const library::Solution&, void*) override { return {}; }
  Status enqueue(void* handle, const library::Solution& solution, std::span<void* const> addresses, void* workspace,
                 void* stream) override;

 private:
  using Descriptor = std::unique_ptr<void, abi::Code (*)(const void*)>;

  Matmul(const abi::Functions& calls, const library::ProductCall& product) : calls_(calls), product_(product) {}
  Status make();
  Status make_layout(Descriptor& layout, const library::ProductMatrix& matrix, std::int64_t rows, std::int64_t columns) const;
  Status set_bias(void* bias);

  const abi::Functions& calls_;
  library::ProductCall product_;
  Descriptor desc_{nullptr, nullptr}, preference_{nullptr, nullptr};
  Descriptor a_{nullptr, nullptr}, b_{nullptr, nullptr}, c_{nullptr, nullptr}, d_{nullptr, nullptr};
};

}  // namespace fuselab::hipblaslt
