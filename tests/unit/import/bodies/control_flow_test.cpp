// SPDX-License-Identifier: Apache-2.0
// Small models with Loop, If and BatchNormalization give what ONNX Runtime gives (tests/models/make_control_flow.py), as they are
// read and folded.
#include <gtest/gtest.h>

#include <iostream>

#include "core/fusion/fold/fold_weights.h"
#include "core/reference/reference.h"
#include "tests/support/onnx_case.h"

namespace fuselab {
namespace {

// Returns the case's graph and numbers with what its weights decide alone folded, or nothing where there is nothing to fold.
std::optional<test::ReadyCase> folded(const test::ReadyCase& ready) {
  auto made = fold_weights(ready.graph, ready.constants);
  if (!made) return std::nullopt;
  PackedNumbers numbers;
  for (std::size_t i = 0; i < ready.inputs.size(); ++i)
    numbers[ready.graph.value(ready.graph.inputs()[i]).name] = pack(ready.inputs[i]);
  compute_folded(*made, numbers);
  test::ReadyCase all;
  for (const ValueId input : made->graph.inputs())
    all.inputs.push_back(unpack(made->graph.type(input), numbers.at(made->graph.value(input).name)).value());
  all.graph = std::move(made->graph);
  return all;
}

void expect_as_onnx_says(const test::OnnxCase& expected, const test::ReadyCase& ready) {
  const auto actual = evaluate_reference(ready.graph, ready.inputs);
  ASSERT_TRUE(actual.ok()) << actual.error().message;
  ASSERT_EQ(actual.value().size(), expected.outputs.size());
  for (std::size_t i = 0; i < actual.value().size(); ++i) EXPECT_EQ(test::difference(expected, i, actual.value()[i]), "");
}

TEST(ControlFlow, GivesWhatOnnxRuntimeGives) {
  int with_folds = 0;
  const auto folders = test::control_flow_cases();
  EXPECT_GE(folders.size(), 9u);
  for (const auto& folder : folders) {
    SCOPED_TRACE(folder.filename().string());
    const auto read = test::read_onnx_case(folder);
    ASSERT_TRUE(read);
    const test::ReadyCase ready = test::ready(*read);
    ASSERT_EQ(ready.skipped, "");
    expect_as_onnx_says(*read, ready);
    if (const auto all = folded(ready)) {
      ++with_folds;
      expect_as_onnx_says(*read, *all);
    }
  }
  EXPECT_GE(with_folds, 1);
}

}  // namespace
}  // namespace fuselab
