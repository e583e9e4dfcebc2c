// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/evaluation/file_evaluation.h"
#include "tests/unit/import/evaluated.h"

namespace fuselab::testing {

// Expects these numbers of the model's first output: of the imported graph, and of the file when it is evaluated node by node. The
// two share no step.
inline void expect_both(ModelMaker& maker, const std::vector<std::vector<double>>& inputs, const std::vector<double>& expected,
                        double relative = 1e-9) {
  const ImportedModel model = imported(maker);
  {
    SCOPED_TRACE("the imported graph");
    expect_close(evaluated(model, inputs), expected, relative);
  }
  ASSERT_EQ(model.graph.inputs().size(), inputs.size());
  std::map<std::string, RealTensor> named;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const ValueId input = model.graph.inputs()[i];
    named[model.graph.value(input).name] = {model.graph.type(input), inputs[i]};
  }
  SCOPED_TRACE("the file");
  const auto outputs = onnx::evaluate_graph(maker.model(), {}, named);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  expect_close(outputs.value().front().data, expected, relative);
}
inline void expect_both(ModelMaker&& maker, const std::vector<std::vector<double>>& inputs, const std::vector<double>& expected,
                        double relative = 1e-9) {
  expect_both(maker, inputs, expected, relative);
}

}  // namespace fuselab::testing
