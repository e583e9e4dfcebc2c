// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/error_outcome.h"

namespace fuselab::worker {

Outcome outcome_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnsupported: return Outcome::kUnsupported;
    case ErrorCode::kUnavailable: return Outcome::kSkipped;
    case ErrorCode::kCompileFailed: return Outcome::kCompileError;
    case ErrorCode::kOutOfMemory: return Outcome::kOutOfMemory;
    case ErrorCode::kTimeout: return Outcome::kTimeout;
    case ErrorCode::kCrashed: return Outcome::kCrashed;
    case ErrorCode::kNumerics: return Outcome::kWrongResult;
    case ErrorCode::kCancelled: return Outcome::kCancelled;
    default: return Outcome::kLaunchError;
  }
}

}  // namespace fuselab::worker
