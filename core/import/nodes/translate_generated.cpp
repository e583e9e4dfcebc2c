// SPDX-License-Identifier: Apache-2.0
// Operators whose result is known while importing: its numbers when they are few, else how they are made.
#include <algorithm>

#include "core/import/constants/known_generate.h"
#include "core/import/nodes/composed_operators.h"
#include "core/ops/infer.h"

namespace fuselab::onnx {

Result<Translated> constant_data(GeneratedNumbers numbers) {
  TensorType type = numbers.type();
  if (type.shape.size() > kMaxRank) return invalid_argument("makes more than 8 dimensions");
  FL_TRY([[maybe_unused]] const Bytes size, size_of(type));
  Translated translated;
  translated.known = numbers.known();
  if (translated.known) return translated;
  translated.param = std::move(type);
  translated.generated = std::make_shared<const GeneratedNumbers>(std::move(numbers));
  return translated;
}

namespace {

Translated unknown_type() {
  return Translated::opaque("its element type is not known");
}

}  // namespace

Result<Translated> translate_range(NodeImport& node) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (node.known(i) == nullptr) return Translated::opaque("its bounds are computed");
  }
  const bool computes_in_f32 = node.integer("stash_type", 1) == 1 || bits_of(node.type(0).dtype) != 16;
  if (!computes_in_f32) return Translated::opaque("it does not count in f32");
  auto range = generate_range(*node.known(0), *node.known(1), *node.known(2));
  if (!range) return Translated::opaque("how many numbers it makes is not known");
  if (range->numbers) return constant_data(*std::move(range->numbers));
  Translated positions;
  positions.param = TensorType{node.type(0).dtype, {range->extent}};
  return positions;
}

Result<Translated> translate_eye_like(NodeImport& node) {
  const TensorType& type = node.type(0);
  if (type.shape.size() != 2) return invalid_argument("needs a matrix, got " + type_text(type));
  const auto dtype = node.attribute("dtype") != nullptr ? dtype_of_code(node.integer("dtype", 0)) : type.dtype;
  if (!dtype) return unknown_type();
  if (is_concrete(type.shape))
    return constant_data(generate_eye(*dtype, type.shape[0].extent(), type.shape[1].extent(), node.integer("k", 0)));
  Translated ones;
  ones.param = TensorType{*dtype, type.shape};
  return ones;
}

Result<Translated> translate_signal_window(NodeImport& node) {
  const auto size = node.integers(0);
  if (!size || size->size() != 1) return Translated::opaque("its size is computed");
  if (size->front() < 0) return invalid_argument("makes the extent " + std::to_string(size->front()));
  const auto dtype = dtype_of_code(node.integer("output_datatype", 1));
  if (!dtype) return unknown_type();
  return constant_data(generate_signal_window(node.op(), *dtype, size->front(), node.integer("periodic", 1) != 0));
}

Result<Translated> translate_size(NodeImport& node) {
  const Shape& shape = node.type(0).shape;
  if (is_concrete(shape)) {
    FL_TRY([[maybe_unused]] const std::int64_t count, element_count(shape));
  }
  std::optional<Dim> size = Dim(1);
  for (const Dim& extent : shape) size = size ? product(*size, extent) : size;
  if (!size) {
    Translated translated = Translated::opaque("the product of its extents is too large");
    translated.result = TensorType{DType::kI64, {}};
    return translated;
  }
  Translated translated;
  translated.known = KnownTensor{DType::kI64, {}, {*size}, {}};
  return translated;
}

}  // namespace fuselab::onnx
