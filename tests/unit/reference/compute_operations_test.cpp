// SPDX-License-Identifier: Apache-2.0
// The operations of S1's compute backend (R79-R86), as the built-in workloads write them, against their definitions in plain loops.
#include <cmath>

#include "core/base/random.h"
#include "core/workloads/workload.h"
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::near;
using Values = std::vector<double>;

Values values_of(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  Values values(count);
  for (double& value : values) value = 2 * random.unit() - 1;
  return values;
}

// The only output of a built-in workload.
Values run(const char* name, const Bindings& shape, const std::vector<Values>& inputs) {
  const auto graph = instantiate(*find_workload(name).value(), shape, DType::kF32);
  if (!graph.ok()) throw std::runtime_error(graph.error().message);
  const auto outputs = evaluate_reference(graph.value(), test::inputs_of(graph.value(), inputs));
  if (!outputs.ok()) throw std::runtime_error(outputs.error().message);
  return outputs.value().at(0).data;
}

// Row-major matrix times vector.
Values times(const Values& matrix, const Values& vector) {
  Values result(matrix.size() / vector.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    for (std::size_t i = 0; i < vector.size(); ++i) result[row] += matrix[row * vector.size() + i] * vector[i];
  }
  return result;
}

TEST(ComputeOperations, MatrixTimesVector) {
  const Values w = values_of(3 * 5, 1), x = values_of(5, 2);
  EXPECT_THAT(run("s1-matmul-vec", {{"rows", 3}, {"cols", 5}}, {w, x}), near(times(w, x)));
  EXPECT_THAT(run("s1-matmul-vec-into", {{"rows", 3}, {"cols", 5}}, {w, x}), near(times(w, x)));
}

TEST(ComputeOperations, MatrixTimesMatrix) {
  const Values a = values_of(2 * 3, 3), b = values_of(3 * 4, 4);
  Values c(2 * 4);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i * 4 + j] += a[i * 3 + k] * b[k * 4 + j];
    }
  }
  EXPECT_THAT(run("s1-matmul", {{"m", 2}, {"n", 4}, {"k", 3}}, {a, b}), near(c));
}

TEST(ComputeOperations, RmsNorm) {
  const Values x = values_of(7, 5), weight = values_of(7, 6);
  double squares = 0;
  for (const double value : x) squares += value * value;
  Values expected;
  for (std::size_t i = 0; i < x.size(); ++i) expected.push_back(x[i] / std::sqrt(squares / 7 + 1e-5) * weight[i]);
  EXPECT_THAT(run("s1-rmsnorm", {{"n", 7}}, {x, weight}), near(expected));
}

TEST(ComputeOperations, Softmax) {
  const Values x = values_of(7, 7);
  double sum = 0;
  for (const double value : x) sum += std::exp(value);
  Values expected;
  for (const double value : x) expected.push_back(std::exp(value) / sum);
  EXPECT_THAT(run("s1-softmax", {{"n", 7}}, {x}), near(expected));
  EXPECT_THAT(run("s1-softmax-view", {{"n", 7}}, {x}), near(expected));
}

TEST(ComputeOperations, Silu) {
  const Values x = values_of(7, 8);
  Values expected;
  for (const double value : x) expected.push_back(value / (1 + std::exp(-value)));
  EXPECT_THAT(run("s1-silu", {{"n", 7}}, {x}), near(expected));
}

TEST(ComputeOperations, RotaryEmbeddingTurnsThePairsOfBothHalves) {
  constexpr std::size_t kHalf = 64, kHeads = 2;
  const Values x = values_of(kHeads * 2 * kHalf, 9);
  Values cos, sin, expected(x.size());
  for (std::size_t i = 0; i < kHalf; ++i) {
    cos.push_back(std::cos(0.1 * static_cast<double>(i)));
    sin.push_back(std::sin(0.1 * static_cast<double>(i)));
  }
  for (std::size_t head = 0; head < kHeads; ++head) {
    for (std::size_t i = 0; i < kHalf; ++i) {
      const std::size_t left = head * 2 * kHalf + i, right = left + kHalf;
      expected[left] = x[left] * cos[i] - x[right] * sin[i];
      expected[right] = x[left] * sin[i] + x[right] * cos[i];
    }
  }
  EXPECT_THAT(run("s1-apply-rope", {{"heads", kHeads}}, {x, cos, sin}), near(expected));
}

TEST(ComputeOperations, AttentionScoresAreScaledDotProductsWithEachKey) {
  const Values query = values_of(5, 10), keys = values_of(3 * 5, 11);
  Values expected = times(keys, query);
  for (double& score : expected) score *= 1 / std::sqrt(128.0);  // the workload's scale, whatever its dim
  EXPECT_THAT(run("s1-attention-scores", {{"seq", 3}, {"dim", 5}}, {query, keys}), near(expected, 1e-8));
}

TEST(ComputeOperations, WeightedSumOfRows) {
  const Values weights = values_of(3, 12), matrix = values_of(3 * 4, 13);
  Values expected(4);
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t i = 0; i < 4; ++i) expected[i] += weights[row] * matrix[row * 4 + i];
  }
  EXPECT_THAT(run("s1-weighted-sum-rows", {{"seq", 3}, {"dim", 4}}, {weights, matrix}), near(expected));
}

}  // namespace
}  // namespace fuselab
