// SPDX-License-Identifier: Apache-2.0
#include "app/views/snapshots.h"

namespace fuselab::engine {

std::string_view name_of(JobState state) {
  switch (state) {
    case JobState::kQueued: return "queued";
    case JobState::kRunning: return "running";
    case JobState::kPaused: return "paused";
    case JobState::kCancelling: return "cancelling";
    case JobState::kFinished: return "finished";
    case JobState::kCancelled: return "cancelled";
    case JobState::kFailed: return "failed";
  }
  return "failed";
}

}  // namespace fuselab::engine
