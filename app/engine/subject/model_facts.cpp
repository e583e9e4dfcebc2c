// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/model_facts.h"

#include <algorithm>

namespace fuselab::engine {

Result<ModelFacts> model_facts(const Config& config, const std::string& subject, const std::string& binding,
                               const InputNumbers& numbers) {
  Config only_looking = config;
  only_looking.model_directory.clear();
  FL_TRY(const auto subjects,
         resolve_subject(only_looking, subject, binding, DType::kF32, Extents::kMayBeOpen, Weights::kShapesAlone, numbers));
  const Subject& read = subjects.front();
  ModelFacts facts;
  facts.model = read.name;
  facts.binding = read.binding;
  const auto nodes = read.graph.nodes();
  facts.operators =
      static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.op != Op::kConstant; }));
  facts.open = open_extents(read.graph);
  for (const ValueId input : read.graph.inputs()) {
    const Value& value = read.graph.value(input);
    if (value.origin == ValueOrigin::kInput) facts.inputs.push_back({value.name, value.type});
  }
  facts.weights = weights_by_size(read.graph, read.weight_files);
  facts.barriers = barriers_by_cause(read.graph, read.barriers, kUnknownOperand);
  facts.notes = read.notes;
  return facts;
}

}  // namespace fuselab::engine
