// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/types/attributes.h"
#include "core/types/tensor_type.h"

// Helpers shared by the inference rules; private to core/ops.
namespace fuselab::ops {

// One operator call to be typed. The number of inputs and the kinds of the attributes have been checked before.
struct Call {
  Op op;
  std::span<const TensorType> inputs;
  const Attributes& attributes;

  const Shape& shape(std::size_t index) const { return inputs[index].shape; }
  DType dtype(std::size_t index = 0) const { return inputs[index].dtype; }
  int rank(std::size_t index = 0) const { return static_cast<int>(inputs[index].shape.size()); }
};

using Types = std::vector<TensorType>;

// Returns an error that reads "Add: 'what' (inputs f32[2,3], f32[4])".
Error failure(const Call& call, std::string_view what);

Status require_floating(const Call& call);
Status require_same_dtype(const Call& call);
// Returns `axis`, given in [-rank, rank), as a non-negative number.
Result<int> normal_axis(const Call& call, std::int64_t axis, int rank);
// Returns a list of distinct axes as one flag per dimension.
Result<std::vector<bool>> axis_flags(const Call& call, const std::vector<std::int64_t>& axes, int rank);
// Returns true when two extents are equal for all bindings: equal numbers or the same symbol.
inline bool same(const Dim& a, const Dim& b) {
  return a == b;
}
// Returns the product of extents, or nothing when it is too large or its formula too long.
std::optional<Dim> product(std::span<const Dim> dims);

}  // namespace fuselab::ops
