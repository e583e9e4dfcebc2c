// SPDX-License-Identifier: Apache-2.0
#include "core/platform/system/clock.h"

#include <ctime>

namespace fuselab::platform {

Nanoseconds monotonic_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return {static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec)};
}

std::int64_t unix_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

std::string local_time_text(std::int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts)};
}

}  // namespace fuselab::platform
