// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fuselab::codegen {

// Returns a / b rounded up, for a ≥ 0 and b > 0: the number of blocks of b that hold a elements.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

}  // namespace fuselab::codegen
