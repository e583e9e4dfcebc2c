// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

namespace fuselab {

// What printf would write, as a text, of at most 255 bytes: for figures, not for words of unknown length. The format is a literal
// of ours, never a text that came from somewhere.
template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace fuselab
