// SPDX-License-Identifier: Apache-2.0
// How a graph becomes calls of PyTorch, and how their arguments are packed. The library is a fake that writes down what it is
// given.
#include <gtest/gtest.h>

#include "backends/library/plan_text.h"
#include "backends/torch/claims.h"
#include "backends/torch/lowering.h"
#include "backends/torch/torch_library.h"
#include "core/graph/graph_text.h"

namespace fuselab::torch {
namespace {

class TorchPlans : public testing::Test {
 protected:
  void SetUp() override { use(FAKE_TORCH_GOOD); }

  void use(const char* file) {
    auto opened = TorchLibrary::open(loading::Surroundings{file, {}});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    library_ = std::move(opened).value();
    shared_ = loading::open_library(file);
    said();
  }

  std::string said() { return reinterpret_cast<const char* (*)()>(shared_.symbol("fake_torch_said"))(); }
  int alive() { return reinterpret_cast<int (*)()>(shared_.symbol("fake_torch_alive"))(); }

  // Binds the plan of a graph and runs it on f32 inputs of 1, 2, 3, … each; returns what the library was given, or why it failed.
  std::string calls_of(const char* text) {
    const Graph graph = parse_graph(text).value();
    auto built = library_->build(plan_for(library_->facts(), {}, graph, {}));
    if (!built.ok()) return built.error().message;
    memory_.clear();
    library::Places places;
    std::vector<ValueId> values = graph.inputs();
    values.insert(values.end(), graph.outputs().begin(), graph.outputs().end());
    for (const ValueId value : values) {
      auto& numbers = memory_.emplace_back(static_cast<std::size_t>(size_of(graph.type(value)).value().count / 4 + 1));
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
    }
    for (auto& each : memory_) places.addresses.push_back(reinterpret_cast<std::byte*>(each.data()));
    places.versions.assign(memory_.size(), 1);
    const int before = alive();
    {
      const auto bound = built.value()->bind(places);
      if (!bound.ok()) return bound.error().message;
      if (const Status ran = bound.value()->run(); !ran.ok()) return ran.error().message;
      if (const Status same = bound.value()->check_results(); !same.ok()) return same.error().message;
    }
    EXPECT_EQ(alive(), before) << "handles, lists, words and boxes are given away or deleted";
    return said();
  }

