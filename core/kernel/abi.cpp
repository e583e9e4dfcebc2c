// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/abi.h"

#include <charconv>
#include <cstring>

#include "core/kernel/dim_formula_parser.h"

namespace fuselab {
namespace {

struct RoleName {
  BufferRole role;
  std::string_view name;
};

constexpr RoleName kRoleNames[] = {
    {BufferRole::kIn, "in"},
    {BufferRole::kOut, "out"},
    {BufferRole::kInOut, "inout"},
    {BufferRole::kScratch, "scratch"},
    {BufferRole::kProviderOwned, "provider-owned"},
};

constexpr std::int64_t kMostAxes = 5;
constexpr std::int64_t kMapUnit = 16;  // bytes: what strides, the box's rows and the buffer's address are multiples of
constexpr std::int64_t kMostBox = 256;
constexpr std::int64_t kMostExtent = std::int64_t{1} << 32;
constexpr std::int64_t kMostStride = std::int64_t{1} << 40;

bool is_within(std::int64_t value, std::int64_t most) {
  return value >= 1 && value <= most;
}

// Empty where it fits.
std::string why_no_map(const TensorMapArgument& map, std::int64_t buffer_bytes) {
  const auto axes = static_cast<std::int64_t>(map.extents.size());
  if (!is_within(axes, kMostAxes) || map.box.size() != map.extents.size() || map.strides.size() + 1 != map.extents.size())
    return "it has " + std::to_string(axes) + " extents, " + std::to_string(map.strides.size()) + " strides and a box of " +
           std::to_string(map.box.size()) + " axes";
  const std::int64_t element = bits_of(map.element) / 8;
  if (element < 1) return "its elements are " + std::string(name_of(map.element));
  std::int64_t last = 0;  // bytes up to the end of the last element
  for (std::size_t axis = 0; axis < map.extents.size(); ++axis) {
    const std::string which = " of axis " + std::to_string(axis) + " is ";
    if (!is_within(map.extents[axis], kMostExtent)) return "the extent" + which + std::to_string(map.extents[axis]);
    if (!is_within(map.box[axis], kMostBox))
      return "the box" + which + std::to_string(map.box[axis]) + " elements, " + std::to_string(kMostBox) + " are the most";
    if (axis == 0) last = element * map.extents[0];
    if (axis == 0) continue;
    const std::int64_t stride = map.strides[axis - 1];
    if (!is_within(stride, kMostStride - 1) || stride % kMapUnit != 0)
      return "the stride" + which + std::to_string(stride) + " bytes, which is no multiple of " + std::to_string(kMapUnit) +
             " below 2^40";
    if (map.extents[axis] - 1 > (buffer_bytes - last) / stride)
      return "it reaches past the " + std::to_string(buffer_bytes) + " bytes of its buffer";
    last += (map.extents[axis] - 1) * stride;
  }
  if (last > buffer_bytes) return "it reaches past the " + std::to_string(buffer_bytes) + " bytes of its buffer";
  const std::int64_t row = map.box[0] * element;
  if (row % kMapUnit != 0)
    return "a row of its box has " + std::to_string(row) + " bytes, no multiple of " + std::to_string(kMapUnit);
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
    return "its swizzle is " + std::to_string(map.swizzle) + " bytes, not 32, 64 or 128";
  if (map.swizzle != 0 && row > map.swizzle)
    return "a row of its box has " + std::to_string(row) + " bytes, its swizzle is " + std::to_string(map.swizzle);
  return "";
}

template <typename Number>
Result<std::vector<std::byte>> bytes_of_number(const std::string& text) {
  Number number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    return invalid_argument("'" + text + "' is no number of the parameter's type");
  std::vector<std::byte> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

}  // namespace

Status check_tensor_map(const TensorMapArgument& map, std::int64_t buffer_bytes) {
  const std::string why = why_no_map(map, buffer_bytes);
  if (why.empty()) return {};
  return Error{ErrorCode::kUnsupported,
               "the copy engine does not take the map of argument " + std::to_string(map.buffer) + ": " + why};
}

Result<std::vector<std::byte>> number_bytes(const EntryParameter& parameter) {
  const std::string& text = parameter.number;
  switch (parameter.element) {
    case DType::kF64: return bytes_of_number<double>(text);
    case DType::kF32: return bytes_of_number<float>(text);
    case DType::kI64: return bytes_of_number<std::int64_t>(text);
    case DType::kI32: return bytes_of_number<std::int32_t>(text);
    case DType::kI16: return bytes_of_number<std::int16_t>(text);
    case DType::kI8: return bytes_of_number<std::int8_t>(text);
    case DType::kU64: return bytes_of_number<std::uint64_t>(text);
    case DType::kU32: return bytes_of_number<std::uint32_t>(text);
    case DType::kU16: return bytes_of_number<std::uint16_t>(text);
    case DType::kU8:
    case DType::kBool: return bytes_of_number<std::uint8_t>(text);
    default:
      return invalid_argument("a number of type " + std::string(name_of(parameter.element)) + " cannot be passed to a kernel");
  }
}

std::string_view name_of(BufferRole role) {
  for (const RoleName& known : kRoleNames) {
    if (known.role == role) return known.name;
  }
  FL_ASSERT(false);
}

Result<BufferRole> parse_buffer_role(std::string_view name) {
  for (const RoleName& known : kRoleNames) {
    if (known.name == name) return known.role;
  }
  return invalid_argument("unknown buffer role '" + std::string(name) + "'; known: in, out, inout, scratch, provider-owned");
}

Result<std::int64_t> DimFormula::evaluate(const std::map<std::string, std::int64_t>& dims) const {
  auto result = detail::DimFormulaParser(text, dims).parse();
  if (!result.ok()) return std::move(result).error().within("formula '" + text.substr(0, 200) + "'");
  return result;
}

}  // namespace fuselab
