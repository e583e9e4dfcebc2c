// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/recompute_cost.h"

#include <cstdio>

#include "core/ops/op.h"

namespace fuselab {
namespace {

// A processor's cores compute about this many simple operations in the time that they move a byte to memory or back.
constexpr double kOperationsPerByte = 1;

}  // namespace

double simple_operations(const GraphIndex& index, std::span<const NodeId> nodes) {
  double operations = 0;
  for (const NodeId id : nodes) {
    const auto elements = element_count(index.out_type(id).shape);
    if (elements.ok()) operations += op_weight(index.node(id).op) * static_cast<double>(elements.value());
  }
  return operations;
}

bool pays_to_compute(double operations, Bytes traffic) {
  return operations <= kOperationsPerByte * static_cast<double>(traffic.count);
}

std::string operations_text(double operations) {
  const bool million = operations >= 1e6, thousand = operations >= 1e3;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g%s",
                operations / (million    ? 1e6
                              : thousand ? 1e3
                                         : 1),
                million    ? " M"
                : thousand ? " k"
                           : "");
  return text;
}

}  // namespace fuselab
