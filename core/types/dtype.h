// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/units.h"

namespace fuselab {

// Element types. A type carries its bits, so nothing assumes sizeof: 4-bit types pack two elements a byte, low nibble first.
enum class DType { kF64, kF32, kF16, kBF16, kF8E4M3, kF8E5M2, kI64, kI32, kI8, kU8, kI4, kU4, kBool, kU64, kU32, kU16, kI16 };

inline constexpr DType kAllDTypes[] = {DType::kF64,  DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kF8E5M2,
                                       DType::kI64,  DType::kI32, DType::kI8,  DType::kU8,   DType::kI4,     DType::kU4,
                                       DType::kBool, DType::kU64, DType::kU32, DType::kU16,  DType::kI16};

std::string_view name_of(DType dtype);  // "f32"
std::optional<DType> parse_dtype(std::string_view name);
int bits_of(DType dtype);
bool is_floating(DType dtype);
bool is_unsigned(DType dtype);  // false for bool
// Returns the bytes of `elements` densely packed elements, the last byte padded.
Bytes packed_size(DType dtype, std::int64_t elements);

}  // namespace fuselab
