// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/piece.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {
namespace {

TEST(Piece, OfViewsAloneNeedsNoKernelAndMovesNothing) {
  for (const char* const view : {"Reshape(x, shape=[8,4])", "Flatten(x, axis=0)", "Unsqueeze(x, axes=[0])"}) {
    Subject subject;
    subject.graph = parse_graph("graph(x: f32[4,8]) { y = " + std::string(view) + "; return y }").value();
    const auto fused_model = cut(std::move(subject), OptimizationLevel::kO2);
    ASSERT_TRUE(fused_model.ok()) << fused_model.error().message;
    ASSERT_EQ(fused_model.value().pieces.size(), 1U);
    const Piece& piece = fused_model.value().pieces[0];
    EXPECT_EQ(piece.not_measured, "no kernel: it only gives memory another shape and moves no bytes");
    EXPECT_EQ(piece.operation.cost.ideal().count, 0) << view;
    EXPECT_EQ(piece.operation.cost.eager().count, 0) << view;
  }
}

// Add → an operator that nobody knows → Relu of what that gives, whose type is not known.
Subject half_known() {
  Subject subject;
  subject.name = "barrier.onnx";
  const ValueId x = subject.graph.add_input("x", {DType::kF32, {8}});
  const ValueId sum = subject.graph.node(subject.graph.add_node(Op::kAdd, {x, x}).value()).outputs.front();
  const TensorType any{DType::kF32, {}};
  const NodeId unknown = subject.graph.add_opaque("my.dom.FooBar", {sum}, {any});
  const NodeId untyped = subject.graph.add_opaque("Relu", {subject.graph.node(unknown).outputs.front()}, {any});
  subject.graph.add_output(subject.graph.node(untyped).outputs.front());
  subject.barriers = {{unknown, "the operator is not known"}, {untyped, "it reads a tensor whose type is not known"}};
  subject.notes = {"node 'r': Relu is a barrier: it reads a tensor whose type is not known"};
  return subject;
}

// What a run stores of it, as the next reader finds it.
Catalog stored(const FusedModel& fused_model) {
  Catalog catalog;
  for (const Piece& piece : fused_model.pieces) {
    catalog.pieces.push_back({piece.key, canonical_text(piece.operation.graph), piece.operation.name,
                              std::string(name_of(piece.operation.pattern)), piece.operation.cost});
    catalog.model_pieces.push_back({"run", fused_model.subject.name, "", piece.key, piece.operation.name, 0, piece.operation.count,
                                    piece.not_measured, fused_model.level, ""});
  }
  return catalog;
}

Subject two_kernels() {
  Subject subject;
  subject.name = "two.graph";
  subject.graph =
      parse_graph("graph(x: f32[4,8], w: param f32[8,8]) { y = MatMul(x, w); z = Softmax(y, axis=-1); return z }").value();
  return subject;
}

TEST(Piece, OfAWholeModelIsBesideItsPiecesAndHasNoOperatorsApart) {
  const auto fused_model = cut(two_kernels(), OptimizationLevel::kO0);
  ASSERT_TRUE(fused_model.ok()) << fused_model.error().message;
  EXPECT_EQ(fused_model.value().pieces.size(), 2U);
  const std::optional<Piece>& whole = fused_model.value().whole;
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->operation.name, "two.graph");
  EXPECT_EQ(whole->operation.graph.nodes().size(), 2U);
  EXPECT_TRUE(whole->is_single());
  EXPECT_EQ(whole->not_measured, "");
  EXPECT_FALSE(cut(half_known(), OptimizationLevel::kO0).value().whole) << "nobody could verify it";
}

TEST(Piece, OfAWholeModelSaysWhatItsReferenceTakesWhereThatIsMuch) {
  const auto whole_of = [](const std::string& extent) {
    Subject subject;
    subject.graph =
        parse_graph("graph(x: f32[" + extent + "," + extent + "]) { y = MatMul(x, x); z = MatMul(y, x); return z }").value();
    return cut(std::move(subject), OptimizationLevel::kO0).value().whole.value();
  };
  EXPECT_EQ(whole_of("512").not_measured, "");
  EXPECT_EQ(whole_of("2048").not_measured, "its float64 reference takes 34.4 GFLOP; --whole measures it");
}

