// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab::testing::code {

// ONNX's numbers of element types.
inline constexpr int kF32 = 1, kU8 = 2, kI8 = 3, kU16 = 4, kI16 = 5, kI32 = 6, kI64 = 7, kF16 = 10, kU32 = 12, kU64 = 13,
                     kBF16 = 16, kF8E4M3 = 17, kF8E5M2 = 19, kU4 = 21, kI4 = 22;

}  // namespace fuselab::testing::code
