// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "backends/loading/shared_library.h"
#include "backends/onednn/abi/onednn_abi.h"
#include "backends/onednn/library/primitive_spec.h"
#include "core/base/result.h"

namespace fuselab::onednn {

// A description of memory, owned. Movable.
class MemoryDescriptor {
 public:
  explicit MemoryDescriptor(std::shared_ptr<const void> held) : held_(std::move(held)) {}
  abi::MemoryDesc get() const { return held_.get(); }

 private:
  std::shared_ptr<const void> held_;  // 2.x: storage of this process; 3.x: the library's, destroyed by it
};

// The descriptions that a primitive is made from; null for absent ones.
struct DescribedOperands {
  abi::MemoryDesc source = nullptr, weights = nullptr, bias = nullptr, destination = nullptr;
};

// The calls that differ between the two majors.
class PrimitiveCalls {
 public:
  virtual ~PrimitiveCalls() = default;
  // Omits the strides where the library is to choose.
  virtual Result<MemoryDescriptor> memory(const Layout& layout, bool library_chooses) const = 0;
  virtual abi::Code append_eltwise(abi::PostOps to, Algorithm algorithm, float alpha, float beta) const = 0;
  virtual abi::Code describe(abi::Description* out, abi::Engine engine, const PrimitiveSpec& spec,
                             const DescribedOperands& operands, abi::Attributes attributes) const = 0;
};

// Fails with kUnavailable, naming the first function that is missing.
Result<std::unique_ptr<PrimitiveCalls>> calls_of_major_2(const loading::OpenedLibrary& library);
Result<std::unique_ptr<PrimitiveCalls>> calls_of_major_3(const loading::OpenedLibrary& library);

// These serve both majors.
std::optional<abi::DataType> data_type_of(DType dtype);
int algorithm_of(Algorithm algorithm);  // for all but the element-wise ones
}  // namespace fuselab::onednn
