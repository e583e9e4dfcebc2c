// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op_weight.h"

namespace fuselab {

double op_weight(Op op) {
  switch (op) {
    case Op::kIdentity: return 0;
    case Op::kDiv:
    case Op::kSqrt:
    case Op::kReciprocal: return 4;
    case Op::kBatchNormalization: return 8;
    case Op::kExp:
    case Op::kLog:
    case Op::kSigmoid:
    case Op::kTanh:
    case Op::kSwish: return 16;
    case Op::kErf:
    case Op::kGelu:
    case Op::kPow: return 32;
    default: return is_elementwise(op) ? 1 : 16;
  }
}

}  // namespace fuselab
