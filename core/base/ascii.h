// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab {

// Both functions follow the C locale, whatever the process's own is. '_' counts as a letter, because names may contain it.
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace fuselab
