// SPDX-License-Identifier: Apache-2.0
// Operators whose result the file gives or its shapes say: numbers when they are few, else how they are made.
#include <algorithm>

#include "core/import/compositions/composition.h"
#include "core/import/constants/known_generate.h"
#include "core/import/nodes/operators.h"
#include "core/ops/infer.h"

namespace fuselab::onnx {
namespace {

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

Translated unknown_type() {
  return Translated::opaque("its element type is not known");
}

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

Result<Translated> data_of_type(DType dtype, const std::vector<std::int64_t>& extents) {
  if (extents.size() > kMaxRank) return invalid_argument("makes more than 8 dimensions");
  TensorType type{dtype, {}};
  for (std::int64_t extent : extents) {
    if (extent < 0) return invalid_argument("makes the extent " + std::to_string(extent));
    type.shape.emplace_back(extent);
  }
  FL_TRY([[maybe_unused]] const Bytes size, size_of(type));
  Translated translated;
  translated.param = std::move(type);
  return translated;
}

Result<Translated> translate_constant(NodeImport& node) {
  Translated translated;
  if (const auto* value = node.attribute("value")) {
    translated.known = read_known(value->t());
    if (translated.known) return translated;
    const auto dtype = dtype_of_code(value->t().data_type());
    if (!dtype) return Translated::opaque("its element type is not known");
    FL_TRY(Translated data, data_of_type(*dtype, {value->t().dims().begin(), value->t().dims().end()}));
    FL_TRY_VOID(check_data(value->t(), *data.param));
    data.data = &value->t();
    if (is_external(value->t())) {
      FL_TRY(data.known, node.files().read(value->t(), *data.param));
      if (data.known) data.param.reset();
    }
    return data;
  }
  if (const auto* value = node.attribute("value_float")) {
    translated.known = KnownTensor{DType::kF32, {}, {}, {value->f()}};
    return translated;
  }
  if (const auto* value = node.attribute("value_int")) {
    translated.known = KnownTensor{DType::kI64, {}, {Dim(value->i())}, {}};
    return translated;
  }
  if (const auto* reals = node.attribute("value_floats")) {
    const std::vector<double> all(reals->floats().begin(), reals->floats().end());
    const GeneratedNumbers::Real number = [all](std::int64_t place) { return all[static_cast<std::size_t>(place)]; };
    return constant_data(GeneratedNumbers(DType::kF32, {static_cast<std::int64_t>(all.size())}, number));
  }
  if (const auto* integers = node.attribute("value_ints")) {
    const std::vector<std::int64_t> all(integers->ints().begin(), integers->ints().end());
    const GeneratedNumbers::Whole number = [all](std::int64_t place) { return all[static_cast<std::size_t>(place)]; };
    return constant_data(GeneratedNumbers(DType::kI64, {static_cast<std::int64_t>(all.size())}, number));
  }
  return Translated::opaque("its value is of a kind that is not known");
}

// A small tensor of one number is known; a larger one is that number, broadcast, so that nothing of its size lies in memory before
// something runs.
Result<Translated> translate_constant_of_shape(NodeImport& node) {
  const auto extents = node.integers(0);
  if (!extents) return Translated::opaque("its shape is computed");
  KnownTensor number{DType::kF32, {1}, {}, {0.0}};
  if (const auto* value = node.attribute("value")) {
    if (value->t().dims_size() > 1 || (value->t().dims_size() == 1 && value->t().dims(0) != 1))
      return invalid_argument("its value must be one number");
    const auto dtype = dtype_of_code(value->t().data_type());
    auto known = read_known(value->t());
    if (!dtype || !known) return Translated::opaque("its value is of a type that is not known, or lies in another file");
    number = *std::move(known);
  }
  FL_TRY(const Translated data, data_of_type(number.dtype, *extents));
  FL_TRY(const std::int64_t count, element_count(data.param->shape));
  const auto scalar = number.scalar();
  const bool is_small = count <= static_cast<std::int64_t>(KnownTensor::kMaxElements);
  if (scalar && !is_small) {
    Composition graph(node, *data.param);
    return graph.finish(graph.apply(Op::kExpand, {graph.number(*scalar, number.dtype)}, {{"shape", *extents}}));
  }
  // What a Constant's double does not hold: NaN, and integers beyond 2^53.
  if (is_floating(number.dtype)) {
    const GeneratedNumbers::Real same = [real = number.reals.front()](std::int64_t) { return real; };
    return constant_data(GeneratedNumbers(number.dtype, *extents, same));
  }
  const GeneratedNumbers::Whole same = [whole = number.integers.front().extent()](std::int64_t) { return whole; };
  return constant_data(GeneratedNumbers(number.dtype, *extents, same));
}

// Random numbers are weights without a file of their own.
Result<Translated> translate_random(NodeImport& node) {
  const auto dtype = dtype_of_code(node.integer("dtype", 1));
  if (!dtype) return Translated::opaque("its element type is not known");
  FL_TRY(Translated data, data_of_type(*dtype, node.integer_list("shape").value_or(std::vector<std::int64_t>{})));
  data.is_random = true;
  return data;
}

Result<Translated> translate_shape(NodeImport& node) {
  const Shape& shape = node.type(0).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t index = node.integer(name, otherwise);
    return std::clamp<std::int64_t>(index < 0 ? index + rank : index, 0, rank);
  };
  const auto first = place("start", 0);
  const auto last = std::max(first, place("end", rank));
  Translated translated;
  translated.known = KnownTensor::of_shape(Shape(shape.begin() + first, shape.begin() + last));
  return translated;
}

}  // namespace

Rows leaf_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Constant", translate_constant,
       "sparse_value:p@11- value:t value_float:f@12- value_floats:F@12- value_int:i@12- value_ints:I@12- "
       "value_string:s@12- value_strings:S@12-"},
      {"ConstantOfShape", translate_constant_of_shape, "value:t", Operands::at_least(1)},
      {"RandomNormal", translate_random, "dtype:i mean:f scale:f seed:f shape:I"},
      {"RandomUniform", translate_random, "dtype:i high:f low:f seed:f shape:I"},
      {"Shape", translate_shape, "end:i@15- start:i@15-", Operands::at_least(1)},
      {"Size", translate_size, "", Operands::exactly(1)},
      {"Range", translate_range, "stash_type:i@27-", Operands::exactly(3)},
      {"EyeLike", translate_eye_like, "dtype:i k:i", Operands::exactly(1)},
      {"HannWindow", translate_signal_window, "output_datatype:i periodic:i", Operands::exactly(1)},
      {"HammingWindow", translate_signal_window, "output_datatype:i periodic:i", Operands::exactly(1)},
      {"BlackmanWindow", translate_signal_window, "output_datatype:i periodic:i", Operands::exactly(1)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
