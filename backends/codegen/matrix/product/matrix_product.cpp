// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/product/matrix_product.h"

#include <algorithm>
#include <string>

#include "core/kernel/cuda_features.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;  // elements of a tensor whose indices fit an int with a tile beyond its end

bool are_multiples(const std::vector<std::int64_t>& strides, std::int64_t of) {
  return std::all_of(strides.begin(), strides.end(), [of](std::int64_t stride) { return stride % of == 0; });
}

Fetch fetch_of_left(const ContractionKernel& kernel, std::int64_t part) {
  const Contraction& c = kernel.contraction;
  const bool lies_in_parts = c.left_step == 1 && c.left_row % part == 0 && are_multiples(c.left_strides, part);
  return kernel.computes(Side::kLeft) || !lies_in_parts ? Fetch::kGather : Fetch::kParts;
}

Fetch fetch_of_right(const ContractionKernel& kernel, const MatrixUnit& unit) {
  const Contraction& c = kernel.contraction;
  const std::int64_t part = unit.part();
  const bool lies_in_parts = c.right_stride % part == 0 && are_multiples(c.right_strides, part);
  const bool in_parts = !kernel.computes(Side::kRight) || (kernel.has_right_registers() && kernel.prologue->cols % part == 0);
  if (c.layout == RightLayout::kWindows || !lies_in_parts || !in_parts) return Fetch::kGather;
  if (c.layout == RightLayout::kColumns) return Fetch::kParts;
  const bool mostly_idle = part > 8 && 2 * c.n < unit.fewest_turned_columns;
  return mostly_idle ? Fetch::kGather : Fetch::kTurned;
}

Error refused(std::string why) {
  return {ErrorCode::kUnsupported, std::move(why)};
}

// The product as a contraction whose operands are the bytes in memory.
ContractionKernel contraction_of(ByteProductKernel& bytes) {
  ContractionKernel kernel;
  Contraction& c = kernel.contraction;
  c.m = bytes.product.rows, c.n = bytes.product.columns, c.k = bytes.product.depth;
  c.left = bytes.a.bytes, c.right = bytes.b.bytes;
  c.left_row = c.k, c.right_stride = c.n;
  if (bytes.epilogue) kernel.epilogue = std::move(*bytes.epilogue);
  return kernel;
}

Result<MatrixProduct> product_of_reals(const Graph& graph, const Target& target) {
  MatrixProduct product;
  if (joins_products(graph)) {
    FL_TRY(JoinedProduct joined, make_joined_product(graph));
    product.kernel = std::move(joined.kernel);
    product.twin = joined.twin;
    product.norm = joined.norm;
  } else {
    FL_TRY(product.kernel, make_contraction(graph));
  }
  const Contraction& c = product.kernel.contraction;
  const auto type_of = [&](std::size_t operand) { return graph.type(c.node->inputs[operand]).dtype; };
  product.unit = find_matrix_unit(type_of(0), target);
  if (product.unit == nullptr || type_of(1) != type_of(0)) {
    return refused("no matrix unit multiplies " + std::string(name_of(type_of(0))) + " with " + std::string(name_of(type_of(1))));
  }
  if (c.compute != DType::kF32)
    return refused("matrix units leave sums in f32, and the kernel needs " + std::string(name_of(c.compute)));
  return product;
}

Result<MatrixProduct> product_of_bytes(const Graph& graph, const Target& target) {
  FL_TRY(ByteProductKernel bytes, make_byte_product(graph));
  MatrixProduct product;
  product.unit = find_matrix_unit(DType::kI8, target);
  if (product.unit == nullptr) return refused("no matrix unit multiplies i8 with i8");
  product.kernel = contraction_of(bytes);
  product.bytes = std::move(bytes);
  return product;
}

}  // namespace

bool MatrixProduct::has_offsets() const {
  if (!bytes) return false;
  const IntegerProduct& of = bytes->product;
  return of.a.dtype == DType::kU8 || of.b.dtype == DType::kU8 || of.a.has_zero() || of.b.has_zero();
}

Result<MatrixProduct> make_matrix_product(const Graph& graph, const Target& target, std::int64_t fewest_steps) {
  if (target.arch != "hip" && !cuda_features(target).warp_products)
    return refused("matrix units need compute capability 8.0 or later");
  Result<MatrixProduct> made = product_of_bytes(graph, target);
  if (!made.ok()) made = product_of_reals(graph, target);
  if (!made.ok()) return made;
  MatrixProduct& product = made.value();
  if (product.unit->is_amds() && product.is_joined()) return refused("AMD's units take no two products, and no norm, together");
  const Contraction& c = product.kernel.contraction;
  if (c.m * c.n * c.batches() == 0 || c.k < fewest_steps) return refused("too few steps of depth for a matrix unit");
  for (const Value& value : graph.values()) {
    if (element_count(value.type.shape).value() >= kMost) return refused("a tensor has more elements than an int counts");
  }
  product.left = fetch_of_left(product.kernel, product.unit->part());
  product.right = fetch_of_right(product.kernel, *product.unit);
  product.right_computed = product.kernel.computes(Side::kRight) && product.right != Fetch::kGather;
  product.left_across = c.left_step != 1;
  product.right_across = c.layout != RightLayout::kColumns;
  product.lanes = product.unit->columns_together();
  while (c.n % product.lanes != 0) product.lanes /= 2;
  return made;
}

MatrixProduct matrix_product_of(const Graph& graph, const Target& target) {
  Result<MatrixProduct> made = make_matrix_product(graph, target);
  FL_ASSERT(made.ok());
  return std::move(made.value());
}

}  // namespace fuselab::codegen