  std::shared_ptr<TorchLibrary> library_;
  loading::OpenedLibrary shared_;
  std::vector<std::vector<float>> memory_;
};

TEST_F(TorchPlans, PassTensorsAndWriteIntoOurs) {
  EXPECT_EQ(calls_of("graph(a: f32[2,3], b: f32[3]) { v = Mul(a, b); return v }"), "aten::mul.out(f32[2,3], f32[3], f32[2,3])\n");
  EXPECT_EQ(memory_[2][4], 5 * 2);
  EXPECT_EQ(calls_of("graph(a: f32[2,3], b: f32[2,3]) { v = Add(a, b); return v }"), "add_out(f32[2,3], f32[2,3], 1, f32[2,3])\n");
  EXPECT_EQ(memory_[2][4], 10);
}

TEST_F(TorchPlans, PackEveryKindOfArgument) {
  const std::pair<const char*, const char*> cases[] = {
      {"graph(a: f32[2,3]) { v = Gelu(a, approximate=\"tanh\"); return v }", "aten::gelu.out(f32[2,3], tanh, f32[2,3])\n"},
      {"graph(a: f32[2,3]) { v = Clip(a, max=2.0); return v }", "aten::clamp.Tensor_out(f32[2,3], none, f32[], f32[2,3])\n"},
      {"graph(a: i64[4], b: i64[4]) { v = Div(a, b); return v }", "aten::div.out_mode(i64[4], i64[4], trunc, i64[4])\n"},
      {"graph(a: f32[2,3,4]) { v = ReduceSum(a, axes=[0,-1], keepdims=0); return v }",
       "aten::sum.IntList_out(f32[2,3,4], [0,2], false, none, f32[3])\n"},
      {"graph(a: f32[2,3]) { v = ArgMax(a, axis=-1); return v }", "aten::argmax.out(f32[2,3], 1, true, i64[2,1])\n"},
      {"graph(a: f32[2,3]) { v = Softmax(a); return v }", "aten::_softmax.out(f32[2,3], 1, false, f32[2,3])\n"},
      {"graph(a: f32[2,3], i: i64[4]) { v = Gather(a, i, axis=1); return v }",
       "aten::index.Tensor_out(f32[2,3], [none,i64[4]], f32[2,4])\n"},
      {"graph(a: i64[4], b: i64[4]) { v = Add(a, b); return v }", "add_out(i64[4], i64[4], 1 (whole), i64[4])\n"},
      {"graph(a: f32[2,3], b: f32[2,1]) { v = Concat(a, b, axis=-1); return v }",
       "aten::cat.out([f32[2,3],f32[2,1]], 1, f32[2,4])\n"}};
  for (const auto& [graph, expected] : cases) EXPECT_EQ(calls_of(graph), expected);
  use(FAKE_TORCH_OLDER);
  EXPECT_EQ(calls_of(cases[1].first), cases[1].second) << "a box of our own";
}

TEST_F(TorchPlans, GiveBackWhatWasPackedBeforeAFailure) {
  const auto limit = reinterpret_cast<void (*)(int)>(shared_.symbol("fake_torch_limit_references"));
  const auto expect_nothing_left = [&](const char* graph, int references) {
    const int before = alive();
    limit(references);
    const std::string told = calls_of(graph);
    limit(-1);
    EXPECT_EQ(alive(), before) << references << ": " << told;
  };
  for (int references = 0; references < 3; ++references)
    expect_nothing_left("graph(a: f32[2,3], b: f32[3]) { v = Mul(a, b); return v }", references);
  // Two for the call, then two for the copy of its result.
  for (int references = 2; references < 4; ++references)
    expect_nothing_left("graph(a: f32[2,3], p: param f32[3]) { v = RMSNormalization(a, p, epsilon=0.5); return v }", references);
}

TEST_F(TorchPlans, CopyWhatIsReturnedAndSaySo) {
  const char* const text = "graph(a: f32[2,3], p: param f32[3]) { v = LayerNormalization(a, p, epsilon=0.5); return v }";
  EXPECT_EQ(calls_of(text), "aten::native_layer_norm(f32[2,3], [3], f32[3], none, 0.5)\naten::copy_(f32[2,3], f32[2,3], false)\n");
  EXPECT_EQ(memory_[2][4], -5) << "the fake's result is the first operand, turned";
  const auto built = library_->build(plan_for(library_->facts(), {}, parse_graph(text).value(), {}));
  EXPECT_NE(built.value()->remarks().find("a copy of each result is in the figure"), std::string::npos);
  EXPECT_EQ(calls_of("graph(a: f32[2,3], p: param f32[3]) { v = RMSNormalization(a, p, epsilon=0.5); return v }"),
            "aten::rms_norm(f32[2,3], [3], f32[3], 0.5)\naten::copy_(f32[2,3], f32[2,3], false)\n");
  EXPECT_EQ(calls_of("graph(a: f32[1,2,5,5], w: param f32[4,2,3,3]) { v = Conv(a, w, pads=[1,0,1,0], strides=[2,1]); return v }"),
            "aten::convolution(f32[1,2,5,5], f32[4,2,3,3], none, [2,1], [1,0], [1,1], false, [0,0], 1)\n"
            "aten::copy_(f32[1,4,3,3], f32[1,2,5,5], false)\n");
  EXPECT_EQ(calls_of("graph(q: f32[1,4,2,8], k: f32[1,2,2,8], v: f32[1,2,2,8]) { r = Attention(q, k, v, scale=0.5); return r }"),
            "aten::scaled_dot_product_attention(f32[1,4,2,8], f32[1,2,2,8], f32[1,2,2,8], none, 0, false, 0.5, true)\n"
            "aten::copy_(f32[1,4,2,8], f32[1,4,2,8], false)\n");
}

TEST_F(TorchPlans, MultiplyWithoutMoving) {
  EXPECT_EQ(calls_of("graph(a: f32[2,3,4], w: param f32[4,5]) { v = MatMul(a, w); return v }"),
            "aten::mm.out(f32[6,4], f32[4,5], f32[6,5])\n");
  EXPECT_EQ(calls_of("graph(a: f32[2,3,4], w: param f32[4,5], b: param f32[5]) { p = MatMul(a, w); v = Add(p, b); return v }"),
            "addmm_out(f32[5], f32[6,4], f32[4,5], 1, 1, f32[6,5])\n");
  EXPECT_EQ(calls_of("graph(a: f32[6,4], w: param f32[5,4]) { v = Gemm(a, w, transB=1); return v }"),
            "aten::mm.out(f32[6,4], f32[4,5]/[1,4], f32[6,5])\n");
  EXPECT_EQ(calls_of("graph(a: f32[2,3,4], b: f32[1,4,5]) { v = MatMul(a, b); return v }"),
            "aten::bmm.out(f32[2,3,4], f32[2,4,5]/[0,5,1], f32[2,3,5])\n");
}

// A bias that is made later than the product, or a sum that is read elsewhere, leaves the addition alone.
TEST_F(TorchPlans, AddABiasInTheProductOnlyWhereItIsOne) {
  EXPECT_EQ(calls_of("graph(a: f32[3,4], w: param f32[4,5], b: param f32[3,5]) { p = MatMul(a, w); v = Add(p, b); return v }"),
            "aten::mm.out(f32[3,4], f32[4,5], f32[3,5])\nadd_out(f32[3,5], f32[3,5], 1, f32[3,5])\n");
  EXPECT_EQ(calls_of("graph(a: f32[3,4], w: param f32[4,5], b: param f32[5]) { p = MatMul(a, w); v = Add(p, b); return v, p }"),
            "aten::mm.out(f32[3,4], f32[4,5], f32[3,5])\nadd_out(f32[3,5], f32[5], 1, f32[3,5])\n");
  EXPECT_EQ(calls_of("graph(a: f32[3,4], w: param f32[4], b: param f32[3]) { p = MatMul(a, w); v = Add(p, b); return v }"),
            "aten::mm.out(f32[3,4], f32[4,1], f32[3,1])\nadd_out(f32[3], f32[3], 1, f32[3])\n")
      << "a number of each row is no bias";
  EXPECT_EQ(calls_of("graph(a: f32[4], w: param f32[4], b: param f32[1]) { p = MatMul(a, w); v = Add(p, b); return v }"),
            "aten::mm.out(f32[1,4], f32[4,1], f32[1,1])\nadd_out(f32[], f32[1], 1, f32[1])\n");
}

TEST_F(TorchPlans, SliceByAStepThatIsNeverTaken) {
  const char* const text =
      "graph(a: f32[4,3]) { s = Slice(a, starts=[1], ends=[4], steps=[9223372036854775807]); v = Softmax(s); return v }";
  EXPECT_EQ(calls_of(text), "aten::_softmax.out(f32[1,3], 1, false, f32[1,3])\n");
}

TEST_F(TorchPlans, MoveByViewsAndOneCopy) {
  EXPECT_EQ(calls_of("graph(a: f32[2,6]) { r = Reshape(a, shape=[2,3,2]); t = Transpose(r, perm=[1,0,2]); return t }"),
            "aten::copy_(f32[3,2,2], f32[3,2,2]/[2,6,1], false)\n");
  EXPECT_EQ(memory_[1][2], 7);
  EXPECT_EQ(calls_of("graph(a: f32[2,6]) { s = Slice(a, starts=[1], ends=[6], axes=[1], steps=[2]); return s }"),
            "aten::copy_(f32[2,3], f32[2,3]/[6,2], false)\n");
  EXPECT_EQ(memory_[1][3], 8);
  EXPECT_EQ(calls_of("graph(a: f32[2,6]) { t = Transpose(a); r = Reshape(t, shape=[12]); return r }"),
            "aten::copy_(f32[6,2], f32[6,2]/[1,6], false)\naten::copy_(f32[12], f32[12], false)\n");
}

TEST_F(TorchPlans, SayOneReasonWhereACallFails) {
  EXPECT_EQ(calls_of("graph(a: f32[2]) { v = Erf(a); return v }"), "aten::erf.out: erf: does not like the numbers");
  EXPECT_EQ(calls_of("graph(a: f32[2]) { v = Sub(a, a); return v }"), "aten::sub.out: sub: not today");
  EXPECT_EQ(calls_of("graph(a: f32[2]) { v = Sin(a); return v }"), "aten::sin.out: Could not find schema for aten::sin.out.");
  EXPECT_NE(calls_of("graph(a: f32[2]) { v = LeakyRelu(a); return v }").find("another PyTorch than was tried"), std::string::npos);
  EXPECT_EQ(calls_of("graph(a: f32[2]) { v = Tanh(a); return v }"),
            "PyTorch gave a tensor other extents or memory than it was told");
}

TEST_F(TorchPlans, RefuseWhatPyTorchMeansOtherwise) {
  const std::pair<const char*, const char*> cases[] = {
      {"graph(a: f32[1,2,5,5]) { v = MaxPool(a, kernel_shape=[2,2], pads=[1,1,0,0]); return v }", "pads both ends alike"},
      {"graph(a: f32[6]) { v = Slice(a, starts=[-1], ends=[-7], steps=[-1]); return v }", "do not go backwards"},
      {"graph(a: i64[6], b: f32[6]) { v = Pow(a, b); return v }", "a whole number to a real power"},
      {"graph(a: i32[6]) { v = CumSum(a, axis=0); return v }", "adds whole numbers up in i64"},
      {"graph(a: f32[2,6]) { v = Pad(a, mode=\"wrap\", pads=[0,1,0,1]); return v }", "does not pad so"},
      {"graph(a: f32[6]) { v = Cast(a, to=\"i64\"); return v }", "left to the CPU"},
      {"graph(a: f64[6]) { v = Neg(a); return v }", "is not asked for f64"},
      {"graph(a: f32[6]) { v = Hardmax(a); return v }", "it is not asked of PyTorch"}};
  for (const auto& [text, reason] : cases) {
    const auto outline = library_->outline(parse_graph(text).value());
    ASSERT_FALSE(outline.ok()) << text;
    EXPECT_NE(outline.error().message.find(reason), std::string::npos) << outline.error().message;
  }
}

}  // namespace
}  // namespace fuselab::torch
