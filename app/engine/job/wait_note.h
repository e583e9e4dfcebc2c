// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// The prefix of the line that a job logs while it waits for another process. The engine logs nothing when the wait is over:
// whatever the job does next shows it.
inline constexpr const char* kWaitPrefix = "Waiting: ";

inline LogLine wait_note(const std::string& text) {
  return {LogLine::Level::kInfo, kWaitPrefix + text};
}

inline bool is_wait_note(const LogLine& line) {
  return line.text.rfind(kWaitPrefix, 0) == 0;
}

}  // namespace fuselab::engine
