// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/import/nodes/translate.h"

namespace fuselab::onnx {
namespace {

Result<Translated> data_of_type(DType dtype, const std::vector<std::int64_t>& extents) {
  constexpr std::size_t kMaxRank = 8;
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

KnownTensor vector_of_reals(const AttributeProto& attribute) {
  KnownTensor known;
  known.dtype = DType::kF32;
  known.reals.assign(attribute.floats().begin(), attribute.floats().end());
  known.shape = {static_cast<std::int64_t>(known.reals.size())};
  return known;
}

KnownTensor vector_of_integers(const AttributeProto& attribute) {
  KnownTensor known;
  for (std::int64_t number : attribute.ints()) known.integers.emplace_back(number);
  known.shape = {static_cast<std::int64_t>(known.integers.size())};
  return known;
}

// A small tensor of one number everywhere.
std::optional<KnownTensor> filled_with(const std::optional<KnownTensor>& number, const TensorType& type) {
  const auto count = element_count(type.shape);
  if (!number || number->size() != 1 || !count.ok() || count.value() > static_cast<std::int64_t>(KnownTensor::kMaxElements)) {
    return std::nullopt;
  }
  KnownTensor filled = *number;
  filled.shape = extents_of(type.shape);
  const auto size = static_cast<std::size_t>(count.value());
  if (is_floating(filled.dtype)) filled.reals.assign(size, number->reals.front());
  if (!is_floating(filled.dtype)) filled.integers.assign(size, number->integers.front());
  return filled;
}

}  // namespace

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
  } else if (const auto* integer = node.attribute("value_int")) {
    translated.known = KnownTensor{DType::kI64, {}, {Dim(integer->i())}, {}};
  } else if (const auto* reals = node.attribute("value_floats")) {
    translated.known = vector_of_reals(*reals);
  } else if (const auto* integers = node.attribute("value_ints")) {
    translated.known = vector_of_integers(*integers);
  } else {
    return Translated::opaque("its value is of a kind that is not known");
  }
  if (translated.known->size() > KnownTensor::kMaxElements) {
    return data_of_type(translated.known->dtype, std::vector<std::int64_t>(translated.known->shape));
  }
  return translated;
}

// Tensors of one number or of random ones: weights without a file of their own.
Result<Translated> translate_filled(NodeImport& node) {
  if (node.op() == "ConstantOfShape") {
    const auto extents = node.integers(0);
    if (!extents) return Translated::opaque("its shape is computed");
    const auto* value = node.attribute("value");
    if (value != nullptr && value->t().dims_size() > 0 && (value->t().dims_size() != 1 || value->t().dims(0) != 1)) {
      return invalid_argument("its value must be one number");
    }
    const auto dtype = value != nullptr ? dtype_of_code(value->t().data_type()) : DType::kF32;
    if (!dtype) return Translated::opaque("its element type is not known");
    FL_TRY(Translated data, data_of_type(*dtype, *extents));
    data.known = filled_with(value != nullptr ? read_known(value->t()) : KnownTensor{DType::kF32, {}, {}, {0.0}}, *data.param);
    if (data.known) data.param.reset();
    return data;
  }
  const auto dtype = dtype_of_code(node.integer("dtype", 1));
  if (!dtype) return Translated::opaque("its element type is not known");
  return data_of_type(*dtype, node.integer_list("shape").value_or(std::vector<std::int64_t>{}));
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

}  // namespace fuselab::onnx
