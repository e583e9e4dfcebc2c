// SPDX-License-Identifier: Apache-2.0
#include "core/reference/tolerance.h"

#include <cmath>
#include <functional>
#include <limits>

#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::graph_of;

// A graph, its inputs and what the reference expects; `judge` looks at an f32 result.
struct Case {
  explicit Case(std::string_view text, InputSpec spec = {})
      : graph(graph_of(text)), inputs(make_inputs(graph, spec)), expected(expected_outputs(graph, inputs, 1).value()) {}

  Verification judge(const std::vector<float>& result) const {
    RealTensor actual{expected[0].type, {result.begin(), result.end()}};
    return compare_outputs(graph, expected, std::vector{actual});
  }
  std::vector<float> input(std::size_t i) const { return {inputs[i].data.begin(), inputs[i].data.end()}; }
  std::vector<float> correct() const { return {expected[0].values.begin(), expected[0].values.end()}; }

  Graph graph;
  std::vector<RealTensor> inputs;
  std::vector<ExpectedOutput> expected;
};

// Sums in f32 in three orders: what kernels do.
float forward(const std::vector<float>& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

float backward(const std::vector<float>& terms) {
  float sum = 0;
  for (std::size_t i = terms.size(); i-- > 0;) sum += terms[i];
  return sum;
}

float in_lanes(const std::vector<float>& terms) {
  float lanes[8] = {};
  for (std::size_t i = 0; i < terms.size(); ++i) lanes[i % 8] += terms[i];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

using Sum = std::function<float(const std::vector<float>&)>;
const std::vector<Sum> kOrders = {forward, backward, in_lanes};

constexpr std::size_t kRows = 16, kColumns = 1000;

std::vector<float> row_of(const std::vector<float>& x, std::size_t row) {
  return {x.begin() + static_cast<std::ptrdiff_t>(row * kColumns), x.begin() + static_cast<std::ptrdiff_t>((row + 1) * kColumns)};
}

constexpr std::string_view kRmsNorm =
    "graph(i0: f32[16,1000], p0: param f32[1000]) { v0 = RMSNormalization(i0, p0, epsilon=0.00001); return v0 }";

struct RmsNorm {
  float epsilon = 1e-5F;
  std::size_t summed = kColumns;
  std::size_t written = kColumns;
};

std::vector<float> rms_norm(const Case& test, const Sum& sum, RmsNorm how = {}) {
  const auto x = test.input(0), gain = test.input(1);
  std::vector<float> y(x.size(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t r = 0; r < kRows; ++r) {
    auto squares = row_of(x, r);
    for (float& value : squares) value *= value;
    squares.resize(how.summed);
    const float scale = 1.0F / std::sqrt(sum(squares) / static_cast<float>(kColumns) + how.epsilon);
    for (std::size_t i = 0; i < how.written; ++i) y[r * kColumns + i] = x[r * kColumns + i] * scale * gain[i];
  }
  return y;
}

TEST(Tolerance, AcceptsRmsNormInAnyOrderOfSummation) {
  const Case test(kRmsNorm);
  for (const Sum& order : kOrders) {
    const Verification found = test.judge(rms_norm(test, order));
    EXPECT_TRUE(found.passed) << found.detail;
    EXPECT_EQ(found.checked, static_cast<std::int64_t>(kRows * kColumns));
    EXPECT_GT(found.worst_ratio, 0);
  }
}

TEST(Tolerance, CatchesTheWrongEpsilon) {
  const Case test(kRmsNorm);
  EXPECT_FALSE(test.judge(rms_norm(test, forward, {1e-6F})).passed);
  EXPECT_FALSE(test.judge(rms_norm(test, forward, {0.0F})).passed);
}

TEST(Tolerance, CatchesADroppedColumn) {
  const Case test(kRmsNorm);
  EXPECT_FALSE(test.judge(rms_norm(test, forward, {1e-5F, kColumns - 1})).passed);
}

TEST(Tolerance, CatchesAMissingTail) {
  const Case test(kRmsNorm);
  const Verification found = test.judge(rms_norm(test, forward, {1e-5F, kColumns, kColumns - 1}));
  EXPECT_FALSE(found.passed);
  EXPECT_THAT(found.detail, testing::HasSubstr("output 0 at [0,999]: nan"));
  EXPECT_EQ(found.worst_ratio, std::numeric_limits<double>::max());
}

std::vector<float> softmax(const Case& test, const Sum& sum, std::size_t summed = kColumns) {
  const auto x = test.input(0);
  std::vector<float> y(x.size());
  for (std::size_t r = 0; r < kRows; ++r) {
    auto powers = row_of(x, r);
    const float most = *std::max_element(powers.begin(), powers.end());
    for (float& value : powers) value = std::exp(value - most);
    const auto kept = powers;
    powers.resize(summed);
    const float inverse = 1.0F / sum(powers);
    for (std::size_t i = 0; i < kColumns; ++i) y[r * kColumns + i] = kept[i] * inverse;
  }
  return y;
}

TEST(Tolerance, AcceptsSoftmaxInAnyOrderAndCatchesADroppedColumn) {
  for (const auto pattern : {InputPattern::kUniform, InputPattern::kLarge}) {
    const Case test("graph(i0: f32[16,1000]) { v0 = Softmax(i0); return v0 }", {pattern, 1});
    for (const Sum& order : kOrders)
      EXPECT_TRUE(test.judge(softmax(test, order)).passed) << test.judge(softmax(test, order)).detail;
  }
  const Case test("graph(i0: f32[16,1000]) { v0 = Softmax(i0); return v0 }");
  EXPECT_FALSE(test.judge(softmax(test, forward, kColumns - 1)).passed);
}

TEST(Tolerance, AcceptsTheSoftmaxOfSeparateKernels) {
  const Case test(
      "graph(i0: f32[16,1000]) { m = ReduceMax(i0, axes=[1]); d = Sub(i0, m); e = Exp(d); s = ReduceSum(e, axes=[1]); v0 = Div(e, "
      "s); "
      "return v0 }");
  EXPECT_TRUE(test.judge(softmax(test, backward)).passed);
  EXPECT_FALSE(test.judge(softmax(test, forward, kColumns - 1)).passed);
}

constexpr std::size_t kM = 17, kN = 33, kK = 500;
constexpr std::string_view kMatMul = "graph(i0: f32[17,500], p0: param f32[500,33]) { v0 = MatMul(i0, p0); return v0 }";

std::vector<float> matmul(const Case& test, const Sum& sum, std::size_t depth = kK) {
  const auto a = test.input(0), b = test.input(1);
  std::vector<float> c;
  for (std::size_t i = 0; i < kM; ++i) {
    for (std::size_t j = 0; j < kN; ++j) {
      std::vector<float> terms;
      for (std::size_t k = 0; k < depth; ++k) terms.push_back(a[i * kK + k] * b[k * kN + j]);
      c.push_back(sum(terms));
    }
  }
  return c;
}

TEST(Tolerance, AcceptsMatMulInAnyOrderAndCatchesADroppedTerm) {
  const Case test(kMatMul);
  for (const Sum& order : kOrders) EXPECT_TRUE(test.judge(matmul(test, order)).passed) << test.judge(matmul(test, order)).detail;
  EXPECT_FALSE(test.judge(matmul(test, forward, kK - 1)).passed);
}

// The defects a generator may have, seeded into a correct result.
TEST(Tolerance, CatchesSeededDefects) {
  const Case test(kMatMul);
  const std::vector<float> right = test.correct();
  ASSERT_TRUE(test.judge(right).passed);
  using Defect = std::function<void(std::vector<float>&)>;
  const std::vector<std::pair<const char*, Defect>> defects = {
      {"one element off by one part in 10,000", [](auto& c) { *std::max_element(c.begin(), c.end()) *= 1.0001F; }},
      {"last row stale", [&](auto& c) { std::copy(c.end() - 2 * kN, c.end() - kN, c.end() - kN); }},
      {"last column dropped",
       [](auto& c) {
         for (std::size_t i = kN - 1; i < c.size(); i += kN) c[i] = 0;
       }},
      {"two columns swapped",
       [](auto& c) {
         for (std::size_t i = 0; i < c.size(); i += kN) std::swap(c[i], c[i + 1]);
       }},
      {"shifted by one", [](auto& c) { std::rotate(c.begin(), c.begin() + 1, c.end()); }},
      {"sign lost",
       [](auto& c) {
         for (float& x : c) x = std::fabs(x);
       }},
      {"unwritten", [](auto& c) { c.back() = std::numeric_limits<float>::quiet_NaN(); }},
      {"overflowed", [](auto& c) { c.front() = std::numeric_limits<float>::infinity(); }},
      {"accumulated twice", [](auto& c) { c[5] += c[5]; }},
      {"rounded to bf16",
       [](auto& c) {
         for (float& x : c) x = std::round(x * 256) / 256;
       }},
  };
  for (const auto& [name, spoil] : defects) {
    std::vector<float> wrong = right;
    spoil(wrong);
    EXPECT_FALSE(test.judge(wrong).passed) << name;
  }
}

TEST(Tolerance, TellsTheTwoFormsOfGeluApart) {
  const Case test("graph(i0: f32[64,8]) { v0 = Gelu(i0); return v0 }");
  const auto x = test.input(0);
  std::vector<float> exact, approximate;
  for (const float v : x) {
    exact.push_back(0.5F * v * (1.0F + std::erf(v * 0.70710678F)));
    approximate.push_back(0.5F * v * (1.0F + std::tanh(0.79788456F * (v + 0.044715F * v * v * v))));
  }
  EXPECT_TRUE(test.judge(exact).passed) << test.judge(exact).detail;
  EXPECT_FALSE(test.judge(approximate).passed);
}

TEST(Tolerance, CatchesAWindowThatIsOffByOne) {
  const Case test("graph(i0: f32[1,1,40]) { v0 = AveragePool(i0, kernel_shape=[3], pads=[1,1]); return v0 }");
  const auto x = test.input(0);
  const auto pool = [&](std::ptrdiff_t shift) {
    std::vector<float> y;
    for (std::ptrdiff_t i = 0; i < 40; ++i) {
      float sum = 0;
      int taps = 0;
      for (std::ptrdiff_t k = i - 1 + shift; k <= i + 1 + shift; ++k) {
        if (k < 0 || k >= 40) continue;
        sum += x[static_cast<std::size_t>(k)];
        ++taps;
      }
      y.push_back(sum / static_cast<float>(taps));
    }
    return y;
  };
  EXPECT_TRUE(test.judge(pool(0)).passed);
  EXPECT_FALSE(test.judge(pool(1)).passed);
}

TEST(Tolerance, WidensWithTheDtypeNotWithItsReductions) {
  const Case test("graph(i0: f16[4,400], p0: param f16[400,4]) { v0 = MatMul(i0, p0); return v0 }");
  RealTensor rounded{test.expected[0].type, test.expected[0].values};
  round_to_dtype(rounded);
  EXPECT_TRUE(compare_outputs(test.graph, test.expected, std::vector{rounded}).passed);
  for (double& value : rounded.data) value *= 1.01;
  EXPECT_FALSE(compare_outputs(test.graph, test.expected, std::vector{rounded}).passed);
}

// Weights 0.622 and 0.378 are 0.621 and 0.377 in bf16, and the values nearly cancel.
TEST(Tolerance, WeightsOfAttentionMayBeRoundedToItsType) {
  const auto judge = [](const std::string& type, double result) {
    const Graph graph = graph_of("graph(q: " + type + "[1,1,1,1], k: " + type + "[1,1,2,1], v: " + type +
                                 "[1,1,2,1]) { y = Attention(q, k, v, scale=1.0); return y }");
    const auto inputs = test::inputs_of(graph, {{1}, {0.5, 0}, {3, -5}});
    const auto expected = expected_outputs(graph, inputs, 1).value();
    return compare_outputs(graph, expected, std::vector{RealTensor{expected[0].type, {result}}}).passed;
  };
  EXPECT_TRUE(judge("bf16", -0.0215));
  EXPECT_FALSE(judge("f32", -0.0215));
  EXPECT_FALSE(judge("bf16", -0.1));
}

// Of 512 keys with equal scores each weighs 1/512.
TEST(Tolerance, ALostKeyOfAttentionIsNotTakenForRounding) {
  const Graph graph =
      graph_of("graph(q: bf16[1,1,1,1], k: bf16[1,1,512,1], v: bf16[1,1,512,1]) { y = Attention(q, k, v, scale=1.0); return y }");
  const auto inputs = test::inputs_of(graph, {{1}, std::vector<double>(512, 0), std::vector<double>(512, 1)});
  const auto expected = expected_outputs(graph, inputs, 1).value();
  const auto judge = [&](double result) {
    return compare_outputs(graph, expected, std::vector{RealTensor{expected[0].type, {result}}}).passed;
  };
  EXPECT_TRUE(judge(1));
  EXPECT_FALSE(judge(1 - 16.0 / 512)) << "a tile of 16 keys is missing";
}

TEST(Tolerance, AVanishingWeightOfAnInfiniteValueIsNotJudged) {
  const auto judge = [](double key, double result) {
    const Graph graph =
        graph_of("graph(q: f16[1,1,1,1], k: f16[1,1,2,1], v: f16[1,1,2,2]) { y = Attention(q, k, v, scale=1.0); return y }");
    const auto inputs = test::inputs_of(graph, {{1}, {0, key}, {std::numeric_limits<double>::infinity(), 3, 3, 3}});
    const auto expected = expected_outputs(graph, inputs, 1).value();
    return compare_outputs(graph, expected, std::vector{RealTensor{expected[0].type, {result, 3}}}).passed;
  };
  for (const double result : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(judge(40, result));
  EXPECT_TRUE(judge(1, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(judge(1, std::numeric_limits<double>::quiet_NaN()));
}

TEST(Tolerance, SpecialsMustMatchInKind) {
  const Case test("graph(i0: f32[8,64]) { v0 = Swish(i0); return v0 }", {InputPattern::kSpecial, 1});
  const std::vector<float> right = test.correct();
  EXPECT_TRUE(test.judge(right).passed) << test.judge(right).detail;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (std::isfinite(right[i])) continue;
    std::vector<float> wrong = right;
    wrong[i] = std::isnan(right[i]) ? 0 : -right[i];
    EXPECT_FALSE(test.judge(wrong).passed) << i;
  }
}

TEST(Tolerance, ResultsBeyondTheTypesRangeAreNotJudged) {
  const Case test("graph(i0: f32[1,256]) { v0 = Exp(i0); return v0 }", {InputPattern::kLarge, 1});
  const std::vector<float> saturated = test.correct();
  const Verification found = test.judge(saturated);
  EXPECT_TRUE(found.passed) << found.detail;
  EXPECT_LT(found.checked, 256);
  EXPECT_GT(found.checked, 128);
}

TEST(Tolerance, FlushedDenormalsPass) {
  const Case test("graph(i0: f32[4,64], i1: f32[4,64]) { v0 = Mul(i0, i1); return v0 }", {InputPattern::kDenormal, 1});
  std::vector<float> flushed = test.correct();
  for (float& value : flushed) {
    if (std::fabs(value) < std::numeric_limits<float>::min()) value = 0;
  }
  EXPECT_TRUE(test.judge(flushed).passed);
}

TEST(Tolerance, BoundsOfTinyDoublesDoNotVanish) {
  const Graph graph = graph_of("graph(x: f64[1]) { y = Exp(x); return y }");
  const std::vector<RealTensor> inputs = {{graph.type(graph.inputs()[0]), {-413.25}}};
  const auto expected = expected_outputs(graph, inputs, 1).value();
  const double right = expected[0].values[0];
  EXPECT_LT(right, 1e-170);
  const RealTensor two_units_off{expected[0].type, {right * (1 + 0x1p-51)}};
  EXPECT_TRUE(compare_outputs(graph, expected, std::vector{two_units_off}).passed);
}

TEST(Tolerance, IntegersAreExact) {
  const Graph graph = graph_of("graph(i0: i32[2], i1: i32[2]) { v0 = Add(i0, i1); return v0 }");
  const auto inputs = test::inputs_of(graph, {{1000000000, 2}, {1, 3}});
  const auto expected = expected_outputs(graph, inputs, 1).value();
  RealTensor actual{expected[0].type, {1000000001, 5}};
  EXPECT_TRUE(compare_outputs(graph, expected, std::vector{actual}).passed);
  actual.data[0] -= 1;
  EXPECT_FALSE(compare_outputs(graph, expected, std::vector{actual}).passed);
}

// ONNX leaves open what a NaN or an infinity becomes as an integer.
TEST(Tolerance, NothingIsAskedOfANaNThatBecameAnInteger) {
  const Graph graph = graph_of("graph(i0: f32[3]) { v0 = Cast(i0, to=\"i8\"); return v0 }");
  const auto inputs =
      test::inputs_of(graph, {{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 7}});
  const auto expected = expected_outputs(graph, inputs, 1).value();
  RealTensor actual{expected[0].type, {0, 127, 7}};
  EXPECT_TRUE(compare_outputs(graph, expected, std::vector{actual}).passed);
  EXPECT_EQ(compare_outputs(graph, expected, std::vector{actual}).checked, 1);
  actual.data[2] = 6;
  EXPECT_FALSE(compare_outputs(graph, expected, std::vector{actual}).passed);
}

// The same of a number that the integer cannot hold: some wrap it, some saturate.
TEST(Tolerance, NothingIsAskedOfANumberOutsideOfAnInteger) {
  const Graph graph = graph_of("graph(i0: f32[3]) { v0 = Cast(i0, to=\"u8\"); return v0 }");
  const auto expected = expected_outputs(graph, test::inputs_of(graph, {{-1, 300, 254.75}}), 1).value();
  EXPECT_EQ(expected[0].values, (std::vector<double>{0, 255, 254}));
  RealTensor actual{expected[0].type, {255, 44, 254}};
  EXPECT_TRUE(compare_outputs(graph, expected, std::vector{actual}).passed);
  actual.data[2] = 253;
  EXPECT_FALSE(compare_outputs(graph, expected, std::vector{actual}).passed);
}

TEST(Tolerance, ResultsThatShouldBeNaNAreLeftOutWhereThatIsAskedForAndNothingElse) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const Graph graph =
      graph_of("graph(i0: f32[2,3]) { v0 = ReduceMax(i0, axes=[1], keepdims=0); v1 = Reciprocal(v0); return v0, v1 }");
  const auto inputs = test::inputs_of(graph, {{nan, 1, 2, infinity, 1, 2}});
  const auto expected = expected_outputs(graph, inputs, 1).value();
  const auto judge = [&](double of_nan, double of_infinity, double its_inverse, Drawbacks stated) {
    const std::vector<RealTensor> actual = {{expected[0].type, {of_nan, of_infinity}}, {expected[1].type, {0.5, its_inverse}}};
    return compare_outputs(graph, expected, actual, stated);
  };
  EXPECT_FALSE(judge(2, infinity, 0, {}).passed);
  const Verification lost = judge(2, infinity, 0, {Drawback::kNanLoss});
  EXPECT_TRUE(lost.passed) << lost.detail;
  EXPECT_EQ(lost.checked, 2) << "one number of each output";
  EXPECT_FALSE(judge(2, 2, 0, {Drawback::kNanLoss}).passed) << "infinity must stay";
  EXPECT_FALSE(judge(2, infinity, nan, {Drawback::kNanLoss}).passed) << "NaN where a number belongs";
}

TEST(Tolerance, OfLostPrecisionAndWinogradsErrorIsRelativeToTheLargestResult) {
  const Graph graph = graph_of("graph(i0: f32[2,3]) { v0 = ReduceSum(i0, axes=[1], keepdims=0); return v0 }");
  const auto inputs = test::inputs_of(graph, {{100, 100, 100, 0.25, 0.25, 0.25}});
  const auto expected = expected_outputs(graph, inputs, 1).value();
  const auto passes = [&](double error, Drawbacks stated) {
    const std::vector<RealTensor> actual = {{expected[0].type, {300, 0.75 + error}}};
    return compare_outputs(graph, expected, actual, stated).passed;
  };
  EXPECT_FALSE(passes(1e-4, {})) << "far beyond the rounding of a sum of 0.75";
  for (const Drawback wider : {Drawback::kWinogradError, Drawback::kPrecisionLoss}) {
    EXPECT_TRUE(passes(1e-4, {wider})) << "within ten times the rounding of a sum of 300 beside it";
    EXPECT_FALSE(passes(0.01, {wider})) << "a wrong number stays wrong";
  }
}

// From each product to the next the bound grows with the sum of the weights' magnitudes.
TEST(Tolerance, OfADeepGraphIsAtMostAShareOfTheLargestResult) {
  constexpr int kProducts = 12;
  std::string text = "graph(i0: f32[2,256], p0: param f32[256,256]) { v0 = MatMul(i0, p0); ";
  for (int i = 1; i < kProducts; ++i) text += "v" + std::to_string(i) + " = MatMul(v" + std::to_string(i - 1) + ", p0); ";
  const Case test(text + "return v" + std::to_string(kProducts - 1) + " }");
  double largest = 0;
  for (const double value : test.expected[0].values) largest = std::max(largest, std::fabs(value));
  ASSERT_GT(0x1p-24 * test.expected[0].magnitude[7], largest) << "the bound alone would let anything pass";
  const auto with_error = [&](double share, InputPattern pattern) {
    RealTensor actual{test.expected[0].type, test.expected[0].values};
    actual.data[7] += share * largest;
    return compare_outputs(test.graph, test.expected, std::vector{actual}, {}, pattern);
  };
  EXPECT_TRUE(with_error(1e-4, InputPattern::kUniform).passed);
  EXPECT_FALSE(with_error(2e-3, InputPattern::kUniform).passed);
  EXPECT_TRUE(with_error(2e-3, InputPattern::kLarge).passed) << "special inputs are judged by the bound alone";
  const std::vector<ExpectedOutput> unbounded = {
      {test.expected[0].type, {}, test.expected[0].values, std::vector<double>(512, std::numeric_limits<double>::infinity())}};
  EXPECT_TRUE(compare_outputs(test.graph, unbounded, std::vector{RealTensor{unbounded[0].type, unbounded[0].values}}).passed);
  // One element alone has a reason of its own, such as an intermediate that leaves the type's range.
  std::vector<ExpectedOutput> one = {{test.expected[0].type, {}, test.expected[0].values, std::vector<double>(512, largest)}};
  one[0].magnitude[7] = std::numeric_limits<double>::infinity();
  RealTensor overflowed{one[0].type, one[0].values};
  overflowed.data[7] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(compare_outputs(test.graph, one, std::vector{overflowed}).passed);
}

// Each operand is a small rest of large numbers, so that its error is large beside it.
TEST(Tolerance, OfAProductOfTwoInexactOperandsDoesNotExplode) {
  const Case test(
      "graph(i0: f32[4,4], i1: f32[4,4]) { c = Constant(value=1000000.0); v0 = Add(i0, c); v1 = Sub(v0, c); v2 = Add(i1, c); "
      "v3 = Sub(v2, c); v4 = MatMul(v1, v3); return v4 }");
  for (const double magnitude : test.expected[0].magnitude) {
    EXPECT_GT(magnitude, 1e5);
    EXPECT_LT(magnitude, 1e9) << "about 4 * (0.5 + 0.5 + 2^-24 * 3e6) * 3e6";
  }
}

TEST(Tolerance, AWrongNumberOfOutputsOrElementsFails) {
  const Case test("graph(i0: f32[4]) { v0 = Neg(i0); return v0 }");
  EXPECT_FALSE(compare_outputs(test.graph, test.expected, {}).passed);
  EXPECT_FALSE(test.judge({1, 2, 3}).passed);
}

}  // namespace
}  // namespace fuselab
