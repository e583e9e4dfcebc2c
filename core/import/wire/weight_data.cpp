// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/weight_data.h"

#include <cstring>

#include "core/tensor/tensor.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// ONNX keeps numbers of fewer than 32 bits, halves among them as their bits, in fields of 32.
template <typename T, typename Numbers>
std::vector<std::byte> narrowed(const Numbers& numbers) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(numbers.size()) * sizeof(T));
  for (int i = 0; i < numbers.size(); ++i) {
    const T number = static_cast<T>(numbers.Get(i));
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &number, sizeof number);
  }
  return bytes;
}

std::vector<std::byte> typed_bytes(const TensorProto& tensor, DType dtype) {
  switch (dtype) {
    case DType::kF32: return narrowed<float>(tensor.float_data());
    case DType::kF64: return narrowed<double>(tensor.double_data());
    case DType::kI64: return narrowed<std::int64_t>(tensor.int64_data());
    case DType::kU64: return narrowed<std::uint64_t>(tensor.uint64_data());
    case DType::kU32: return narrowed<std::uint32_t>(tensor.uint64_data());
    case DType::kI32: return narrowed<std::int32_t>(tensor.int32_data());
    case DType::kF16:
    case DType::kBF16:
    case DType::kU16:
    case DType::kI16: return narrowed<std::uint16_t>(tensor.int32_data());
    default: return bits_of(dtype) <= 8 ? narrowed<std::uint8_t>(tensor.int32_data()) : std::vector<std::byte>();
  }
}

}  // namespace

bool holds_numbers(const TensorProto& tensor) {
  return tensor.data_location() == 1 || !tensor.raw_data().empty() || tensor.float_data_size() > 0 ||
         tensor.int32_data_size() > 0 || tensor.int64_data_size() > 0 || tensor.double_data_size() > 0 ||
         tensor.uint64_data_size() > 0;
}

std::optional<std::vector<std::byte>> bytes_of(const TensorProto& tensor, const TensorType& type) {
  const auto size = size_of(type);
  if (!size.ok()) return std::nullopt;
  const std::string& raw = tensor.raw_data();
  std::vector<std::byte> bytes;
  if (!raw.empty()) {
    const auto* const begin = reinterpret_cast<const std::byte*>(raw.data());
    bytes.assign(begin, begin + raw.size());
  } else {
    bytes = typed_bytes(tensor, type.dtype);
  }
  if (static_cast<std::int64_t>(bytes.size()) != size.value().count) return std::nullopt;
  return bytes;
}

std::optional<std::vector<std::byte>> bytes_of(const KnownTensor& tensor) {
  RealTensor real;
  real.type.dtype = tensor.dtype;
  for (const std::int64_t extent : tensor.shape) real.type.shape.emplace_back(extent);
  real.data = tensor.reals;
  if (!is_floating(tensor.dtype)) {
    const auto integers = tensor.plain_integers();
    if (!integers) return std::nullopt;
    if (tensor.dtype == DType::kI64) {  // beyond 2^53 a double would round
      const auto* const begin = reinterpret_cast<const std::byte*>(integers->data());
      return std::vector<std::byte>(begin, begin + integers->size() * sizeof(std::int64_t));
    }
    for (const std::int64_t integer : *integers) real.data.push_back(static_cast<double>(integer));
  }
  return pack(real);
}

}  // namespace fuselab::onnx
