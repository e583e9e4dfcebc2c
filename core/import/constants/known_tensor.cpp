// SPDX-License-Identifier: Apache-2.0
#include "core/import/constants/known_tensor.h"

#include <cmath>
#include <cstring>

#include "core/ops/op_attributes.h"
#include "core/tensor/small_float.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// Little-endian numbers of one type.
template <typename T>
std::vector<T> numbers_of(const std::string& raw) {
  std::vector<T> numbers(raw.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), raw.data(), numbers.size() * sizeof(T));
  return numbers;
}

template <typename T>
void append_integers(KnownTensor& known, const T& numbers) {
  for (const auto number : numbers) known.integers.emplace_back(static_cast<std::int64_t>(number));
}

template <typename T>
void append_reals(KnownTensor& known, const T& numbers) {
  for (const auto number : numbers) known.reals.push_back(static_cast<double>(number));
}

void read_small_floats(const TensorProto& tensor, KnownTensor& known) {
  const detail::SmallFloat& format = detail::small_float_of(known.dtype);
  const auto read = [&](std::uint32_t bits) { known.reals.push_back(format.decode(bits)); };
  if (format.bits() == 8) {
    for (auto bits : numbers_of<std::uint8_t>(tensor.raw_data())) read(bits);
    for (auto bits : tensor.int32_data()) read(static_cast<std::uint8_t>(bits));
  } else {
    for (auto bits : numbers_of<std::uint16_t>(tensor.raw_data())) read(bits);
    for (auto bits : tensor.int32_data()) read(static_cast<std::uint16_t>(bits));
  }
}

// Two numbers of four bits to a byte, the lower half first: of an odd count one too many.
void read_halves_of_bytes(const TensorProto& tensor, KnownTensor& known) {
  const auto read = [&](std::int64_t byte) {
    known.integers.emplace_back(byte & 15);
    known.integers.emplace_back(byte >> 4 & 15);
  };
  for (auto byte : numbers_of<std::uint8_t>(tensor.raw_data())) read(byte);
  for (auto byte : tensor.int32_data()) read(byte);
}

void read_numbers(const TensorProto& tensor, KnownTensor& known) {
  const std::string& raw = tensor.raw_data();
  switch (known.dtype) {
    case DType::kF32:
      append_reals(known, numbers_of<float>(raw));
      append_reals(known, tensor.float_data());
      break;
    case DType::kF64:
      append_reals(known, numbers_of<double>(raw));
      append_reals(known, tensor.double_data());
      break;
    case DType::kF16:
    case DType::kBF16:
    case DType::kF8E4M3:
    case DType::kF8E5M2: read_small_floats(tensor, known); break;
    case DType::kI4:
    case DType::kU4: read_halves_of_bytes(tensor, known); break;
    case DType::kI64:
      append_integers(known, numbers_of<std::int64_t>(raw));
      append_integers(known, tensor.int64_data());
      break;
    case DType::kI32:
      append_integers(known, numbers_of<std::int32_t>(raw));
      append_integers(known, tensor.int32_data());
      break;
    case DType::kU32:
      append_integers(known, numbers_of<std::uint32_t>(raw));
      append_integers(known, tensor.uint64_data());
      break;
    case DType::kI16:
      append_integers(known, numbers_of<std::int16_t>(raw));
      append_integers(known, tensor.int32_data());
      break;
    case DType::kU16:
      append_integers(known, numbers_of<std::uint16_t>(raw));
      append_integers(known, tensor.int32_data());
      break;
    case DType::kI8:
      append_integers(known, numbers_of<std::int8_t>(raw));
      append_integers(known, tensor.int32_data());
      break;
    case DType::kU8:
    case DType::kBool:
      append_integers(known, numbers_of<std::uint8_t>(raw));
      append_integers(known, tensor.int32_data());
      break;
    default: break;
  }
  // Integers of less than 32 bits lie in wider fields, and a bool may be any byte.
  for (Dim& integer : known.integers) integer = wrapped(known.dtype, integer.extent());
}

