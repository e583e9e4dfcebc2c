// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/generated_ops.h"

#include "backends/codegen/emit/element_ops.h"

namespace fuselab::codegen {

bool is_generated(Op op) {
  if (is_elementwise(op)) return has_expression(op);
  switch (op) {
    case Op::kReduceProd:
    case Op::kArgMax:
    case Op::kArgMin:
    case Op::kCumSum:
    case Op::kHardmax:
    case Op::kTopK:
    case Op::kNegativeLogLikelihoodLoss:
    case Op::kTrilu:
    case Op::kPad:
    case Op::kGatherElements:
    case Op::kGatherND:
    case Op::kScatterElements:
    case Op::kScatterND:
    case Op::kLSTM:
    case Op::kGRU:
    case Op::kRNN:
    case Op::kOpaque: return false;
    default: return true;
  }
}

std::vector<Op> written_alone() {
  std::vector<Op> alone;
  for (int i = 0; i < static_cast<int>(Op::kConstant); ++i) {
    const Op op = static_cast<Op>(i);
    if (is_elementwise(op) && !is_generated(op)) alone.push_back(op);
  }
  return alone;
}

}  // namespace fuselab::codegen
