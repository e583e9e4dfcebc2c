// SPDX-License-Identifier: Apache-2.0
#include "app/reports/json_text.h"

#include <cstddef>
#include <cstdio>

namespace fuselab::reports {

std::string with_escaped_controls(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto byte = [&](std::size_t at) { return at < json.size() ? static_cast<unsigned char>(json[at]) : 0u; };
    const bool two_bytes = byte(i) == 0xc2 && byte(i + 1) >= 0x80 && byte(i + 1) <= 0x9f;
    if (!two_bytes && byte(i) != 0x7f) {
      text += json[i];
      continue;
    }
    if (two_bytes) ++i;
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", byte(i));
    text += escape;
  }
  return text;
}

}  // namespace fuselab::reports
