// SPDX-License-Identifier: Apache-2.0
#include "core/import/compositions/positions.h"

#include <numeric>

namespace fuselab::onnx {

// Each is the sum of the ones before it.
Composition::Term positions_along(Composition& graph, std::int64_t extent, std::size_t axis, std::size_t rank) {
  const auto ones = graph.apply(Op::kExpand, {graph.number(1, DType::kI64)}, {{"shape", std::vector<std::int64_t>{extent}}});
  const auto positions = graph.apply(Op::kCumSum, {ones}, {{"axis", std::int64_t{0}}, {"exclusive", std::int64_t{1}}});
  std::vector<std::int64_t> others(rank);
  std::iota(others.begin(), others.end(), 0);
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(axis));
  return graph.unsqueeze(positions, others);
}

}  // namespace fuselab::onnx
