// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace fuselab {

// As much of a commit as people are shown, and as git takes for it: its first twelve digits. Not cleaned: it may come from a file.
inline std::string shown_commit(const std::string& commit) {
  constexpr std::size_t kDigits = 12;
  return commit.substr(0, kDigits);
}

}  // namespace fuselab
