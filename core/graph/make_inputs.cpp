// SPDX-License-Identifier: Apache-2.0
#include "core/graph/tensor.h"

namespace fuselab {

std::string_view name_of(InputPattern pattern) {
  switch (pattern) {
    case InputPattern::kUniform: return "uniform";
    case InputPattern::kLarge: return "large";
    case InputPattern::kSpecial: return "special";
    case InputPattern::kDenormal: return "denormal";
  }
  FL_ASSERT(false);
}

}  // namespace fuselab
