// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/family.h"

#include <array>

#include "backends/codegen/attention_family.h"
#include "backends/codegen/contraction_family.h"
#include "backends/codegen/movement_family.h"
#include "backends/codegen/pool_family.h"
#include "backends/codegen/row_family.h"

namespace fuselab::codegen {

std::span<const Family> families() {
  static const std::array kFamilies = {row_family(), attention_family(), contraction_family(), pool_family(), movement_family()};
  return kFamilies;
}

Result<const Family*> find_family(const Graph& graph, const Target& target) {
  std::string reasons;
  for (const Family& family : families()) {
    const Support support = family.supports(graph, target);
    if (support.yes) return &family;
    reasons += (reasons.empty() ? "" : "; ") + std::string(family.name) + ": " + support.why_not;
  }
  return Error{ErrorCode::kUnsupported, reasons};
}

}  // namespace fuselab::codegen
