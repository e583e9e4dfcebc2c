// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/error_state.h"

namespace fuselab::engine {

CaseState state_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound: return CaseState::kMisconfigured;
    case ErrorCode::kUnavailable:
    case ErrorCode::kBusy:
    case ErrorCode::kIo:
    case ErrorCode::kOutOfMemory: return CaseState::kUnfit;
    case ErrorCode::kNumerics: return CaseState::kWrongResult;
    case ErrorCode::kCancelled: return CaseState::kInconclusive;
    default: return CaseState::kFailed;
  }
}

}  // namespace fuselab::engine