// The graph of the whole at one level is a piece at another, and has one record.
TEST(Piece, OfAWholeModelIsReadBackAsWhatItsUseSays) {
  const auto fused_model = cut(two_kernels(), OptimizationLevel::kO0);
  ASSERT_TRUE(fused_model.ok() && fused_model.value().whole);
  Catalog catalog = stored(fused_model.value());
  const Piece& whole = *fused_model.value().whole;
  catalog.pieces.push_back({whole.key, canonical_text(whole.operation.graph), "one kernel", "Mixed", whole.operation.cost});
  catalog.model_pieces.push_back(
      {"run", "two.graph", "", whole.key, whole.operation.name, ModelPieceRecord::kWholeModel, 1, "", "O0", ""});
  catalog.model_pieces.push_back({"run", "two.graph", "", whole.key, "one kernel", 0, 1, "", "O2", ""});
  const auto as_a_piece = stored_fused_model(catalog, {"two.graph", {"", "O2", ""}, "run"});
  ASSERT_TRUE(as_a_piece.ok() && as_a_piece.value().pieces.size() == 1U);
  EXPECT_FALSE(as_a_piece.value().pieces[0].is_single());
  EXPECT_FALSE(as_a_piece.value().whole);
  const auto again = stored_fused_model(catalog, {"two.graph", {"", "O0", ""}, "run"});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().pieces.size(), 2U);
  ASSERT_TRUE(again.value().whole);
  EXPECT_EQ(again.value().whole->key, whole.key);
  EXPECT_TRUE(again.value().whole->is_single());
}

TEST(Piece, ThatIsABarrierSaysTheTrueReason) {
  const auto fused_model = cut(half_known(), OptimizationLevel::kO2);
  ASSERT_TRUE(fused_model.ok()) << fused_model.error().message;
  ASSERT_EQ(fused_model.value().pieces.size(), 3U);
  EXPECT_EQ(fused_model.value().pieces[0].not_measured, "");
  EXPECT_EQ(fused_model.value().pieces[1].not_measured, "a barrier: the operator is not known");
  EXPECT_EQ(fused_model.value().pieces[2].not_measured, "a barrier: it reads a tensor whose type is not known");
  EXPECT_EQ(fused_model.value().fusion.notes.size(), 1U) << "whoever shows the pieces can show the notes";
  const auto again = stored_fused_model(stored(fused_model.value()), {"barrier.onnx", {"", "O2", ""}, "run"});
  ASSERT_TRUE(again.ok()) << again.error().message;
  ASSERT_EQ(again.value().pieces.size(), 3U);
  EXPECT_EQ(again.value().pieces[2].not_measured, fused_model.value().pieces[2].not_measured) << "as it was stored";
}

TEST(Piece, ThatIsABarrierDoesNotCallAKnownOperatorUnknown) {
  Subject subject = half_known();
  subject.barriers.clear();
  const auto fused_model = cut(std::move(subject), OptimizationLevel::kO2);
  ASSERT_TRUE(fused_model.ok()) << fused_model.error().message;
  EXPECT_EQ(fused_model.value().pieces[1].not_measured, "a barrier: Fuselab does not know this operator");
  EXPECT_EQ(fused_model.value().pieces[2].not_measured, "a barrier: its types are not known");
}

