// SPDX-License-Identifier: Apache-2.0
// Further results of operators: what shares their work is written out where something reads them, and nothing is where not.
#include <algorithm>
#include <cmath>

#include "core/fusion/partition/fusion_engine.h"
#include "evaluated.h"

namespace fuselab {
namespace {

using testing::barrier_of;
using testing::error_of;
using testing::expect_close;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;
using testing::some_numbers;

// All results of a model, in order.
std::vector<std::vector<double>> all_of(const ModelMaker& maker, const std::vector<std::vector<double>>& inputs) {
  const auto model = imported(maker);
  EXPECT_EQ(model.opaque_nodes, 0) << (model.notes.empty() ? "" : model.notes.front());
  std::vector<RealTensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back({model.graph.type(model.graph.inputs()[i]), inputs[i]});
  const auto results = evaluate_reference(model.graph, tensors);
  EXPECT_TRUE(results.ok()) << (results.ok() ? "" : results.error().message);
  std::vector<std::vector<double>> numbers;
  if (results.ok()) {
    for (const RealTensor& each : results.value()) numbers.push_back(each.data);
  }
  return numbers;
}

// Of which a kernel is made: views move nothing.
std::size_t kernels_of(const ModelMaker& maker) {
  const auto fused = fuse(imported(maker).graph, options_for(OptimizationLevel::kO2));
  if (!fused.ok()) return 0;
  const auto computes = [](const Node& node) { return node.op != Op::kConstant && !is_view(node.op); };
  const auto runs = [&](const FusedOperation& piece) {
    return std::any_of(piece.graph.nodes().begin(), piece.graph.nodes().end(), computes);
  };
  return static_cast<std::size_t>(std::count_if(fused.value().operations.begin(), fused.value().operations.end(), runs));
}

ModelMaker layer_norm(std::int64_t axis, const std::vector<std::string>& scale, const std::vector<std::string>& results) {
  ModelMaker maker(17);
  maker.input("x", {"2", "2", "3"}).input("s", scale).input("b", scale);
  maker.node("LayerNormalization", {"x", "s", "b"}, {"y", "mean", "inverse"}).with("axis", axis).with_real("epsilon", 0.5F);
  for (const auto& name : results) maker.output(name);
  return maker;
}

TEST(SecondResults, OfALayerNormAreItsMeanAndTheInverseOfItsDeviation) {
  const std::vector<double> x{1, 2, 6, -4, 0, 1, 5, 5, 5, 3, 1, -1};
  const std::vector<std::vector<double>> inputs{x, {1, 2, 3}, {0.5, 0, -1}};
  const auto maker = layer_norm(-1, {"3"}, {"y", "mean", "inverse"});
  const auto results = all_of(maker, inputs);
  ASSERT_EQ(results.size(), 3U);
  expect_close(results[0], all_of(layer_norm(-1, {"3"}, {"y"}), inputs).front(), 1e-6);
  expect_close(results[1], {3, -1, 5, 1});
  // The variances of the rows, and epsilon.
  expect_close(results[2],
               {1 / std::sqrt(14.0 / 3 + 0.5), 1 / std::sqrt(14.0 / 3 + 0.5), 1 / std::sqrt(0.5), 1 / std::sqrt(8.0 / 3 + 0.5)});
  EXPECT_EQ(output_type(imported(maker).graph, 1), "f32[2,2,1]");
  EXPECT_EQ(kernels_of(maker), 1U);
  EXPECT_EQ(operators_of(imported(layer_norm(-1, {"3"}, {"y"})).graph), "LayerNormalization");
}

TEST(SecondResults, OfALayerNormOverSeveralAxesAreOneKernelToo) {
  const std::vector<double> x = some_numbers(12);
  const std::vector<double> scale{1, 2, 3, 4, 5, 6}, bias{6, 5, 4, 3, 2, 1};
  const auto maker = layer_norm(1, {"2", "3"}, {"y", "inverse"});
  const auto results = all_of(maker, {x, scale, bias});
  ASSERT_EQ(results.size(), 2U);
  expect_close(results[0], all_of(layer_norm(1, {"2", "3"}, {"y"}), {x, scale, bias}).front(), 1e-6);
  EXPECT_EQ(results[1].size(), 2U);
  EXPECT_EQ(output_type(imported(maker).graph, 1), "f32[2,1,1]");
  EXPECT_EQ(kernels_of(maker), 1U);
  // A scale of fewer axes than are normalised, and axes that are not there.
  const auto broadcast = layer_norm(1, {"3"}, {"y", "mean"});
  expect_close(all_of(broadcast, {x, {1, 2, 3}, {0, 1, 2}}).front(),
               all_of(layer_norm(1, {"3"}, {"y"}), {x, {1, 2, 3}, {0, 1, 2}}).front(), 1e-6);
  EXPECT_TRUE(has(error_of(layer_norm(3, {"3"}, {"y", "mean"})), "axis 3 is outside rank 3"));
}

TEST(SecondResults, OfAHalfPrecisionLayerNormAreF32) {
  ModelMaker maker(17);
  maker.input("x", {"1", "2"}, 10)
      .input("s", {"2"}, 10)
      .node("LayerNormalization", {"x", "s"}, {"y", "mean"})
      .output("y")
      .output("mean");
  EXPECT_EQ(output_type(imported(maker).graph, 0), "f16[1,2]");
  EXPECT_EQ(output_type(imported(maker).graph, 1), "f32[1,1]");
  expect_close(all_of(maker, {{1, 3}, {1, 1}})[1], {2});
  EXPECT_EQ(barrier_of(maker.with("stash_type", 16)), "its first stage is not computed in f32");
}

ModelMaker cross_entropy(bool weighted, bool with_second) {
  ModelMaker maker(13);
  maker.input("x", {"2", "3"}).input("l", {"2"}, 7);
  if (weighted) maker.input("w", {"3"});
  maker.node("SoftmaxCrossEntropyLoss", weighted ? std::vector<std::string>{"x", "l", "w"} : std::vector<std::string>{"x", "l"},
             {"loss", "log"});
  maker.with("ignore_index", 1).with_text("reduction", "sum").output("loss");
  return with_second ? maker.output("log") : maker;
}

TEST(SecondResults, OfACrossEntropyIsTheLogarithmOfItsSoftmax) {
  const std::vector<double> x{1, 1, 1, 0, std::log(2.0), std::log(5.0)};
  const auto results = all_of(cross_entropy(false, true), {x, {0, 2}});
  ASSERT_EQ(results.size(), 2U);
  expect_close(results[0], {std::log(3.0) + std::log(8.0 / 5)}, 1e-6);
  expect_close(results[1], {-std::log(3.0), -std::log(3.0), -std::log(3.0), -std::log(8.0), std::log(2.0 / 8), std::log(5.0 / 8)},
               1e-6);
  expect_close(all_of(cross_entropy(true, true), {x, {1, 2}, {9, 9, 2}}).front(), {2 * std::log(8.0 / 5)}, 1e-6);
  EXPECT_EQ(operators_of(imported(cross_entropy(true, true)).graph), "LogSoftmax NegativeLogLikelihoodLoss");
  EXPECT_EQ(operators_of(imported(cross_entropy(true, false)).graph), "SoftmaxCrossEntropyLoss");
}

ModelMaker batch_norm(const std::vector<std::string>& results, int code = 1) {
  ModelMaker maker(15);
  maker.input("x", {"2", "2", "2"}).input("s", {"2"}).input("b", {"2"}).input("m", {"2"}, code).input("v", {"2"}, code);
  maker.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y", "mean", "variance"}).with("training_mode", 1);
  maker.with_real("momentum", 0.75F).with_real("epsilon", 1.0F);
  for (const auto& name : results) maker.output(name);
  return maker;
}

TEST(SecondResults, OfATrainingBatchNormAreItsRunningStatistics) {
  const std::vector<double> x{1, 3, 0, 0, 5, 7, 0, 4};
  const auto results = all_of(batch_norm({"y", "mean", "variance"}), {x, {1, 2}, {0, 1}, {8, 8}, {1, 3}});
  ASSERT_EQ(results.size(), 3U);
  const double first = std::sqrt(6.0), second = std::sqrt(4.0);
  expect_close(results[0],
               {-3 / first, -1 / first, 1 - 2 / second, 1 - 2 / second, 1 / first, 3 / first, 1 - 2 / second, 1 + 6 / second});
  expect_close(results[1], {7, 6.25});
  expect_close(results[2], {0.75 + 0.25 * 5, 0.75 * 3 + 0.25 * 3});
  expect_close(all_of(batch_norm({"y"}), {x, {1, 2}, {0, 1}, {8, 8}, {1, 3}}).front(), results[0]);
  EXPECT_EQ(imported(batch_norm({"y"}, 10)).barriers.begin()->second, "its statistics are of another type than its input");
}

ModelMaker max_pool(const std::vector<std::string>& shape, std::int64_t storage_order) {
  ModelMaker maker(12);
  maker.input("x", shape)
      .node("MaxPool", {"x"}, {"y", "places"})
      .with_list("kernel_shape", {2, 2})
      .with("storage_order", storage_order);
  return maker.output("y").output("places");
}

TEST(SecondResults, OfAMaxPoolAreThePlacesOfItsLargestElements) {
  // Two channels of 2 × 3.
  const std::vector<double> x{1, 5, 2, 4, 3, 9, 8, 8, 0, 7, 8, 1};
  const auto rows = all_of(max_pool({"1", "2", "2", "3"}, 0), {x});
  ASSERT_EQ(rows.size(), 2U);
  expect_close(rows[0], {5, 9, 8, 8});
  expect_close(rows[1], {1, 5, 6, 7});
  expect_close(all_of(max_pool({"1", "2", "2", "3"}, 1), {x})[1], {2, 5, 6, 8});
  EXPECT_EQ(output_type(imported(max_pool({"1", "2", "2", "3"}, 0)).graph, 1), "i64[1,2,1,2]");
}

TEST(SecondResults, OfAMaxPoolAreCountedWithoutItsPadding) {
  const auto padded = [] {
    return max_pool({"1", "1", "3", "3"}, 0)
        .with_list("pads", {1, 1, 0, 0})
        .with_list("strides", {2, 2})
        .with_list("dilations", {1, 1});
  };
  const auto results = all_of(padded(), {{-9, -8, -7, -6, -5, -4, -3, -2, -1}});
  expect_close(results[0], {-9, -7, -3, -1});
  expect_close(results[1], {0, 2, 6, 8});
  // The last windows end beyond the input.
  const auto beyond = max_pool({"1", "1", "3", "3"}, 0).with("ceil_mode", 1).with_list("strides", {2, 2});
  expect_close(all_of(beyond, {{-1, -2, -3, -4, -5, -6, -7, -8, -9}})[1], {0, 2, 6, 8});
}

TEST(SecondResults, OfAMaxPoolAreNotUnderstoodEverywhere) {
  EXPECT_EQ(imported(max_pool({"n", "1", "3", "3"}, 0)).barriers.begin()->second,
            "its indices are read, and its extents are not known");
  ModelMaker large(12);
  large.input("x", {"1", "1", "99", "99"}).node("MaxPool", {"x"}, {"y", "places"}).with_list("kernel_shape", {9, 9});
  EXPECT_EQ(imported(large.output("y").output("places")).barriers.begin()->second,
            "its indices are read, and its window has more than 64 elements");
  ModelMaker whole(12);
  whole.input("x", {"1", "1", "4"}, 3)
      .node("MaxPool", {"x"}, {"y", "places"})
      .with_list("kernel_shape", {2})
      .with_list("pads", {1, 0});
  EXPECT_EQ(imported(whole.output("y").output("places")).barriers.begin()->second,
            "its indices are read, and beside its padding whole numbers have no smallest one");
}

}  // namespace
}  // namespace fuselab
