// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "core/reference/special_inputs.h"
#include "core/tensor/small_float.h"
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::graph_of;

std::vector<RealTensor> uniform(std::string_view text) {
  return make_inputs(graph_of(text), {});
}

double least(const RealTensor& tensor) {
  return *std::min_element(tensor.data.begin(), tensor.data.end());
}

double most(const RealTensor& tensor) {
  return *std::max_element(tensor.data.begin(), tensor.data.end());
}

TEST(Inputs, AreTheSameForTheSameSeedAndDifferForAnother) {
  const Graph graph = graph_of("graph(i0: f32[16,16], i1: f32[16,16]) { v0 = Add(i0, i1); return v0 }");
  const auto first = make_inputs(graph, {InputPattern::kUniform, 1}), again = make_inputs(graph, {InputPattern::kUniform, 1});
  const auto other = make_inputs(graph, {InputPattern::kUniform, 2});
  EXPECT_EQ(first[0].data, again[0].data);
  EXPECT_NE(first[0].data, other[0].data);
  EXPECT_NE(first[0].data, first[1].data);
}

// The stream is part of stored results: these values may never change.
TEST(Inputs, FirstValuesAreFixedForAllTime) {
  const auto inputs = uniform("graph(i0: f64[4]) { v0 = Neg(i0); return v0 }");
  SeededRandom keys(1);
  SeededRandom stream(keys.next());
  for (const double value : inputs[0].data) EXPECT_EQ(value, (stream.unit() - 0.5) * 4);
}

TEST(Inputs, AreValuesOfTheirDtype) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kF8E5M2}) {
    for (const auto pattern : {InputPattern::kUniform, InputPattern::kLarge, InputPattern::kDenormal}) {
      const std::string type(name_of(dtype));
      const Graph graph = graph_of("graph(i0: " + type + "[32,32]) { v0 = Relu(i0); return v0 }");
      auto inputs = make_inputs(graph, {pattern, 3});
      const auto before = inputs[0].data;
      round_to_dtype(inputs[0]);
      EXPECT_EQ(inputs[0].data, before) << type;
      EXPECT_TRUE(std::all_of(before.begin(), before.end(), [](double x) { return std::isfinite(x); })) << type;
    }
  }
}

// Operands of an integer product are any numbers of their type, so that sums that are held in 16 bits between are wrong.
TEST(Inputs, OfAnIntegerProductHaveAllTheirTypesNumbers) {
  const auto inputs = uniform(R"(graph(x: u8[32,64], w: param i8[64,32]) { a = Cast(x, to="i32"); b = Cast(w, to="i32");
    y = MatMul(a, b); return y })");
  EXPECT_EQ(most(inputs[0]), 255);
  EXPECT_EQ(least(inputs[0]), 0);
  EXPECT_EQ(most(inputs[1]), 127);
  EXPECT_EQ(least(inputs[1]), -128);
  const auto others = uniform("graph(x: u8[32,64]) { a = Cast(x, to=\"f32\"); return a }");
  EXPECT_EQ(most(others[0]), 15);
}

TEST(Inputs, OneByOneAreThoseOfTheWholeGraphAndOnlyActivationsVary) {
  const Graph graph = graph_of(
      "graph(i0: f32[16,64], p0: param f32[64,32], p1: param f32[32], i1: i64[16]) {"
      " a = MatMul(i0, p0); n = RMSNormalization(a, p1); v0 = Gather(n, i1, axis=0); return v0 }");
  const auto usual = make_inputs(graph, {InputPattern::kUniform, 5});
  for (const InputPattern pattern : kSpecialPatterns) {
    const auto whole = make_inputs(graph, {pattern, 5});
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const auto bits = [](const RealTensor& tensor) { return pack(tensor); };  // NaN equals itself
      EXPECT_EQ(bits(make_input(graph, i, {pattern, 5})), bits(whole[i])) << i;
      EXPECT_EQ(depends_on_pattern(graph, graph.inputs()[i]), bits(whole[i]) != bits(usual[i])) << i << name_of(pattern);
    }
  }
}

