// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace fuselab::engine {

// The evidence that a verdict rests on.
enum class BaselineMode {
  kPaired,      // the baseline's own kernel runs beside the candidate, here and now
  kHistorical,  // only the candidate runs; it is compared with the times that the file keeps of this very machine
  kGolden,      // as paired, from a file that has an expiry date
};
std::string_view name_of(BaselineMode mode);                      // "paired", "historical", "golden"
Result<BaselineMode> parse_baseline_mode(std::string_view name);  // fails with kInvalidArgument, listing the valid names

}  // namespace fuselab::engine
