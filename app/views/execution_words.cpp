// SPDX-License-Identifier: Apache-2.0
#include "app/views/execution_words.h"

#include <cstdio>

namespace fuselab::engine {

std::string numerics_text(const Verification& verification) {
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "%lld values, largest error %.3g, mean %.3g", static_cast<long long>(verification.checked),
                verification.max_error, verification.mean_error);
  return std::string("Checked against the float64 reference: ") + (verification.passed ? "passed, " : "FAILED, ") + numbers +
         (verification.passed ? "" : "; " + verification.detail);
}

}  // namespace fuselab::engine
