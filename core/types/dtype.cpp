// SPDX-License-Identifier: Apache-2.0
#include "core/types/dtype.h"

#include "core/base/assert.h"

namespace fuselab {
namespace {

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  int bits;
  bool floating;
};

constexpr DTypeInfo kInfos[] = {
    {DType::kF64, "f64", 64, true},   {DType::kF32, "f32", 32, true},      {DType::kF16, "f16", 16, true},
    {DType::kBF16, "bf16", 16, true}, {DType::kF8E4M3, "f8e4m3", 8, true}, {DType::kF8E5M2, "f8e5m2", 8, true},
    {DType::kI64, "i64", 64, false},  {DType::kI32, "i32", 32, false},     {DType::kI8, "i8", 8, false},
    {DType::kU8, "u8", 8, false},     {DType::kI4, "i4", 4, false},        {DType::kU4, "u4", 4, false},
    {DType::kBool, "bool", 8, false}, {DType::kU64, "u64", 64, false},     {DType::kU32, "u32", 32, false},
    {DType::kU16, "u16", 16, false},  {DType::kI16, "i16", 16, false},
};

const DTypeInfo& info(DType dtype) {
  const DTypeInfo& found = kInfos[static_cast<std::size_t>(dtype)];
  FL_ASSERT(found.dtype == dtype);
  return found;
}

}  // namespace

std::string_view name_of(DType dtype) {
  return info(dtype).name;
}

std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& each : kInfos) {
    if (each.name == name) return each.dtype;
  }
  return std::nullopt;
}

int bits_of(DType dtype) {
  return info(dtype).bits;
}

bool is_floating(DType dtype) {
  return info(dtype).floating;
}

bool is_unsigned(DType dtype) {
  switch (dtype) {
    case DType::kU64:
    case DType::kU32:
    case DType::kU16:
    case DType::kU8:
    case DType::kU4: return true;
    default: return false;
  }
}

Bytes packed_size(DType dtype, std::int64_t elements) {
  const std::int64_t bits = bits_of(dtype);
  FL_ASSERT(elements >= 0 && elements / 8 < (std::int64_t{1} << 62) / bits);
  return {elements / 8 * bits + (elements % 8 * bits + 7) / 8};
}

}  // namespace fuselab
