// SPDX-License-Identifier: Apache-2.0
#include "core/import/compositions/quantised_numbers.h"

#include <algorithm>

#include "core/tensor/small_float.h"

namespace fuselab::onnx {

using Term = Composition::Term;

bool is_known_zero(const KnownTensor* known) {
  if (known == nullptr) return false;
  const auto integers = known->plain_integers();
  const auto zero = [](auto number) { return number == 0; };
  return integers ? std::all_of(integers->begin(), integers->end(), zero)
                  : is_floating(known->dtype) && std::all_of(known->reals.begin(), known->reals.end(), zero);
}

Term saturated(Composition& graph, Term number, DType to, bool saturates) {
  const bool endless = to == DType::kF8E5M2 && !saturates;
  const double most = detail::largest_of(to), least = is_floating(to) ? -most : detail::lowest_of(to);
  return graph.cast(endless ? number : graph.apply(Op::kClip, {number}, {{"min", least}, {"max", most}}), to);
}

}  // namespace fuselab::onnx
