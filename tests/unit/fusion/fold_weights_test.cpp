// SPDX-License-Identifier: Apache-2.0
// What weights decide alone goes into weights, and what the graph computes stays what the float64 reference says.
#include "core/fusion/fold/fold_weights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/tensor/tensor.h"

namespace fuselab {
namespace {

std::set<std::string> params_of(const Graph& graph) {
  std::set<std::string> names;
  for (const ValueId input : graph.inputs()) {
    if (graph.value(input).origin == ValueOrigin::kParam) names.insert(graph.value(input).name);
  }
  return names;
}

std::string operators_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    if (node.op != Op::kConstant) text += (text.empty() ? "" : " ") + std::string(name_of(node.op));
  }
  return text;
}

// Folds everything, and holds what the folded graph computes against the given one; returns the operators that are left.
std::string folded(const std::string& text, double relative = 1e-5) {
  const auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const Graph& whole = graph.value();
  auto made = fold_weights(whole, params_of(whole));
  if (!made) return "nothing";
  const auto inputs = make_inputs(whole, {});
  PackedNumbers numbers;
  std::map<std::string, RealTensor> given;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = whole.value(whole.inputs()[i]);
    given[value.name] = inputs[i];
    if (value.origin == ValueOrigin::kParam) numbers[value.name] = pack(inputs[i]);
  }
  compute_folded(*made, numbers);
  std::vector<RealTensor> now;
  for (const ValueId input : made->graph.inputs()) {
    const Value& value = made->graph.value(input);
    if (value.origin == ValueOrigin::kParam) {
      EXPECT_TRUE(numbers.contains(value.name)) << value.name;
      now.push_back(unpack(value.type, numbers[value.name]).value());
    } else {
      now.push_back(given.at(value.name));
    }
  }
  EXPECT_EQ(numbers.size(), params_of(made->graph).size()) << "what nobody reads any more is let go";
  const auto before = evaluate_reference(whole, inputs), after = evaluate_reference(made->graph, now);
  EXPECT_TRUE(before.ok() && after.ok());
  for (std::size_t i = 0; i < before.value().size(); ++i) {
    EXPECT_EQ(before.value()[i].type, after.value()[i].type);
    EXPECT_EQ(whole.value(whole.outputs()[i]).name, made->graph.value(made->graph.outputs()[i]).name);
    for (std::size_t k = 0; k < before.value()[i].data.size(); ++k) {
      const double expected = before.value()[i].data[k];
      EXPECT_NEAR(after.value()[i].data[k], expected, relative * (1 + std::fabs(expected))) << "at " << k;
    }
  }
  return operators_of(made->graph);
}

constexpr const char* kNorm = ", g: param f32[8], b: param f32[8], mu: param f32[8], va: param f32[8]";

TEST(FoldWeights, ABatchNormalizationGoesIntoAConvolution) {
  const std::string begin = "graph(x: f32[2,4,6,6], w: param f32[8,4,3,3]" + std::string(kNorm);
  EXPECT_EQ(folded(begin + ") { c = Conv(x, w, pads=[1,1,1,1]); n = BatchNormalization(c, g, b, mu, va); y = Relu(n); return y }"),
            "Conv Relu");
  EXPECT_EQ(folded(begin + ", k: param f32[8]) { c = Conv(x, w, k); n = BatchNormalization(c, g, b, mu, va, epsilon=0.1);"
                           " return n }"),
            "Conv");
  EXPECT_EQ(folded("graph(x: f32[2,8,6,6], w: param f32[8,1,3,3]" + std::string(kNorm) +
                   ") { c = Conv(x, w, group=8); n = BatchNormalization(c, g, b, mu, va); return n }"),
            "Conv");
}

TEST(FoldWeights, ABatchNormalizationGoesIntoAProduct) {
  const auto gemm = [](const std::string& weight, const std::string& bias, const std::string& attributes) {
    return folded("graph(x: f32[3,4], w: param f32[" + weight + "]" + kNorm + bias + ") { c = Gemm(x, w" +
                  (bias.empty() ? "" : ", k") + attributes + "); n = BatchNormalization(c, g, b, mu, va); return n }");
  };
  EXPECT_EQ(gemm("4,8", "", ""), "Gemm");
  EXPECT_EQ(gemm("8,4", ", k: param f32[8]", ", transB=1"), "Gemm");
  EXPECT_EQ(gemm("4,8", ", k: param f32[1,8]", ", alpha=0.5, beta=3.0"), "Gemm");
  EXPECT_EQ(gemm("4,8", ", k: param f32[3,8]", ""), "nothing") << "not one number for each channel";
  EXPECT_EQ(folded("graph(x: f32[3,4], w: param f32[4,8]" + std::string(kNorm) +
                   ") { c = MatMul(x, w); n = BatchNormalization(c, g, b, mu, va); return n }"),
            "MatMul Add");
  // The channels of a product of more axes are not its columns.
  EXPECT_EQ(folded("graph(x: f32[3,8,4], w: param f32[4,8]" + std::string(kNorm) +
                   ") { c = MatMul(x, w); n = BatchNormalization(c, g, b, mu, va); return n }"),
            "nothing");
}