TEST(Inputs, SomeRowsAreSmallSoThatEpsilonMatters) {
  const auto inputs = uniform("graph(i0: f32[8,64], p0: param f32[64]) { v0 = RMSNormalization(i0, p0); return v0 }");
  const auto peak = [&](std::size_t row) {
    double largest = 0;
    for (std::size_t i = 0; i < 64; ++i) largest = std::max(largest, std::fabs(inputs[0].data[row * 64 + i]));
    return largest;
  };
  EXPECT_GT(peak(0), 1);
  EXPECT_LT(peak(1), 0.005);
  EXPECT_GE(least(inputs[1]), 0.5);  // the gain lies around one
  EXPECT_LE(most(inputs[1]), 1.5);
}

TEST(Inputs, WeightsShrinkWithTheirFanIn) {
  const auto inputs = uniform(
      "graph(i0: f32[4,400], p0: param f32[400,8], i1: f32[1,4,5,5], p1: param f32[2,4,5,5]) {"
      " v0 = MatMul(i0, p0); v1 = Conv(i1, p1); return v0, v1 }");
  EXPECT_LE(most(inputs[1]), 1 / std::sqrt(400.0));
  EXPECT_GT(most(inputs[1]), 0.9 / std::sqrt(400.0));
  EXPECT_LE(most(inputs[3]), 1 / std::sqrt(100.0));
  EXPECT_GT(most(inputs[0]), 1.9);
}

TEST(Inputs, IndicesStayInRangeAndReachItsEnds) {
  const auto inputs = uniform(
      "graph(p0: param f32[5,2], i0: i64[200], i1: f32[100,7], i2: i64[100]) {"
      " v0 = Gather(p0, i0); v1 = SoftmaxCrossEntropyLoss(i1, i2); return v0, v1 }");
  EXPECT_EQ(least(inputs[1]), 0);
  EXPECT_EQ(most(inputs[1]), 4);
  EXPECT_EQ(least(inputs[3]), 0);
  EXPECT_EQ(most(inputs[3]), 6);
}

TEST(Inputs, VariancesAndSecondMomentsArePositive) {
  const auto norm = uniform(
      "graph(i0: f32[1,64,2,2], p0: param f32[64], p1: param f32[64], p2: param f32[64], p3: param f32[64]) {"
      " v0 = BatchNormalization(i0, p0, p1, p2, p3); return v0 }");
  EXPECT_GT(least(norm[4]), 0);
  EXPECT_LT(least(norm[3]), 0);
  // Adam: only the second moment reaches the root by its sign; the gradient is squared on its way.
  const auto adam = uniform(
      "graph(i0: f32[64], i1: f32[64], i2: f32[64], i3: f32[64]) { b1 = Constant(value=0.9); b2 = Constant(value=0.99);"
      " eps = Constant(value=0.001); m0 = Mul(i2, b1); m = Add(m0, i1); g2 = Mul(i1, i1); v0 = Mul(i3, b2); v = Add(v0, g2);"
      " r = Sqrt(v); d = Add(r, eps); u = Div(m, d); p = Sub(i0, u); return p, m, v }");
  EXPECT_LT(least(adam[0]), 0);
  EXPECT_LT(least(adam[1]), 0);
  EXPECT_LT(least(adam[2]), 0);
  EXPECT_GT(least(adam[3]), 0);
}

TEST(Inputs, DivisorsKeepAwayFromZero) {
  const auto inputs = uniform("graph(i0: f32[64], i1: f32[64]) { v0 = Div(i0, i1); return v0 }");
  for (const double divisor : inputs[1].data) EXPECT_GE(std::fabs(divisor), 0.5);
  EXPECT_LT(least(inputs[1]), 0);
}

TEST(Inputs, SpecialsAppearInSomeRowsAndLeaveOthersFinite) {
  const auto inputs = make_inputs(graph_of("graph(i0: f32[8,256]) { v0 = Softmax(i0); return v0 }"), {InputPattern::kSpecial, 1});
  int nan = 0, positive = 0, negative = 0, zero = 0, finite_rows = 0;
  for (std::size_t row = 0; row < 8; ++row) {
    bool finite = true;
    for (std::size_t i = 0; i < 256; ++i) {
      const double x = inputs[0].data[row * 256 + i];
      nan += std::isnan(x) ? 1 : 0;
      positive += std::isinf(x) && x > 0 ? 1 : 0;
      negative += std::isinf(x) && x < 0 ? 1 : 0;
      zero += x == 0 && std::signbit(x) ? 1 : 0;
      finite = finite && std::isfinite(x);
    }
    finite_rows += finite ? 1 : 0;
  }
  EXPECT_GT(nan, 0);
  EXPECT_GT(positive, 0);
  EXPECT_GT(negative, 0);
  EXPECT_GT(zero, 0);
  EXPECT_EQ(finite_rows, 6);
}