// Returns how many numbers the field for the tensor's type holds.
std::int64_t typed_count(const TensorProto& tensor, DType dtype) {
  switch (dtype) {
    case DType::kF32: return tensor.float_data_size();
    case DType::kF64: return tensor.double_data_size();
    case DType::kI64: return tensor.int64_data_size();
    case DType::kU64:
    case DType::kU32: return tensor.uint64_data_size();
    default: return tensor.int32_data_size();
  }
}

}  // namespace

std::optional<std::vector<std::int64_t>> KnownTensor::plain_integers() const {
  if (is_floating(dtype)) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Dim& integer : integers) {
    if (integer.is_symbol()) return std::nullopt;
    numbers.push_back(integer.extent());
  }
  return numbers;
}

std::optional<double> KnownTensor::scalar() const {
  if (size() != 1) return std::nullopt;
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  if (is_floating(dtype)) return std::isnan(reals.front()) ? std::nullopt : std::optional<double>(reals.front());
  const Dim& integer = integers.front();
  if (integer.is_symbol() || integer.extent() > kExact || integer.extent() < -kExact) return std::nullopt;
  return static_cast<double>(integer.extent());
}

KnownTensor KnownTensor::of_shape(const Shape& shape) {
  KnownTensor known;
  known.shape = {static_cast<std::int64_t>(shape.size())};
  known.integers = shape;
  return known;
}

std::optional<DType> dtype_of_code(std::int64_t code) {
  return cast_target(Attributes{{"to", code}});
}

std::int64_t wrapped(DType dtype, std::int64_t number) {
  switch (dtype) {
    case DType::kBool: return number != 0 ? 1 : 0;
    case DType::kU8: return static_cast<std::uint8_t>(number);
    case DType::kI8: return static_cast<std::int8_t>(number);
    case DType::kI32: return static_cast<std::int32_t>(number);
    case DType::kU32: return static_cast<std::uint32_t>(number);
    case DType::kI16: return static_cast<std::int16_t>(number);
    case DType::kU16: return static_cast<std::uint16_t>(number);
    case DType::kI4: return ((number & 15) ^ 8) - 8;
    case DType::kU4: return number & 15;
    default: return number;
  }
}

Status check_data(const TensorProto& tensor, const TensorType& type) {
  if (tensor.data_location() == 1) return Status();  // in another file
  FL_TRY(const Bytes bytes, size_of(type));
  FL_TRY(const std::int64_t count, element_count(type.shape));
  const auto raw = static_cast<std::int64_t>(tensor.raw_data().size());
  const std::int64_t typed = typed_count(tensor, type.dtype);
  if (raw > 0 && raw != bytes.count) {
    return invalid_argument("is " + type_text(type) + ", which takes " + std::to_string(bytes.count) + " bytes, but the file has " +
                            std::to_string(raw));
  }
  const bool packed = bits_of(type.dtype) < 8 && typed == bytes.count;
  if (typed > 0 && typed != count && !packed) {
    return invalid_argument("is " + type_text(type) + ", which takes " + std::to_string(count) + " numbers, but the file has " +
                            std::to_string(typed));
  }
  if (raw > 0 && typed > 0) return invalid_argument("has its numbers twice, as bytes and as numbers");
  return Status();
}

std::optional<KnownTensor> read_known(const TensorProto& tensor) {
  const auto dtype = dtype_of_code(tensor.data_type());
  if (!dtype || tensor.data_location() == 1) return std::nullopt;
  KnownTensor known;
  known.dtype = *dtype;
  std::size_t count = 1;
  for (std::int64_t extent : tensor.dims()) {
    if (extent < 0 || extent > static_cast<std::int64_t>(KnownTensor::kMaxElements)) return std::nullopt;
    count *= static_cast<std::size_t>(extent);
    if (count > KnownTensor::kMaxElements) return std::nullopt;
    known.shape.push_back(extent);
  }
  read_numbers(tensor, known);
  if (bits_of(*dtype) == 4 && count % 2 == 1 && known.size() == count + 1) known.integers.pop_back();
  if (known.size() != count) return std::nullopt;
  return known;
}

}  // namespace fuselab::onnx
