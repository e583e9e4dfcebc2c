// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/stablehlo/hlo_builder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

namespace fuselab::xla {
namespace {

// MLIR takes the bits of a floating-point number in hexadecimal, which loses nothing.
std::string bits_text(double number, DType dtype) {
  if (dtype == DType::kBool) return number != 0 ? "true" : "false";
  if (dtype != DType::kF32) return std::to_string(static_cast<long long>(number));
  char text[16];
  std::snprintf(text, sizeof text, "0x%08X", std::bit_cast<std::uint32_t>(static_cast<float>(number)));
  return text;
}

std::string types_of(std::span<const HloValue> values) {
  std::string text;
  for (const HloValue& value : values) text += (text.empty() ? "" : ", ") + hlo_type(value);
  return text;
}

}  // namespace

std::string hlo_type(DType dtype, std::span<const std::int64_t> extents) {
  std::string text = "tensor<";
  for (const std::int64_t extent : extents) text += std::to_string(extent) + "x";
  return text + (dtype == DType::kBool ? "i1" : std::string(name_of(dtype))) + ">";
}

std::string hlo_type(const HloValue& value) {
  return hlo_type(value.dtype, value.extents);
}

std::string number_list(std::span<const std::int64_t> numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

std::string number_array(std::span<const std::int64_t> numbers) {
  const std::string list = number_list(numbers);
  return "array<i64: " + list.substr(1, list.size() - 2) + ">";
}

Extents broadcast_extents(const Extents& a, const Extents& b) {
  Extents result = a.size() >= b.size() ? a : b;
  const Extents& shorter = a.size() >= b.size() ? b : a;
  const std::size_t ahead = result.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    if (result[ahead + i] == 1) result[ahead + i] = shorter[i];
  }
  return result;
}

HloValue HloBuilder::append(const std::string& text, const std::string& type, DType dtype, Extents extents) {
  HloValue value{"%" + std::to_string(last_++), dtype, std::move(extents)};
  body_ += "    " + value.name + " = " + text + " : " + type + "\n";
  return value;
}

HloValue HloBuilder::append(const std::string& text, std::span<const HloValue> operands, DType dtype, Extents extents) {
  const std::string type = "(" + types_of(operands) + ") -> " + hlo_type(dtype, extents);
  return append(text, type, dtype, std::move(extents));
}

HloValue HloBuilder::constant(double number, DType dtype, Extents extents) {
  const std::string type = hlo_type(dtype, extents);
  return append("stablehlo.constant dense<" + bits_text(number, dtype) + ">", type, dtype, std::move(extents));
}

HloValue HloBuilder::unary(std::string_view operation, const HloValue& x) {
  // CHLO's functions state both types, StableHLO's one.
  if (operation.starts_with("chlo.")) {
    return append(std::string(operation) + " " + x.name, hlo_type(x) + " -> " + hlo_type(x), x.dtype, x.extents);
  }
  return append("stablehlo." + std::string(operation) + " " + x.name, hlo_type(x), x.dtype, x.extents);
}

HloValue HloBuilder::binary(std::string_view operation, const HloValue& a, const HloValue& b) {
  return append("stablehlo." + std::string(operation) + " " + a.name + ", " + b.name, hlo_type(a), a.dtype, a.extents);
}

HloValue HloBuilder::compare(std::string_view direction, const HloValue& a, const HloValue& b) {
  const char* const kind = is_floating(a.dtype) ? "FLOAT" : a.dtype == DType::kBool ? "UNSIGNED" : "SIGNED";
  return append("stablehlo.compare " + std::string(direction) + ", " + a.name + ", " + b.name + ", " + kind, std::array{a, b},
                DType::kBool, a.extents);
}

HloValue HloBuilder::select(const HloValue& condition, const HloValue& yes, const HloValue& no) {
  return append("stablehlo.select " + condition.name + ", " + yes.name + ", " + no.name, hlo_type(condition) + ", " + hlo_type(yes),
                yes.dtype, yes.extents);
}

HloValue HloBuilder::convert(const HloValue& x, DType to) {
  if (x.dtype == to) return x;
  return append("stablehlo.convert " + x.name, {&x, 1}, to, x.extents);
}

HloValue HloBuilder::reshape(const HloValue& x, Extents extents) {
  if (x.extents == extents) return x;
  return append("stablehlo.reshape " + x.name, {&x, 1}, x.dtype, std::move(extents));
}

HloValue HloBuilder::transpose(const HloValue& x, const Extents& order) {
  Extents extents;
  for (const std::int64_t axis : order) extents.push_back(x.extents[static_cast<std::size_t>(axis)]);
  return append("stablehlo.transpose " + x.name + ", dims = " + number_list(order), {&x, 1}, x.dtype, std::move(extents));
}

HloValue HloBuilder::broadcast_in(const HloValue& x, const Extents& extents, const Extents& places) {
  return append("stablehlo.broadcast_in_dim " + x.name + ", dims = " + number_list(places), {&x, 1}, x.dtype, extents);
}

HloValue HloBuilder::broadcast(const HloValue& x, const Extents& extents) {
  if (x.extents == extents) return x;
  Extents places;
  const std::int64_t ahead = static_cast<std::int64_t>(extents.size()) - x.rank();
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) places.push_back(ahead + axis);
  return broadcast_in(x, extents, places);
}

