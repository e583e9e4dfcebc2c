// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/views/snapshots.h"

namespace fuselab::engine {

// What a job says while it waits for another process. The engine does not say when that is over: whatever the job does next does.
inline constexpr const char* kWaitPrefix = "Waiting: ";

inline LogLine wait_note(const std::string& text) {
  return {LogLine::Level::kInfo, kWaitPrefix + text};
}

inline bool is_wait_note(const LogLine& line) {
  return line.text.rfind(kWaitPrefix, 0) == 0;
}

}  // namespace fuselab::engine
