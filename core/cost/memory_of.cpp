// SPDX-License-Identifier: Apache-2.0
#include "core/cost/memory_of.h"

namespace fuselab {

ValueId memory_of(const Graph& graph, ValueId value) {
  for (auto producer = graph.value(value).producer; producer && is_view(graph.node(*producer).op);
       producer = graph.value(value).producer) {
    value = graph.node(*producer).inputs.front();
  }
  return value;
}

}  // namespace fuselab
