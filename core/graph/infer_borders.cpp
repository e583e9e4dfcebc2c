// SPDX-License-Identifier: Apache-2.0
#include "core/graph/infer.h"
#include "core/graph/infer_rules.h"

// Operators that keep a part of their input and fill in the rest.
namespace fuselab::infer {

Result<Types> trilu(const Call& call) {
  if (call.rank() < 2) return failure(call, "needs matrices");
  return Types{call.inputs[0]};
}

Result<Types> pad(const Call& call) {
  const auto pads = call.attributes.integers("pads");
  const std::size_t rank = call.shape(0).size();
  if (pads.size() != 2 * rank) return failure(call, "pads must have two numbers for each axis");
  const std::string mode = call.attributes.text("mode", "constant");
  const bool copies = mode == "reflect" || mode == "edge" || mode == "wrap";
  if (!copies && mode != "constant") {
    return failure(call, "mode must be \"constant\", \"reflect\", \"edge\" or \"wrap\", got \"" + mode + "\"");
  }
  Shape shape = call.shape(0);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t before = pads[i], after = pads[rank + i];
    if (before == 0 && after == 0) continue;
    if (shape[i].is_symbol()) return failure(call, "padding '" + shape[i].name() + "' has no name until it is bound");
    std::int64_t extent = shape[i].extent();
    const bool overflows = __builtin_add_overflow(extent, before, &extent) || __builtin_add_overflow(extent, after, &extent);
    if (overflows || extent < 0) return failure(call, "pads do not fit axis " + std::to_string(i));
    if (copies && extent > 0 && shape[i] == Dim(0)) return failure(call, "axis " + std::to_string(i) + " has nothing to copy");
    shape[i] = Dim(extent);
  }
  return Types{{call.dtype(), std::move(shape)}};
}

}  // namespace fuselab::infer
