// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

namespace fuselab {

// Returns what printf would write, as a text of at most 255 bytes: meant for figures, not for words of unknown length. The format
// must be a literal of this project, never a text that came from elsewhere.
template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace fuselab
