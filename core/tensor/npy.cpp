// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace fuselab {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostAxes = 32;  // as many as NumPy itself has

constexpr std::pair<DType, std::string_view> kDescriptions[] = {{DType::kF64, "<f8"}, {DType::kF32, "<f4"}, {DType::kF16, "<f2"},
                                                                {DType::kI64, "<i8"}, {DType::kI32, "<i4"}, {DType::kI16, "<i2"},
                                                                {DType::kI8, "|i1"},  {DType::kU64, "<u8"}, {DType::kU32, "<u4"},
                                                                {DType::kU16, "<u2"}, {DType::kU8, "|u1"},  {DType::kBool, "|b1"}};

Error not_npy(const std::string& why) {
  return {ErrorCode::kInvalidArgument, "no NumPy array file: " + why};
}

std::uint32_t number_at(std::span<const std::byte> file, std::size_t at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(file[at + i]);
  return value;
}

// Returns what follows 'key': in the header, a Python dictionary whose three keys are fixed.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "':";
  const std::size_t at = header.find(quoted);
  if (at == std::string_view::npos) return std::nullopt;
  header.remove_prefix(at + quoted.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

std::optional<DType> described(std::string_view header) {
  const auto value = value_of(header, "descr");
  if (!value) return std::nullopt;
  for (const auto& [dtype, description] : kDescriptions) {
    if (value->starts_with("'" + std::string(description) + "'")) return dtype;
    // One byte has no order, whichever is written.
    const bool one_byte = description.front() == '|';
    if (one_byte && value->starts_with("'<" + std::string(description.substr(1)) + "'")) return dtype;
  }
  return std::nullopt;
}

Result<Shape> shape_of(std::string_view header) {
  const auto value = value_of(header, "shape");
  if (!value || !value->starts_with('(')) return not_npy("it states no shape");
  Shape shape;
  std::string_view rest = value->substr(1);
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" ,"), rest.size()));
    if (rest.starts_with(')')) return shape;
    std::int64_t extent = -1;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (parsed.ec != std::errc() || extent < 0) return not_npy("its shape is unreadable");
    if (shape.size() == kMostAxes) return not_npy("it has more than 32 axes");
    shape.emplace_back(extent);
    rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.data()));
  }
}

// Returns the array with its first axis changing slowest.
std::vector<std::byte> row_major(const Shape& shape, std::span<const std::byte> bytes, std::size_t width) {
  std::vector<std::byte> turned(bytes.size());
  std::vector<std::int64_t> place(shape.size(), 0);
  std::vector<std::size_t> strides(shape.size(), width);
  for (std::size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * static_cast<std::size_t>(shape[axis].extent());
  for (std::size_t from = 0; from < bytes.size(); from += width) {
    std::size_t to = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) to += strides[axis] * static_cast<std::size_t>(place[axis]);
    std::memcpy(turned.data() + to, bytes.data() + from, width);
    for (std::size_t axis = 0; axis < shape.size() && ++place[axis] == shape[axis].extent(); ++axis) place[axis] = 0;
  }
  return turned;
}

}  // namespace

Result<NpyHeader> read_npy_header(std::span<const std::byte> beginning) {
  const std::string_view text(reinterpret_cast<const char*>(beginning.data()), beginning.size());
  if (!text.starts_with(kMagic) || beginning.size() < 12) return not_npy("it does not begin as one");
  const auto version = std::to_integer<int>(beginning[6]);
  if (version < 1 || version > 3) return not_npy("its version is " + std::to_string(version));
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t length = number_at(beginning, 8, begin - 8);
  if (length > beginning.size() - begin) return not_npy("its header is cut off");
  const std::string_view header = text.substr(begin, length);
  const auto dtype = described(header);
  if (!dtype) return not_npy("its element type is not one of f64, f32, f16, bool and the integers, little-endian");
  const auto order = value_of(header, "fortran_order");
  if (!order || !(order->starts_with("True") || order->starts_with("False"))) return not_npy("it does not state its order");
  FL_TRY(Shape shape, shape_of(header));
  // NumPy refuses this, too: the numbers may begin elsewhere than the header says.
  const std::size_t end = header.rfind('}');
  if (end == std::string_view::npos || header.find_first_not_of(" \t\r\n", end + 1) != std::string_view::npos)
    return not_npy("something stands behind its header");
  NpyHeader read{{*dtype, std::move(shape)}, order->starts_with("True"), begin + length};
  FL_TRY([[maybe_unused]] const Bytes size, size_of(read.type));
  return read;
}

Result<PackedTensor> read_npy(std::span<const std::byte> file) {
  FL_TRY(const NpyHeader header, read_npy_header(file));
  FL_TRY(const Bytes size, size_of(header.type));
  const std::span<const std::byte> data = file.subspan(header.size);
  if (data.size() != static_cast<std::size_t>(size.count)) {
    return not_npy("it has " + std::to_string(data.size()) + " bytes of numbers, and " + type_text(header.type) + " takes " +
                   std::to_string(size.count));
  }
  PackedTensor array{header.type, {}};
  if (header.fortran_order) {
    array.bytes = row_major(array.type.shape, data, static_cast<std::size_t>(bits_of(array.type.dtype) / 8));
  } else {
    array.bytes.assign(data.begin(), data.end());
  }
  return array;
}

Result<std::vector<std::byte>> write_npy(const TensorType& type, std::span<const std::byte> bytes) {
  const auto* const found =
      std::find_if(std::begin(kDescriptions), std::end(kDescriptions), [&](const auto& each) { return each.first == type.dtype; });
  if (found == std::end(kDescriptions))
    return Error{ErrorCode::kUnsupported, "NumPy has no element type " + std::string(name_of(type.dtype))};
  std::string header = "{'descr': '" + std::string(found->second) + "', 'fortran_order': False, 'shape': (";
  for (const Dim& dim : type.shape) header += std::to_string(dim.extent()) + ",";
  header += "), }";
  // The numbers begin at a multiple of 64 bytes, as in numpy.save.
  const std::size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string file(kMagic);
  file += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  std::vector<std::byte> all(file.size() + bytes.size());
  std::memcpy(all.data(), file.data(), file.size());
  if (!bytes.empty()) std::memcpy(all.data() + file.size(), bytes.data(), bytes.size());
  return all;
}

}  // namespace fuselab
