// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/figure_words.h"

#include <cstdio>

#include "core/base/units.h"

namespace fuselab::profile {

std::string rounded(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string percent(double share) {
  return rounded(100 * share, share < 0.01 ? 1 : 0) + " %";
}

std::string times(double ratio) {
  return rounded(ratio, 2) + "×";
}

std::string bytes_text(double bytes) {
  constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 4) {
    bytes /= 1000;
    ++unit;
  }
  return rounded(bytes, unit == 0 || bytes >= 100 ? 0 : 1) + " " + kUnits[unit];
}

std::string duration_text(double ns) {
  return format_duration({ns});
}

}  // namespace fuselab::profile
