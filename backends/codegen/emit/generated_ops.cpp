// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/generated_ops.h"

#include "core/fusion/match/forms.h"

namespace fuselab::codegen {

bool is_generated(Op op) {
  return op != Op::kOpaque && !shares_no_kernel(op);
}

std::vector<Op> written_alone() {
  std::vector<Op> alone;
  for (const Op op : computed_ops()) {
    if (is_elementwise(op) && !is_generated(op)) alone.push_back(op);
  }
  return alone;
}

}  // namespace fuselab::codegen
