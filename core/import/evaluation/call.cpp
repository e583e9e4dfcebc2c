// SPDX-License-Identifier: Apache-2.0
#include "core/import/evaluation/call.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// IEEE's half, or the upper half of a float.
double half(std::uint16_t bits, bool is_brain) {
  if (is_brain) return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(1024 + fraction, exponent - 25);
}

template <typename T>
void append_raw(const std::string& raw, std::vector<double>& data) {
  for (std::size_t at = 0; at + sizeof(T) <= raw.size(); at += sizeof(T)) {
    T number;
    std::memcpy(&number, raw.data() + at, sizeof(T));
    data.push_back(static_cast<double>(number));
  }
}

template <typename Field>
void append_field(const Field& field, std::vector<double>& data) {
  for (const auto number : field) data.push_back(static_cast<double>(number));
}

void append_halves(const TensorProto& tensor, std::vector<double>& data) {
  const std::string& raw = tensor.raw_data();
  for (std::size_t at = 0; at + 2 <= raw.size(); at += 2) {
    std::uint16_t bits;
    std::memcpy(&bits, raw.data() + at, 2);
    data.push_back(half(bits, tensor.data_type() == 16));
  }
  for (const int bits : tensor.int32_data()) data.push_back(half(static_cast<std::uint16_t>(bits), tensor.data_type() == 16));
}

void append_nibbles(const TensorProto& tensor, bool is_signed, std::vector<double>& data) {
  const auto append = [&](int byte) {
    for (const int nibble : {byte & 15, byte >> 4 & 15}) data.push_back(is_signed && nibble > 7 ? nibble - 16 : nibble);
  };
  for (const char byte : tensor.raw_data()) append(static_cast<unsigned char>(byte));
  for (const int byte : tensor.int32_data()) append(byte & 255);
}

}  // namespace

const std::string& Call::op() const {
  return node_.op_type();
}

int Call::results() const {
  return node_.output_size();
}

Status Call::needs(std::size_t count) const {
  for (std::size_t i = 0; i < count; ++i) {
    if (!has(i)) return invalid_argument("lacks operand " + std::to_string(i));
  }
  return {};
}

std::optional<Extents> Call::integers(std::size_t i) const {
  if (!has(i)) return std::nullopt;
  Extents numbers;
  for (const double number : in(i).data) numbers.push_back(whole(number));
  return numbers;
}

const AttributeProto* Call::attribute(const std::string& name) const {
  for (const AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

std::int64_t Call::integer(const std::string& name, std::int64_t otherwise) const {
  const AttributeProto* const found = attribute(name);
  return found != nullptr && found->has_i() ? found->i() : otherwise;
}

double Call::real(const std::string& name, double otherwise) const {
  const AttributeProto* const found = attribute(name);
  return found != nullptr && found->has_f() ? static_cast<double>(found->f()) : otherwise;
}

std::string Call::text(const std::string& name, const std::string& otherwise) const {
  const AttributeProto* const found = attribute(name);
  return found != nullptr && found->has_s() ? found->s() : otherwise;
}

std::optional<Extents> Call::list(const std::string& name) const {
  const AttributeProto* const found = attribute(name);
  if (found == nullptr) return std::nullopt;
  return Extents(found->ints().begin(), found->ints().end());
}

std::vector<double> Call::reals(const std::string& name) const {
  const AttributeProto* const found = attribute(name);
  return found == nullptr ? std::vector<double>() : std::vector<double>(found->floats().begin(), found->floats().end());
}

std::vector<std::string> Call::texts(const std::string& name) const {
  const AttributeProto* const found = attribute(name);
  return found == nullptr ? std::vector<std::string>() : std::vector<std::string>(found->strings().begin(), found->strings().end());
}

Result<Array> array_of(const TensorProto& tensor) {
  Array array{{tensor.dims().begin(), tensor.dims().end()}, {}, tensor.data_type()};
  FL_TRY(const std::int64_t count, count_of(array.shape));
  const std::string& raw = tensor.raw_data();
  switch (tensor.data_type()) {
    case 1: append_raw<float>(raw, array.data), append_field(tensor.float_data(), array.data); break;
    case 11: append_raw<double>(raw, array.data), append_field(tensor.double_data(), array.data); break;
    case 10:
    case 16: append_halves(tensor, array.data); break;
    case 7: append_raw<std::int64_t>(raw, array.data), append_field(tensor.int64_data(), array.data); break;
    case 6: append_raw<std::int32_t>(raw, array.data), append_field(tensor.int32_data(), array.data); break;
    case 5: append_raw<std::int16_t>(raw, array.data), append_field(tensor.int32_data(), array.data); break;
    case 3: append_raw<std::int8_t>(raw, array.data), append_field(tensor.int32_data(), array.data); break;
    case 2:
    case 9: append_raw<std::uint8_t>(raw, array.data), append_field(tensor.int32_data(), array.data); break;
    case 4: append_raw<std::uint16_t>(raw, array.data), append_field(tensor.int32_data(), array.data); break;
    case 12: append_raw<std::uint32_t>(raw, array.data), append_field(tensor.uint64_data(), array.data); break;
    case 13: append_raw<std::uint64_t>(raw, array.data), append_field(tensor.uint64_data(), array.data); break;
    case 21:
    case 22: append_nibbles(tensor, tensor.data_type() == 22, array.data); break;
    default: return Error{ErrorCode::kUnsupported, "has numbers of the type " + std::to_string(tensor.data_type())};
  }
  if ((tensor.data_type() == 21 || tensor.data_type() == 22) && array.count() == count + 1) array.data.pop_back();
  if (array.count() != count)
    return invalid_argument("has " + std::to_string(array.count()) + " numbers where its extents say " + std::to_string(count));
  return array;
}

}  // namespace fuselab::onnx
