// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace fuselab::engine {

// What a verdict stands on.
enum class BaselineMode {
  kPaired,      // the baseline's own kernel runs beside the candidate, here and now
  kHistorical,  // the candidate alone runs; it is held against the times that the file keeps of this very machine
  kGolden,      // as paired, of a file that says when it ends
};
std::string_view name_of(BaselineMode mode);                      // "paired", "historical", "golden"
Result<BaselineMode> parse_baseline_mode(std::string_view name);  // kInvalidArgument, with the names there are

}  // namespace fuselab::engine
