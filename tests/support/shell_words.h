// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <wordexp.h>

#include <string>
#include <vector>

namespace fuselab::testing {

// The words of a command line as a POSIX shell splits it; empty when it is none, or would need a substitution.
inline std::vector<std::string> shell_words(const std::string& line) {
  wordexp_t split{};
  std::vector<std::string> words;
  if (wordexp(line.c_str(), &split, WRDE_NOCMD | WRDE_UNDEF) == 0) words.assign(split.we_wordv, split.we_wordv + split.we_wordc);
  wordfree(&split);
  return words;
}

}  // namespace fuselab::testing
