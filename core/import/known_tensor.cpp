// SPDX-License-Identifier: Apache-2.0
#include "core/import/known_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/graph/op_attributes.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// Little-endian numbers of one type.
template <typename T>
std::vector<T> numbers_of(const std::string& raw) {
  std::vector<T> numbers(raw.size() / sizeof(T));
  std::memcpy(numbers.data(), raw.data(), numbers.size() * sizeof(T));
  return numbers;
}

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double bfloat_to_double(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

template <typename T>
void append_integers(KnownTensor& known, const T& numbers) {
  for (const auto number : numbers) known.integers.emplace_back(static_cast<std::int64_t>(number));
}

template <typename T>
void append_reals(KnownTensor& known, const T& numbers) {
  for (const auto number : numbers) known.reals.push_back(static_cast<double>(number));
}

void read_sixteen_bits(const TensorProto& tensor, KnownTensor& known) {
  const auto read = [&](std::uint16_t bits) {
    known.reals.push_back(known.dtype == DType::kF16 ? half_to_double(bits) : bfloat_to_double(bits));
  };
  for (auto bits : numbers_of<std::uint16_t>(tensor.raw_data())) read(bits);
  for (auto bits : tensor.int32_data()) read(static_cast<std::uint16_t>(bits));
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
    case DType::kBF16: read_sixteen_bits(tensor, known); break;
    case DType::kI64:
      append_integers(known, numbers_of<std::int64_t>(raw));
      append_integers(known, tensor.int64_data());
      break;
    case DType::kI32:
      append_integers(known, numbers_of<std::int32_t>(raw));
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
}

// Shape of elements that broadcast like scalars or equal vectors: all that shape arithmetic uses.
const std::vector<std::int64_t>& wider(const KnownTensor& a, const KnownTensor& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? a.shape : b.shape;
  return a.shape.size() >= b.shape.size() ? a.shape : b.shape;
}

std::optional<Dim> combine(const std::string& op, const Dim& a, const Dim& b) {
  if (op == "Mul" && a == Dim(1)) return b;
  if ((op == "Mul" || op == "Div") && b == Dim(1)) return a;
  if (op == "Div" && a == b && a.is_symbol()) return Dim(1);
  if (a.is_symbol() || b.is_symbol()) return std::nullopt;
  std::int64_t result = 0;
  bool overflow = false;
  if (op == "Add") {
    overflow = __builtin_add_overflow(a.extent(), b.extent(), &result);
  } else if (op == "Sub") {
    overflow = __builtin_sub_overflow(a.extent(), b.extent(), &result);
  } else if (op == "Mul") {
    overflow = __builtin_mul_overflow(a.extent(), b.extent(), &result);
  } else if (op == "Div" && b.extent() > 0) {
    result = a.extent() / b.extent();
  } else {
    return std::nullopt;
  }
  return overflow ? std::nullopt : std::optional<Dim>(result);
}

std::optional<double> combine(const std::string& op, double a, double b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Pow") return std::pow(a, b);
  return std::nullopt;
}

template <typename T>
bool combine_all(const std::string& op, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& result) {
  const std::size_t count = std::max(a.size(), b.size());
  if (a.empty() || b.empty() || (a.size() != count && a.size() != 1) || (b.size() != count && b.size() != 1)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto combined = combine(op, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
    if (!combined) return false;
    result.push_back(*combined);
  }
  return true;
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
  if (is_floating(dtype)) return std::isfinite(reals.front()) ? std::optional<double>(reals.front()) : std::nullopt;
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
  if (known.size() != count) return std::nullopt;
  return known;
}

std::optional<KnownTensor> fold_gather(const KnownTensor& data, const KnownTensor& indices) {
  const auto places = indices.plain_integers();
  if (!places || data.shape.size() != 1 || is_floating(data.dtype)) return std::nullopt;
  KnownTensor result;
  result.dtype = data.dtype;
  result.shape = indices.shape;
  const auto count = static_cast<std::int64_t>(data.integers.size());
  for (std::int64_t place : *places) {
    if (place < -count || place >= count) return std::nullopt;
    result.integers.push_back(data.integers[static_cast<std::size_t>(place < 0 ? place + count : place)]);
  }
  return result;
}

std::optional<KnownTensor> fold_concat(const std::vector<const KnownTensor*>& parts) {
  KnownTensor result;
  result.dtype = parts.front()->dtype;
  for (const KnownTensor* part : parts) {
    if (part->dtype != result.dtype || part->shape.size() != 1) return std::nullopt;
    result.integers.insert(result.integers.end(), part->integers.begin(), part->integers.end());
    result.reals.insert(result.reals.end(), part->reals.begin(), part->reals.end());
  }
  if (result.size() > KnownTensor::kMaxElements) return std::nullopt;
  result.shape = {static_cast<std::int64_t>(result.size())};
  return result;
}

std::optional<KnownTensor> fold_slice(const KnownTensor& data, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (data.shape.size() != 1 || is_floating(data.dtype) || step != 1) return std::nullopt;
  const auto count = static_cast<std::int64_t>(data.integers.size());
  const auto place = [count](std::int64_t index) { return std::clamp<std::int64_t>(index < 0 ? index + count : index, 0, count); };
  KnownTensor result;
  result.dtype = data.dtype;
  for (std::int64_t i = place(start); i < place(end); ++i) result.integers.push_back(data.integers[static_cast<std::size_t>(i)]);
  result.shape = {static_cast<std::int64_t>(result.integers.size())};
  return result;
}

std::optional<KnownTensor> fold_binary(const std::string& op, const KnownTensor& a, const KnownTensor& b) {
  if (a.dtype != b.dtype) return std::nullopt;
  KnownTensor result;
  result.dtype = a.dtype;
  result.shape = wider(a, b);
  const bool folded = is_floating(a.dtype) ? combine_all(op, a.reals, b.reals, result.reals)
                                           : combine_all(op, a.integers, b.integers, result.integers);
  return folded ? std::optional<KnownTensor>(std::move(result)) : std::nullopt;
}

std::optional<KnownTensor> fold_unary(const std::string& op, const KnownTensor& a) {
  KnownTensor result = a;
  if (op == "Identity") return result;
  if (!is_floating(a.dtype)) return std::nullopt;
  for (double& real : result.reals) {
    if (op == "Sqrt") {
      real = std::sqrt(real);
    } else if (op == "Neg") {
      real = -real;
    } else if (op == "Reciprocal") {
      real = 1.0 / real;
    } else {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<KnownTensor> fold_cast(const KnownTensor& data, DType to) {
  KnownTensor result = data;
  result.dtype = to;
  if (is_floating(data.dtype) == is_floating(to)) return result;
  result.integers.clear();
  result.reals.clear();
  if (!is_floating(to)) {
    for (double real : data.reals) {
      if (!(std::abs(real) < 0x1.0p53)) return std::nullopt;
      result.integers.emplace_back(static_cast<std::int64_t>(real));
    }
    return result;
  }
  const auto numbers = data.plain_integers();
  if (!numbers) return std::nullopt;
  for (std::int64_t number : *numbers) result.reals.push_back(static_cast<double>(number));
  return result;
}

}  // namespace fuselab::onnx
