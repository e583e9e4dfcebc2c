// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/sparse_numbers.h"

#include <map>
#include <memory>

#include "core/import/wire/weight_data.h"
#include "core/tensor/tensor.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// The numbers of a list in the model's file.
Result<RealTensor> listed(const TensorProto& tensor, DType dtype, std::int64_t count) {
  const TensorType type{dtype, {count}};
  FL_TRY_VOID(check_data(tensor, type));
  const auto bytes = bytes_of(tensor, type);
  if (!bytes) return invalid_argument("has values or places that do not lie in the model's file");
  return unpack(type, *bytes);
}

std::int64_t count_of(const TensorProto& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.dims()) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return -1;
  }
  return count;
}

}  // namespace

Result<GeneratedNumbers> dense_numbers(const SparseTensorProto& sparse, const TensorType& type) {
  const auto extents = extents_of(type.shape);
  const std::int64_t count = count_of(sparse.values()), places = count_of(sparse.indices());
  const auto rank = static_cast<std::int64_t>(extents.size());
  const bool by_axis = sparse.indices().dims_size() == 2;
  if (count < 0 || places < 0 || sparse.indices().data_type() != 7 ||
      places / (by_axis ? std::max<std::int64_t>(rank, 1) : 1) != count)
    return invalid_argument("has " + std::to_string(count) + " values and places that do not fit them");
  FL_TRY(const RealTensor values, listed(sparse.values(), type.dtype, count));
  FL_TRY(const RealTensor indices, listed(sparse.indices(), DType::kI64, places));
  FL_TRY(const std::int64_t elements, element_count(type.shape));
  const auto held = std::make_shared<std::map<std::int64_t, double>>();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t place = 0;
    for (std::int64_t axis = 0; axis < (by_axis ? rank : 1); ++axis) {
      const std::int64_t extent = by_axis ? extents[static_cast<std::size_t>(axis)] : elements;
      const double index = indices.data[static_cast<std::size_t>(by_axis ? i * rank + axis : i)];
      if (!(index >= 0) || index >= static_cast<double>(extent)) return invalid_argument("has a place outside of its extents");
      place = place * extent + static_cast<std::int64_t>(index);
    }
    (*held)[place] = values.data[static_cast<std::size_t>(i)];
  }
  const auto number = [held](std::int64_t place) {
    const auto found = held->find(place);
    return found == held->end() ? 0.0 : found->second;
  };
  if (is_floating(type.dtype)) return GeneratedNumbers(type.dtype, extents, GeneratedNumbers::Real(number));
  const GeneratedNumbers::Whole whole = [number](std::int64_t place) { return static_cast<std::int64_t>(number(place)); };
  return GeneratedNumbers(type.dtype, extents, whole);
}

}  // namespace fuselab::onnx
