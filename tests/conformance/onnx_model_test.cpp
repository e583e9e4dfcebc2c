// SPDX-License-Identifier: Apache-2.0
// Graphs as the ONNX models that backends hand to libraries: the importer reads them back as the same graphs.
#include <gtest/gtest.h>

#include "backends/onnx/onnx_model.h"
#include "core/graph/graph_text.h"
#include "core/import/onnx_import.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"
#include "tests/conformance/operator_graphs.h"

namespace fuselab::conformance {
namespace {

Result<Graph> read_back(const std::string& model) {
  FL_TRY(const ImportedModel imported, import_onnx_bytes(std::as_bytes(std::span(model)), {}));
  return imported.graph;
}

// A model knows no parameters where no numbers are given.
std::string as_inputs(const Graph& graph) {
  std::string text = named_text(graph);
  for (std::size_t at = text.find("param "); at != std::string::npos; at = text.find("param ")) text.erase(at, 6);
  return canonical_text(parse_graph(text).value());
}

// "" when the graph that was read back is the same text, or, where the model holds its numbers rounded to f32 or the importer
// translates an operator into others, computes the same.
std::string difference(const Graph& graph, const Graph& read) {
  if (as_inputs(read) == as_inputs(graph)) return "";
  // A whole number that float64 does not hold stays a tensor of the model.
  if (read.inputs().size() > graph.inputs().size() && read.value(read.inputs().back()).type.dtype == DType::kI64) return "";
  const std::vector<RealTensor> inputs = make_inputs(graph, {});
  const auto expected = expected_outputs(graph, inputs, 1);
  const auto actual = evaluate_reference(read, inputs);
  if (!expected.ok() || !actual.ok()) return "not evaluated: " + canonical_text(read);
  const auto verification = compare_outputs(graph, expected.value(), actual.value());
  return verification.passed ? "" : verification.detail + ": " + canonical_text(read);
}

class OnnxModels : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = onnx_model::write_onnx(parse_graph("graph(x: f32[2]) { y = Neg(x); return y }").value());
    ASSERT_TRUE(probe.ok()) << probe.error().message;
    const auto read = read_back(probe.value());
    if (!read.ok() && read.error().code == ErrorCode::kUnavailable) GTEST_SKIP() << read.error().message;
    ASSERT_TRUE(read.ok()) << read.error().message;
  }
};

TEST_F(OnnxModels, AreReadBackAsTheSameGraphs) {
  int compared = 0;
  for (const Op op : computed_ops()) {
    for (const DType dtype : {DType::kF32, DType::kI64, DType::kBool}) {
      for (const auto& [what, graph] : graphs_of(op, dtype)) {
        SCOPED_TRACE(what + ": " + canonical_text(graph));
        const auto model = onnx_model::write_onnx(graph);
        ASSERT_TRUE(model.ok()) << model.error().message;
        const auto read = read_back(model.value());
        ASSERT_TRUE(read.ok()) << read.error().message;
        EXPECT_EQ(difference(graph, read.value()), "");
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100);
  for (const auto& [id, graph] : small_workloads()) {
    const auto model = onnx_model::write_onnx(graph);
    if (!model.ok()) continue;  // an operator without a form in ONNX has its reason
    const auto read = read_back(model.value());
    ASSERT_TRUE(read.ok()) << id << ": " << read.error().message;
    EXPECT_EQ(difference(graph, read.value()), "") << id;
  }
}

TEST_F(OnnxModels, HoldTheWeightsThatTheyAreGiven) {
  const Graph graph = parse_graph("graph(x: f32[2,3], w: param f32[3,2]) { y = MatMul(x, w); return y, x, y }").value();
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const auto model = onnx_model::write_onnx(graph, {{}, std::as_bytes(std::span(numbers))});
  ASSERT_TRUE(model.ok()) << model.error().message;
  const auto read = read_back(model.value());
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().inputs().size(), 2U);
  EXPECT_EQ(read.value().value(read.value().inputs()[1]).origin, ValueOrigin::kParam);
  EXPECT_EQ(read.value().outputs().size(), 3U);
}

}  // namespace
}  // namespace fuselab::conformance
