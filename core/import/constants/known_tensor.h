// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab::onnx {

class TensorProto;

// A small tensor whose numbers are known while importing: shapes, axes, scalars. Integers may be symbols, as the shape
// of a symbolic tensor is.
struct KnownTensor {
  // Larger tensors are weights, whose numbers do not matter for importing.
  static constexpr std::size_t kMaxElements = 64;

  DType dtype = DType::kI64;
  std::vector<std::int64_t> shape;
  std::vector<Dim> integers;  // for integer and bool types
  std::vector<double> reals;  // for floating types

  std::size_t size() const { return is_floating(dtype) ? reals.size() : integers.size(); }
  // Returns the numbers as plain integers; nothing when one of them is a symbol or a real.
  std::optional<std::vector<std::int64_t>> plain_integers() const;
  // Returns the number of a tensor with one number that a double holds exactly, infinities included; nothing for NaN.
  std::optional<double> scalar() const;

  static KnownTensor of_shape(const Shape& shape);
};

// Returns the type for ONNX's number of an element type; nothing for strings, complex numbers and others without a DType.
std::optional<DType> dtype_of_code(std::int64_t code);

// Returns the numbers of a tensor in the file, when it is small, complete and of a type whose numbers matter.
std::optional<KnownTensor> read_known(const TensorProto& tensor);

// Checks that a file's data matches a type: it is either absent (weights may be left out) or has as many numbers as the type.
Status check_data(const TensorProto& tensor, const TensorType& type);

// Returns an integer as its type stores it: higher bits are dropped, a bool is 0 or 1.
std::int64_t wrapped(DType dtype, std::int64_t number);

// Shape arithmetic: results of operators on known tensors. Each returns nothing when it does not apply; the node is then computed
// like any other.
// Folds Gather along the only axis of `data`.
std::optional<KnownTensor> fold_gather(const KnownTensor& data, const KnownTensor& indices);
std::optional<KnownTensor> fold_concat(const std::vector<const KnownTensor*>& parts);
// These fold whole numbers alone. Slice is along the first axis; of a target shape one extent may be -1, and a 0 keeps the input's
// own.
std::optional<KnownTensor> fold_reshape(const KnownTensor& data, const std::vector<std::int64_t>& shape);
std::optional<KnownTensor> fold_transpose(const KnownTensor& matrix);
std::optional<KnownTensor> fold_slice(const KnownTensor& data, std::int64_t start, std::int64_t end, std::int64_t step);
// Folds with numpy broadcasting, including logic on bools; returns nothing when the result is larger than kMaxElements or does not
// fit its type.
std::optional<KnownTensor> fold_binary(const std::string& op, const KnownTensor& a, const KnownTensor& b);
std::optional<KnownTensor> fold_comparison(const std::string& op, const KnownTensor& a, const KnownTensor& b);
std::optional<KnownTensor> fold_where(const KnownTensor& condition, const KnownTensor& yes, const KnownTensor& no);
// Folds ReduceProd, ReduceSum, ReduceMax or ReduceMin of a vector of integers along its only axis, which becomes an axis of extent
// 1 or is removed.
std::optional<KnownTensor> fold_reduction(const std::string& op, const KnownTensor& data, bool keeps_axis);
std::optional<KnownTensor> fold_unary(const std::string& op, const KnownTensor& a);
std::optional<KnownTensor> fold_cast(const KnownTensor& data, DType to);

}  // namespace fuselab::onnx
