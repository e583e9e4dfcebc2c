// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fuselab {

// Of the C locale, whatever the process's own is; '_' is a letter of names.
inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace fuselab