TEST(Inputs, MasksHideAllKeysOfSomeRowsAmongSpecialsOnly) {
  for (const std::string type : {"bool", "f32"}) {
    const Graph graph = graph_of("graph(i0: f32[1,1,8,4], i1: f32[1,1,5,4], i2: f32[1,1,5,4], i3: " + type +
                                 "[8,5]) { v0 = Attention(i0, i1, i2, i3); return v0 }");
    const double hidden = type == "bool" ? 0 : -std::numeric_limits<double>::infinity();
    const auto hidden_rows = [&](InputPattern pattern) {
      const auto mask = make_inputs(graph, {pattern, 1})[3].data;
      int rows = 0;
      for (auto row = mask.begin(); row != mask.end(); row += 5) {
        rows += std::all_of(row, row + 5, [&](double x) { return x == hidden; }) ? 1 : 0;
      }
      return rows;
    };
    EXPECT_EQ(hidden_rows(InputPattern::kUniform), 0) << type;
    EXPECT_EQ(hidden_rows(InputPattern::kSpecial), 1) << type;
    EXPECT_TRUE(depends_on_pattern(graph, graph.inputs()[3])) << type;
  }
}

// Infinity times padding is NaN for a program that multiplies it and nothing for one that leaves the border out.
TEST(Inputs, AFilterBesidePaddingHoldsNoInfinityWhateverMadeIt) {
  for (const bool padded : {false, true}) {
    const std::string pads = padded ? "[3,3,3,3]" : "[0,0,0,0]";
    const Graph graph =
        graph_of("graph(i0: f32[1,3,16,16], i1: f32[16,3,7,7]) { v0 = Conv(i0, i1, pads=" + pads + "); return v0 }");
    const auto inputs = make_inputs(graph, {InputPattern::kSpecial, 1});
    const auto is_finite = [](double x) { return std::isfinite(x); };
    EXPECT_EQ(std::ranges::all_of(inputs[1].data, is_finite), padded);
    EXPECT_FALSE(std::ranges::all_of(inputs[0].data, is_finite)) << "the image";
    EXPECT_EQ(depends_on_pattern(graph, graph.inputs()[1]), !padded);
  }
}

TEST(Inputs, LargeAndDenormalInputsAreWhatTheySay) {
  const Graph graph = graph_of("graph(i0: f32[4,256]) { v0 = Softmax(i0); return v0 }");
  const auto large = make_inputs(graph, {InputPattern::kLarge, 1});
  EXPECT_GT(most(large[0]), 5e3);
  EXPECT_LE(most(large[0]), 1e4);
  const auto denormal = make_inputs(graph, {InputPattern::kDenormal, 1});
  const auto tiny = std::count_if(denormal[0].data.begin(), denormal[0].data.end(),
                                  [](double x) { return x != 0 && std::fabs(x) < detail::smallest_normal_of(DType::kF32); });
  EXPECT_GT(tiny, 20);
}

TEST(Inputs, PackedOnesAreTheSameBytes) {
  for (const char* const type : {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u64", "u32", "u16",
                                 "u8", "bool", "i4", "u4"}) {
    for (const InputPattern pattern :
         {InputPattern::kUniform, InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal}) {
      // More than is made at once, and an odd number.
      const Graph graph = graph_of("graph(i0: " + std::string(type) + "[187,177]) { v0 = Transpose(i0, perm=[1,0]); return v0 }");
      EXPECT_EQ(make_packed_input(graph, 0, {pattern, 5}), pack(make_input(graph, 0, {pattern, 5})))
          << type << " " << name_of(pattern);
    }
  }
}

TEST(Inputs, EveryPatternHasAName) {
  EXPECT_EQ(name_of(InputPattern::kUniform), "uniform");
  EXPECT_EQ(name_of(InputPattern::kLarge), "large");
  EXPECT_EQ(name_of(InputPattern::kSpecial), "special");
  EXPECT_EQ(name_of(InputPattern::kDenormal), "denormal");
}

}  // namespace
}  // namespace fuselab
