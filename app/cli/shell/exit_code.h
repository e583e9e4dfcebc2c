// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

namespace fuselab::cli {

// One table of exit codes for all verbs.
enum class ExitCode : int {
  kOk = 0,
  kRegression = 1,  // a confirmed regression
  kUsage = 2,       // usage or configuration
  kInternal = 3,
  kInconclusive = 4,
  kNothingMatched = 5,
  kUnfit = 6,     // the environment is unfit: no device, busy database, read-only or full disk
  kNumerics = 7,  // a result missed its tolerance
};

ExitCode exit_code_for(const Error& error);

}  // namespace fuselab::cli
