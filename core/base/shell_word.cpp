// SPDX-License-Identifier: Apache-2.0
#include "core/base/shell_word.h"

namespace fuselab {

std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'(){}<>|&;$*?#!~`\\[]") == std::string::npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

}  // namespace fuselab
