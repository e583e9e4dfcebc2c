// SPDX-License-Identifier: Apache-2.0
#include "backends/library/capabilities.h"

#include <algorithm>

#include "core/fusion/match/forms.h"

namespace fuselab::library {

BackendCapabilities capabilities_of(std::vector<std::string> patterns, std::vector<DType> dtypes, std::vector<Op> operators) {
  BackendCapabilities capabilities;
  capabilities.patterns = std::move(patterns);
  capabilities.dtypes = std::move(dtypes);
  capabilities.operators = std::move(operators);
  capabilities.fusion.takes_prologue = true;  // as calls of their own
  for (const Op op : computed_ops()) {
    const auto& claimed = capabilities.operators;
    const bool computed = std::find(claimed.begin(), claimed.end(), op) != claimed.end();
    if (is_elementwise(op) && shares_no_kernel(op) && !computed) capabilities.fusion.writes_alone.push_back(op);
  }
  capabilities.supports_autotuning = true;
  capabilities.supports_profiling = true;
  capabilities.supports_jit = true;
  capabilities.supports_binary_cache = true;
  return capabilities;
}

}  // namespace fuselab::library
