// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

namespace fuselab {

std::string_view name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "invalid argument";
    case ErrorCode::kNotFound: return "not found";
    case ErrorCode::kUnavailable: return "unavailable";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kCompileFailed: return "compile failed";
    case ErrorCode::kLaunchFailed: return "launch failed";
    case ErrorCode::kOutOfMemory: return "out of memory";
    case ErrorCode::kTimeout: return "timeout";
    case ErrorCode::kCrashed: return "crashed";
    case ErrorCode::kCorrupt: return "corrupt";
    case ErrorCode::kUntrusted: return "untrusted";
    case ErrorCode::kIo: return "input/output";
    case ErrorCode::kBusy: return "busy";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kNumerics: return "numerics";
    case ErrorCode::kInternal: return "internal";
  }
  return "internal";
}

Error Error::within(std::string_view context) const {
  return {code, std::string(context) + ": " + message};
}

}  // namespace fuselab
