// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/tensor.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/tensor/small_float.h"

namespace fuselab {
namespace {

struct IntegerRange {
  double least;
  double most;
};

IntegerRange range_of(DType dtype) {
  switch (dtype) {
    case DType::kI32: return {-0x1p31, 0x1p31 - 1};
    case DType::kI16: return {-0x1p15, 0x1p15 - 1};
    case DType::kI8: return {-128, 127};
    case DType::kU64: return {0, 0x1p64};
    case DType::kU32: return {0, 0x1p32 - 1};
    case DType::kU16: return {0, 0x1p16 - 1};
    case DType::kU8: return {0, 255};
    case DType::kI4: return {-8, 7};
    case DType::kU4: return {0, 15};
    default: return {-0x1p63, 0x1p63};
  }
}

// Rounded to the nearest even integer and saturated; NaN becomes 0.
double whole_of(DType dtype, double value) {
  if (std::isnan(value)) return 0;
  if (dtype == DType::kBool) return value != 0 ? 1 : 0;
  const IntegerRange range = range_of(dtype);
  return std::min(std::max(std::nearbyint(value), range.least), range.most);
}

// The ends of the 64-bit types lie one beyond what they hold.
std::int64_t integer_of(DType dtype, double value) {
  const double whole = whole_of(dtype, value);
  return whole >= 0x1p63 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(whole);
}

std::uint64_t unsigned_of(double value) {
  const double whole = whole_of(DType::kU64, value);
  return whole >= 0x1p64 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(whole);
}

template <typename T>
void store(std::byte* bytes, std::size_t index, T value) {
  std::memcpy(bytes + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
T load(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

void store_nibble(std::byte* bytes, std::size_t index, std::uint64_t value) {
  const auto nibble = static_cast<std::byte>(value & 15);
  bytes[index / 2] |= index % 2 == 0 ? nibble : nibble << 4;
}

std::int64_t load_nibble(const std::byte* bytes, std::size_t index, bool is_signed) {
  const auto value = std::to_integer<std::int64_t>(bytes[index / 2] >> (index % 2 == 0 ? 0 : 4) & std::byte{15});
  return is_signed && value > 7 ? value - 16 : value;
}

void store_element(DType dtype, std::byte* bytes, std::size_t i, double value) {
  switch (dtype) {
    case DType::kF64: return store(bytes, i, value);
    case DType::kF32: return store(bytes, i, static_cast<float>(value));
    case DType::kF16:
    case DType::kBF16: return store(bytes, i, static_cast<std::uint16_t>(detail::small_float_of(dtype).encode(value)));
    case DType::kF8E4M3:
    case DType::kF8E5M2: return store(bytes, i, static_cast<std::uint8_t>(detail::small_float_of(dtype).encode(value)));
    case DType::kI64: return store(bytes, i, integer_of(dtype, value));
    case DType::kU64: return store(bytes, i, unsigned_of(value));
    case DType::kI32:
    case DType::kU32: return store(bytes, i, static_cast<std::uint32_t>(integer_of(dtype, value)));
    case DType::kI16:
    case DType::kU16: return store(bytes, i, static_cast<std::uint16_t>(integer_of(dtype, value)));
    case DType::kI8:
    case DType::kU8:
    case DType::kBool: return store(bytes, i, static_cast<std::uint8_t>(integer_of(dtype, value)));
    case DType::kI4:
    case DType::kU4: return store_nibble(bytes, i, static_cast<std::uint64_t>(integer_of(dtype, value)));
  }
}

double load_element(DType dtype, const std::byte* bytes, std::size_t i) {
  switch (dtype) {
    case DType::kF64: return load<double>(bytes, i);
    case DType::kF32: return static_cast<double>(load<float>(bytes, i));
    case DType::kF16:
    case DType::kBF16: return detail::small_float_of(dtype).decode(load<std::uint16_t>(bytes, i));
    case DType::kF8E4M3:
    case DType::kF8E5M2: return detail::small_float_of(dtype).decode(load<std::uint8_t>(bytes, i));
    case DType::kI64: return static_cast<double>(load<std::int64_t>(bytes, i));
    case DType::kI32: return load<std::int32_t>(bytes, i);
    case DType::kI16: return load<std::int16_t>(bytes, i);
    case DType::kU64: return static_cast<double>(load<std::uint64_t>(bytes, i));
    case DType::kU32: return load<std::uint32_t>(bytes, i);
    case DType::kU16: return load<std::uint16_t>(bytes, i);
    case DType::kI8: return load<std::int8_t>(bytes, i);
    case DType::kU8: return load<std::uint8_t>(bytes, i);
    case DType::kBool: return load<std::uint8_t>(bytes, i) != 0 ? 1 : 0;
    case DType::kI4: return static_cast<double>(load_nibble(bytes, i, true));
    case DType::kU4: return static_cast<double>(load_nibble(bytes, i, false));
  }
  FL_ASSERT(false);
}

}  // namespace

std::string position_text(const Shape& shape, std::int64_t flat) {
  std::vector<std::int64_t> coordinates(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    coordinates[i] = flat % shape[i].extent();
    flat /= shape[i].extent();
  }
  std::string text = "[";
  for (const std::int64_t each : coordinates) text += (text.size() > 1 ? "," : "") + std::to_string(each);
  return text + "]";
}

std::vector<std::byte> pack(const RealTensor& tensor) {
  const DType dtype = tensor.type.dtype;
  const auto size = packed_size(dtype, static_cast<std::int64_t>(tensor.data.size()));
  std::vector<std::byte> bytes(static_cast<std::size_t>(size.count));
  for (std::size_t i = 0; i < tensor.data.size(); ++i) store_element(dtype, bytes.data(), i, tensor.data[i]);
  return bytes;
}

Result<RealTensor> unpack(const TensorType& type, std::span<const std::byte> bytes) {
  FL_TRY(Bytes size, size_of(type));
  FL_TRY(std::int64_t count, element_count(type.shape));
  if (static_cast<std::size_t>(size.count) != bytes.size()) {
    return Error{ErrorCode::kCorrupt, "tensor " + type_text(type) + " takes " + std::to_string(size.count) + " bytes, got " +
                                          std::to_string(bytes.size())};
  }
  RealTensor tensor{type, std::vector<double>(static_cast<std::size_t>(count))};
  for (std::size_t i = 0; i < tensor.data.size(); ++i) tensor.data[i] = load_element(type.dtype, bytes.data(), i);
  return tensor;
}

void round_to_dtype(RealTensor& tensor) {
  const DType dtype = tensor.type.dtype;
  if (dtype == DType::kF64) return;
  for (double& value : tensor.data) {
    if (dtype == DType::kF32) {
      value = static_cast<double>(static_cast<float>(value));
    } else if (detail::is_small_float(dtype)) {
      const detail::SmallFloat& format = detail::small_float_of(dtype);
      value = format.decode(format.encode(value));
    } else {
      value = whole_of(dtype, value);
    }
  }
}

}  // namespace fuselab
