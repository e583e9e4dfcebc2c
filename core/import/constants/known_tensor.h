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
  // Larger ones are weights: their numbers do not matter here.
  static constexpr std::size_t kMaxElements = 64;

  DType dtype = DType::kI64;
  std::vector<std::int64_t> shape;
  std::vector<Dim> integers;  // for integer and bool types
  std::vector<double> reals;  // for floating types

  std::size_t size() const { return is_floating(dtype) ? reals.size() : integers.size(); }
  // The numbers as plain integers; none when one of them is a symbol or a real.
  std::optional<std::vector<std::int64_t>> plain_integers() const;
  // Of a tensor with one number that a double holds exactly; infinities are such numbers, NaN is none.
  std::optional<double> scalar() const;

  static KnownTensor of_shape(const Shape& shape);
};

// ONNX's number of an element type; none for strings, complex numbers and others without a DType.
std::optional<DType> dtype_of_code(std::int64_t code);

// The numbers of a tensor in the file, when it is small, whole and of a type whose numbers matter.
std::optional<KnownTensor> read_known(const TensorProto& tensor);

// What a file's data says of a type: nothing (weights may be left out), or as many numbers as the type has.
Status check_data(const TensorProto& tensor, const TensorType& type);

// An integer as its type keeps it: higher bits fall away, a bool is 0 or 1.
std::int64_t wrapped(DType dtype, std::int64_t number);

// Shape arithmetic: results of operators on known tensors; none when not understood (then it is computed like any other node).
// Gather and Slice along the only axis of `data`.
std::optional<KnownTensor> fold_gather(const KnownTensor& data, const KnownTensor& indices);
std::optional<KnownTensor> fold_concat(const std::vector<const KnownTensor*>& parts);
std::optional<KnownTensor> fold_slice(const KnownTensor& data, std::int64_t start, std::int64_t end, std::int64_t step);
// With numpy broadcasting, logic of bools among them; none when the result is larger than kMaxElements or does not fit its type.
std::optional<KnownTensor> fold_binary(const std::string& op, const KnownTensor& a, const KnownTensor& b);
std::optional<KnownTensor> fold_comparison(const std::string& op, const KnownTensor& a, const KnownTensor& b);
std::optional<KnownTensor> fold_where(const KnownTensor& condition, const KnownTensor& yes, const KnownTensor& no);
// ReduceProd, ReduceSum, ReduceMax or ReduceMin of a vector of integers along its only axis, which stays as one of extent 1 or
// goes.
std::optional<KnownTensor> fold_reduction(const std::string& op, const KnownTensor& data, bool keeps_axis);
std::optional<KnownTensor> fold_unary(const std::string& op, const KnownTensor& a);
std::optional<KnownTensor> fold_cast(const KnownTensor& data, DType to);

}  // namespace fuselab::onnx
