// SPDX-License-Identifier: Apache-2.0
#include "app/cli/shell/exit_code.h"

namespace fuselab::cli {

ExitCode exit_code_for(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported: return ExitCode::kUsage;
    case ErrorCode::kNotFound: return ExitCode::kNothingMatched;
    case ErrorCode::kUnavailable:
    case ErrorCode::kBusy:
    case ErrorCode::kIo:
    case ErrorCode::kOutOfMemory: return ExitCode::kUnfit;
    case ErrorCode::kNumerics: return ExitCode::kNumerics;
    case ErrorCode::kCancelled: return ExitCode::kInconclusive;
    case ErrorCode::kUntrusted:
    case ErrorCode::kCorrupt: return ExitCode::kUsage;
    case ErrorCode::kCompileFailed:
    case ErrorCode::kLaunchFailed:
    case ErrorCode::kTimeout:
    case ErrorCode::kCrashed:
    case ErrorCode::kInternal: return ExitCode::kInternal;
  }
  return ExitCode::kInternal;
}

}  // namespace fuselab::cli