HloValue HloBuilder::reduce(std::string_view operation, const HloValue& x, const Extents& axes, double start) {
  if (axes.empty()) return x;
  Extents extents;
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) extents.push_back(x.extents[static_cast<std::size_t>(axis)]);
  }
  const HloValue init = constant(start, x.dtype);
  return append("stablehlo.reduce(" + x.name + " init: " + init.name + ") applies stablehlo." + std::string(operation) +
                    " across dimensions = " + number_list(axes),
                std::array{x, init}, x.dtype, std::move(extents));
}

HloValue HloBuilder::iota(DType dtype, const Extents& extents, std::int64_t axis) {
  return append("stablehlo.iota dim = " + std::to_string(axis), hlo_type(dtype, extents), dtype, extents);
}

HloValue HloBuilder::slice(const HloValue& x, const Extents& starts, const Extents& limits, const Extents& steps) {
  Extents extents;
  std::string ranges;
  for (std::size_t axis = 0; axis < starts.size(); ++axis) {
    extents.push_back((limits[axis] - starts[axis] + steps[axis] - 1) / steps[axis]);
    ranges += (axis > 0 ? ", " : "") + std::to_string(starts[axis]) + ":" + std::to_string(limits[axis]);
    if (steps[axis] != 1) ranges += ":" + std::to_string(steps[axis]);
  }
  return append("stablehlo.slice " + x.name + " [" + ranges + "]", {&x, 1}, x.dtype, std::move(extents));
}

HloValue HloBuilder::concatenate(std::span<const HloValue> parts, std::int64_t axis) {
  Extents extents = parts.front().extents;
  extents[static_cast<std::size_t>(axis)] = 0;
  std::string names;
  for (const HloValue& part : parts) {
    extents[static_cast<std::size_t>(axis)] += part.extents[static_cast<std::size_t>(axis)];
    names += (names.empty() ? "" : ", ") + part.name;
  }
  return append("stablehlo.concatenate " + names + ", dim = " + std::to_string(axis), parts, parts.front().dtype,
                std::move(extents));
}

HloValue HloBuilder::spread(std::string_view operation, const HloValue& a, const HloValue& b) {
  const Extents extents = broadcast_extents(a.extents, b.extents);
  return binary(operation, broadcast(a, extents), broadcast(b, extents));
}

HloValue HloBuilder::with(std::string_view operation, const HloValue& x, double number) {
  return binary(operation, x, constant(number, x.dtype, x.extents));
}

}  // namespace fuselab::xla
