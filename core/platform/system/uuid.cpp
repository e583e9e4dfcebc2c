// SPDX-License-Identifier: Apache-2.0
#include "core/platform/system/uuid.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "core/base/assert.h"

namespace fuselab::platform {

std::string make_uuid() {
  std::array<std::uint8_t, 16> bytes{};
  ssize_t got = 0;
  do {
    got = ::getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  FL_ASSERT(got == static_cast<ssize_t>(bytes.size()));  // getrandom gives up to 256 bytes whole
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

}  // namespace fuselab::platform
