// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fuselab {

// Returns "a, b, c" for a range of texts.
template <typename Range>
std::string joined(const Range& words, std::string_view between = ", ") {
  std::string text;
  for (const auto& word : words) (text.empty() ? text : text.append(between)).append(word);
  return text;
}

// Returns "1 kernel", "0 kernels", "2 binaries": the plural is the singular with an s unless it is given.
inline std::string counted(std::int64_t count, std::string_view singular, std::string_view plural = {}) {
  const std::string number = std::to_string(count) + " ";
  if (count == 1) return number + std::string(singular);
  return number + (plural.empty() ? std::string(singular) + "s" : std::string(plural));
}

}  // namespace fuselab
