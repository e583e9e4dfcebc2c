// SPDX-License-Identifier: Apache-2.0
#include "core/backend/device_uuid.h"

#include <cstdio>

namespace fuselab {

std::string device_uuid_text(std::span<const std::byte, 16> bytes) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

}  // namespace fuselab