TEST(FoldWeights, WhatOthersReadStays) {
  const std::string begin = "graph(x: f32[2,4,6,6], w: param f32[8,4,3,3]" + std::string(kNorm);
  EXPECT_EQ(folded(begin + ") { c = Conv(x, w); n = BatchNormalization(c, g, b, mu, va); y = Add(c, n); return y }"), "nothing");
  EXPECT_EQ(folded(begin + ") { c = Conv(x, w); n = BatchNormalization(c, g, b, mu, va); return n, c }"), "nothing");
  EXPECT_EQ(folded(begin + ") { c = Conv(x, w); n = BatchNormalization(c, g, b, mu, va) @NoFusion(\"studied\"); return n }"),
            "nothing");
  // A weight of two convolutions stays for the other one.
  EXPECT_EQ(
      folded(begin + ") { c = Conv(x, w); n = BatchNormalization(c, g, b, mu, va); d = Conv(x, w); y = Add(n, d); return y }"),
      "Conv Conv Add");
}

TEST(FoldWeights, OperatorsOverWeightsAloneBecomeWeights) {
  EXPECT_EQ(folded("graph(x: f32[3,4], w: param f32[8,4], k: param f32[4]) { a = Mul(w, k); t = Transpose(a, perm=[1,0]);"
                   " e = Exp(t); y = MatMul(x, e); return y }"),
            "MatMul");
  // They go into the weights of what is normalised behind them.
  EXPECT_EQ(folded("graph(x: f32[3,4], w: param f32[8,4]" + std::string(kNorm) +
                   ") { t = Transpose(w, perm=[1,0]); c = Gemm(x, t); n = BatchNormalization(c, g, b, mu, va); return n }"),
            "Gemm");
  // Kernels widen narrow weights on the way: folding would only make more bytes of them.
  EXPECT_EQ(folded("graph(x: f32[3,256], w: param i8[256,256]) { c = Cast(w, to=\"f32\"); y = MatMul(x, c); return y }"),
            "nothing");
  EXPECT_EQ(folded("graph(x: f32[3,4], w: param f32[4]) { y = Add(x, w); z = Exp(w); return y, z }"), "nothing")
      << "what the graph gives back stays computed";
}

TEST(FoldWeights, EachFoldIsSaid) {
  const Graph graph = parse_graph("graph(x: f32[3,4], w: param f32[8,4]" + std::string(kNorm) +
                                  ") { t = Transpose(w, perm=[1,0]); c = Gemm(x, t); n = BatchNormalization(c, g, b, mu, va);"
                                  " return n }")
                          .value();
  const auto made = fold_weights(graph, params_of(graph));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->fold_notes, (std::vector<std::string>{"Transpose 't' folded into the weight 't_folded': it reads weights alone",
                                                        "BatchNormalization 'n' folded into the weights of Gemm 'c'"}));
}

TEST(FoldWeights, OnlyWhatHasNumbersIsFolded) {
  const Graph graph =
      parse_graph("graph(x: f32[3,4], w: param f32[8,4]) { t = Transpose(w, perm=[1,0]); y = MatMul(x, t); return y }").value();
  EXPECT_FALSE(fold_weights(graph, {}));
  EXPECT_FALSE(fold_weights(graph, {"x", "y", "t"}));
  const auto made = fold_weights(graph, {"w"});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->operators, 1);
  EXPECT_FALSE(made->moved[0]);
  EXPECT_TRUE(made->moved[1]);
  PackedNumbers none;
  compute_folded(*made, none);
  EXPECT_TRUE(none.empty());
}

// What asks for more than anything holds stays as it is, and nothing of it is ever made.
TEST(FoldWeights, IsBounded) {
  EXPECT_EQ(folded("graph(x: f32[4,1], w: param f32[1048576,1048576]) { e = Exp(w); y = MatMul(e, e); z = ReduceSum(y); return z }")
                .substr(0, 7),
            "nothing");
  EXPECT_EQ(folded("graph(x: f32[1,1], w: param f32[1]) { e = Expand(w, shape=[1048576,1048576]); y = Mul(e, x); return y }"),
            "nothing");
  EXPECT_EQ(folded("graph(x: f32[1,4096], w: param f32[4096,4096]) { e = MatMul(w, w); y = MatMul(x, e); return y }"), "nothing");
}

}  // namespace
}  // namespace fuselab
