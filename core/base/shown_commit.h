// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace fuselab {

// Returns the first twelve digits of a commit, enough for people and for git. The text is not cleaned: it may come from a file.
inline std::string shown_commit(const std::string& commit) {
  constexpr std::size_t kDigits = 12;
  return commit.substr(0, kDigits);
}

}  // namespace fuselab
