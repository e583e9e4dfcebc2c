// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fuselab::cli {

// Returns "1 kernel", "0 kernels", "2 binaries": the plural is the singular with an s unless it is given.
inline std::string counted(std::int64_t count, std::string_view singular, std::string_view plural = {}) {
  const std::string number = std::to_string(count) + " ";
  if (count == 1) return number + std::string(singular);
  return number + (plural.empty() ? std::string(singular) + "s" : std::string(plural));
}

}  // namespace fuselab::cli