TEST(Piece, CoveredShareIsTheSameWhetherCutOrStored) {
  const auto fused_model = cut(half_known(), OptimizationLevel::kO2);
  ASSERT_TRUE(fused_model.ok()) << fused_model.error().message;
  EXPECT_DOUBLE_EQ(covered_share(fused_model.value().pieces), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(fused_model.value().fusion.covered_share, 1.0 / 3.0) << "as import and fuse say it";
  const auto again = stored_fused_model(stored(fused_model.value()), {"barrier.onnx", {"", "O2", ""}, "run"});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_DOUBLE_EQ(covered_share(again.value().pieces), 1.0 / 3.0);
  std::vector<Piece> often = fused_model.value().pieces;
  often.front().operation.count = 7;
  EXPECT_NEAR(covered_share(often), 7.0 / 9.0, 1e-12) << "each use of a piece counts";
  EXPECT_DOUBLE_EQ(covered_share({}), 1.0);
}

TEST(Piece, AreWhatEveryAskedDeviceCanWrite) {
  BackendReport wide, narrow;
  wide.availability.usable = narrow.availability.usable = true;
  wide.id = "wide";
  wide.capabilities.fusion.most_operators = 9;
  narrow.id = "narrow";
  narrow.capabilities.fusion.most_operators = 1;
  const auto on = [](const std::string& backend) {
    DeviceInfo device;
    device.id = backend + ":0";
    device.backend = backend;
    return device;
  };
  const auto pieces_on = [&](const std::vector<DeviceInfo>& devices) {
    Subject subject;
    subject.graph = parse_graph("graph(x: f32[8,64]) { a = Neg(x); y = Relu(a); return y }").value();
    return cut(std::move(subject), OptimizationLevel::kO2, limits_of({wide, narrow}, devices)).value().pieces.size();
  };
  EXPECT_EQ(pieces_on({}), 1U);
  EXPECT_EQ(pieces_on({on("wide")}), 1U);
  EXPECT_EQ(pieces_on({on("wide"), on("narrow"), on("narrow")}), 2U);
  EXPECT_EQ(limits_of({wide, narrow}, {on("narrow"), on("narrow")}).size(), 1U);
  wide.availability.usable = false;
  EXPECT_TRUE(limits_of({wide, narrow}, {on("wide")}).empty()) << "its stored pieces were cut by limits that it does not state now";
}

TEST(Subject, OneShapeServesAllOrEachHasItsOwn) {
  EXPECT_TRUE(check_shape_count(0, 3).ok());
  EXPECT_TRUE(check_shape_count(1, 3).ok());
  EXPECT_TRUE(check_shape_count(3, 3).ok());
  EXPECT_EQ(check_shape_count(3, 2).error().message, "3 --shape for 2 subjects: give one for all, or one each");
  EXPECT_EQ(check_shape_count(2, 1).error().message, "2 --shape for 1 subject: give one for all, or one each");
}

TEST(Piece, WhatWeightsDecideAloneIsFoldedFromO2On) {
  const auto at = [](OptimizationLevel level, bool with_numbers) {
    Subject subject;
    subject.graph = parse_graph(
                        "graph(x: f32[3,4], w: param f32[4,2], g: param f32[2], b: param f32[2], mu: param f32[2],"
                        " va: param f32[2]) { c = Gemm(x, w); n = BatchNormalization(c, g, b, mu, va, epsilon=0.0); return n }")
                        .value();
    subject.constants = {"w", "g", "b", "mu", "va"};
    const auto filled = [](std::vector<std::int64_t> shape, double number) {
      RealTensor tensor{{DType::kF32, Shape(shape.begin(), shape.end())}, {}};
      tensor.data.assign(static_cast<std::size_t>(element_count(tensor.type.shape).value()), number);
      return pack(tensor);
    };
    const std::map<std::string, std::vector<std::byte>> numbers = {
        {"w", filled({4, 2}, 3)}, {"g", filled({2}, 8)}, {"b", filled({2}, 5)}, {"mu", filled({2}, 1)}, {"va", filled({2}, 16)}};
    if (with_numbers) subject.weights = std::make_shared<std::map<std::string, std::vector<std::byte>>>(numbers);
    return cut(std::move(subject), level).value();
  };
  for (const OptimizationLevel level : {OptimizationLevel::kO0, OptimizationLevel::kO1}) {
    const FusedModel model = at(level, true);
    EXPECT_EQ(model.fusion.original_op_count, 2);
    EXPECT_EQ(model.fusion.imported.folded_norms, 0);
    EXPECT_EQ(model.subject.weights->size(), 5u);
  }
  for (const OptimizationLevel level : {OptimizationLevel::kO2, OptimizationLevel::kO3}) {
    const FusedModel model = at(level, true);
    EXPECT_EQ(model.fusion.original_op_count, 1);
    EXPECT_EQ(model.fusion.imported.folded_norms, 1);
    EXPECT_EQ(model.fusion.imported.fold_notes,
              std::vector<std::string>{"BatchNormalization 'n' folded into the weights of Gemm 'c'"});
    ASSERT_EQ(model.subject.weights->size(), 2u);
    // s = 8 / 4: the weights are 3 · 2, the bias is (0 - 1) · 2 + 5.
    EXPECT_EQ(unpack({DType::kF32, {4, 2}}, model.subject.weights->at("w_normed")).value().data, std::vector<double>(8, 6));
    EXPECT_EQ(unpack({DType::kF32, {2}}, model.subject.weights->at("b_normed")).value().data, std::vector<double>(2, 3));
    EXPECT_EQ(model.pieces.front().key, at(level, false).pieces.front().key) << "numbers or none, it is the same piece";
  }
}

}  // namespace
}  // namespace fuselab::engine
