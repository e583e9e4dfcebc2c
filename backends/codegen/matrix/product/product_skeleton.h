// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/codegen/forms/contraction_elements.h"
#include "backends/codegen/matrix/product/matrix_product.h"
#include "backends/codegen/rows/epilogue.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Returns the text that says where the right operand comes from.
const char* right_text(const MatrixProduct& product);

// What the skeletons of products leave open: where operands lie, their elements, and what becomes of sums.
class ProductSkeleton {
 public:
  // All references must outlive this. With `splits` > 1 so many blocks share the depth, and a scratch holds their sums. `lanes` are
  // the results that the epilogue makes at a time.
  ProductSkeleton(const Graph& graph, const MatrixProduct& product, std::int64_t splits, int lanes);
  ProductSkeleton(const ProductSkeleton&) = delete;
  ProductSkeleton& operator=(const ProductSkeleton&) = delete;

  // Returns the kernel that calls `entry` of the texts `files`, which find `constants` besides those of every product; with splits,
  // the kernel that adds their sums follows it. The launch's grid, threads and memory are left to the caller.
  Function function(const char* entry, std::vector<std::string> files,
                    const std::vector<std::pair<std::string, std::int64_t>>& constants);

 private:
  std::vector<KernelParameter> fields() const;
  std::int64_t split_bytes() const { return splits_ > 1 ? splits_ * c_.batches() * c_.m * c_.n * 4 : 0; }
  DeviceFunction offset(const char* name, const std::vector<std::int64_t>& strides) const;
  DeviceFunction left_element() const;
  // `name` is the function's: elements of the right operand, or of its twin.
  DeviceFunction right_element(const char* name, const ContractionElements& elements) const;
  DeviceFunction right_part() const;
  DeviceFunction image_element() const;
  DeviceFunction byte_element(DeviceFunction function, int input, const ExprPtr& at) const;
  DeviceFunction zero(const char* name, const char* place, Side side) const;
  DeviceFunction finish() const;
  // False: the product's whole numbers are the result.
  bool has_epilogue() const { return !product_.kernel.epilogue.outputs.empty(); }
  std::string store_of_whole_numbers() const;
  std::string pointer(const char* name, std::optional<int> input) const;
  std::optional<int> memory_of(Side side) const;
  std::string scratch(const char* type, const char* name, bool is_used) const;
  Skeleton skeleton() const;

  const MatrixProduct& product_;
  const Contraction& c_;
  std::int64_t splits_;
  int lanes_;
  Names names_;
  std::vector<KernelParameter> parameters_;
  std::vector<KernelParameter> fields_;  // the same as device functions reach them
  ContractionElements elements_;
  Epilogue epilogue_;
  ContractionKernel twin_;  // the contraction whose right operand is the twin, where there is one
  ContractionElements twin_elements_;
};

}  // namespace fuselab::codegen
