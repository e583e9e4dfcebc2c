// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft: as the imported graph computes them, and as the file does when it is evaluated node by node.
#include "tests/unit/import/composed/both_ways.h"
#include "tests/unit/import/type_codes.h"

namespace fuselab {
namespace {

using testing::expect_both;
using testing::imported;
using testing::ModelMaker;

using namespace testing::code;

ModelMaker contributed(const std::string& op, const std::vector<std::pair<std::string, std::vector<std::string>>>& operands,
                       const std::vector<std::string>& results = {"y"}) {
  ModelMaker maker;
  std::vector<std::string> names;
  for (const auto& [name, extents] : operands) {
    if (!name.empty()) maker.input(name, extents);
    names.push_back(name);
  }
  maker.node(op, names, results).in_domain("com.microsoft");
  return maker;
}

TEST(Contributed, GelusOfThreeKinds) {
  expect_both(contributed("Gelu", {{"x", {"1"}}}).output("y", {"1"}), {{1}}, {0.8413447460685429});
  expect_both(contributed("BiasGelu", {{"x", {"2"}}, {"b", {"2"}}}).output("y", {"2"}), {{1, -1}, {0, 1}}, {0.8413447460685429, 0});
  expect_both(contributed("FastGelu", {{"x", {"1"}}}).output("y", {"1"}), {{1}}, {0.8411919906082768});
  expect_both(contributed("FastGelu", {{"x", {"1"}}, {"b", {"1"}}}).output("y", {"1"}), {{2}, {-1}}, {0.8411919906082768});
  expect_both(contributed("QuickGelu", {{"x", {"1"}}}).output("y", {"1"}), {{1}}, {0.8457957659328212}, 1e-6);
  expect_both(contributed("QuickGelu", {{"x", {"1"}}}).with_real("alpha", 1).output("y", {"1"}), {{1}}, {0.7310585786300049});
}

TEST(Contributed, ProductsThatTurnAndScaleTheirOperands) {
  const auto made = [](const std::string& a, const std::string& b) {
    return contributed("FusedMatMul", {{"a", {"1", a, b}}, {"b", {"2", "2"}}}).with_real("alpha", 0.5).with("transB", 1);
  };
  expect_both(made("1", "2").output("y", {"1", "1", "2"}), {{1, 2}, {3, 4, 5, 6}}, {5.5, 8.5});
  expect_both(made("2", "1").with("transA", 1).output("y", {"1", "1", "2"}), {{1, 2}, {3, 4, 5, 6}}, {5.5, 8.5});
  EXPECT_EQ(testing::barrier_of(made("1", "2").with("transBatchA", 1).output("y")), "it exchanges axes of its batch");
  auto gemm = contributed("FusedGemm", {{"a", {"1", "2"}}, {"b", {"2", "2"}}, {"c", {"2"}}});
  gemm.with_real("alpha", 2).with_real("beta", 3).with_text("activation", "LeakyRelu").with_real("activation_alpha", 0.5);
  expect_both(gemm.output("y", {"1", "2"}), {{1, 1}, {1, -2, 1, -2}, {1, 0}}, {7, -4});
  auto hard = contributed("FusedGemm", {{"a", {"1", "1"}}, {"b", {"1", "1"}}});
  hard.with_text("activation", "HardSigmoid").with_real("activation_beta", 0.25F);
  expect_both(hard.output("y", {"1", "1"}), {{1}, {1}}, {0.45}, 1e-6);
}

TEST(Contributed, ConvolutionsWithASumAndAnActivation) {
  const std::vector<std::string> image = {"1", "1", "1", "2"};
  const auto made = [&](const std::string& activation) {
    return contributed("FusedConv", {{"x", image}, {"w", {"1", "1", "1", "1"}}, {"b", {"1"}}, {"z", image}})
        .with_text("activation", activation);
  };
  const std::vector<std::vector<double>> inputs = {{1, -1}, {-2}, {1}, {10, -20}};
  expect_both(made("Relu").output("y", image), inputs, {9, 0});
  expect_both(made("HardSigmoid").output("y", image), inputs, {1, 0});
  expect_both(contributed("FusedConv", {{"x", image}, {"w", {"1", "1", "1", "1"}}}).output("y", image), {{1, -1}, {-2}}, {-2, 2});
  EXPECT_EQ(testing::imported(made("Swish").output("y")).barriers.begin()->second, "its activation 'Swish' is not known");
}

TEST(Contributed, SumsThatAreNormalised) {
  const std::vector<std::string> rows = {"1", "1", "2"};
  auto layer = contributed("SkipLayerNormalization", {{"x", rows}, {"s", rows}, {"g", {"2"}}, {"b", {"2"}}});
  expect_both(layer.output("y", rows), {{1, 2}, {1, -2}, {2, 3}, {1, 1}}, {3, -2}, 1e-6);
  auto simplified = contributed("SkipSimplifiedLayerNormalization", {{"x", rows}, {"s", rows}, {"g", {"2"}}});
  expect_both(simplified.output("y", rows), {{1, 2}, {2, 2}, {1, 1}}, {0.848528137423857, 1.131370849898476});
  auto sum = contributed("SkipLayerNormalization", {{"x", rows}, {"s", {"2"}}, {"g", {"2"}}, {"", {}}, {"c", {"2"}}},
                         {"y", "", "", "sum"});
  expect_both(sum.output("sum", rows), {{1, 2}, {2, 2}, {1, 1}, {10, 20}}, {13, 24});
  auto mean = contributed("SkipLayerNormalization", {{"x", rows}, {"s", rows}, {"g", {"2"}}}, {"y", "mean"});
  EXPECT_EQ(imported(mean.output("mean")).barriers.begin()->second, "its mean or its deviation is read");
  ModelMaker older;
  older.input("x", {"1", "2"}).input("g", {"2"}).node("SimplifiedLayerNormalization", {"x", "g"}, {"y"}).with_real("epsilon", 0);
  expect_both(older.output("y", {"1", "2"}), {{3, 4}, {1, 2}}, {0.848528137423857, 2.262741699796952});
}

TEST(Contributed, SumsAndProductsOfQuantisedNumbers) {
  const auto made = [](const std::string& op) {
    ModelMaker maker;
    maker.input("a", {"2"}, kU8).input("as", {}).input("az", {}, kU8).input("b", {"2"}, kU8).input("bs", {});
    maker.input("ys", {}).input("yz", {}, kU8);
    maker.node(op, {"a", "as", "az", "b", "bs", "", "ys", "yz"}, {"y"}).in_domain("com.microsoft");
    return maker.output("y", {"2"}, kU8);
  };
  const std::vector<std::vector<double>> inputs = {{10, 20}, {0.5}, {10}, {4, 255}, {1}, {2}, {3}};
  expect_both(made("QLinearAdd"), inputs, {5, 133});
  expect_both(made("QLinearMul"), inputs, {3, 255});
}

TEST(Contributed, OthersStayBarriers) {
  const auto model = imported(contributed("Inverse", {{"x", {"2", "2"}}}).output("y"));
  EXPECT_EQ(model.barriers.begin()->second, "its domain is not ONNX's own");
  ModelMaker dotted;
  dotted.input("x", {"2"}).node("com.microsoft.Gelu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(imported(dotted).barriers.begin()->second, "the operator is not known");
}

}  // namespace
}  // namespace fuselab
