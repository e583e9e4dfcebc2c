// SPDX-License-Identifier: Apache-2.0
// Paths against 200 expressions whose costs the opt_einsum package gave (make_expressions.py).
#include "core/contraction/contraction_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace fuselab {
namespace {

struct Expression {
  std::string equation;
  ContractionProblem problem;
  double greedy = 0;
  double optimal = 0;  // 0: not asked
};

ContractionProblem problem_of(const std::string& equation, const std::map<std::string, double>& sizes) {
  ContractionProblem problem;
  const auto arrow = equation.find("->");
  problem.operands.emplace_back();
  for (const char c : equation.substr(0, arrow)) {
    if (c == ',') {
      problem.operands.emplace_back();
    } else {
      problem.operands.back().push_back(c);
    }
  }
  for (const char c : equation.substr(arrow + 2)) problem.result.push_back(c);
  for (const auto& [name, size] : sizes) problem.sizes[name[0]] = size;
  return problem;
}

std::vector<Expression> expressions() {
  std::ifstream file(EXPRESSIONS);
  std::vector<Expression> all;
  for (const auto& each : nlohmann::json::parse(file)) {
    all.push_back({each["equation"], problem_of(each["equation"], each["sizes"].get<std::map<std::string, double>>()),
                   each["greedy"], each.value("optimal", 0.0)});
  }
  return all;
}

// Walks a path by the definition and returns its FLOPs; -1 where it does not end with one tensor.
double cost_of(const ContractionProblem& problem, const ContractionPath& path) {
  std::vector<std::set<int>> left;
  for (const IndexSet& operand : problem.operands) left.emplace_back(operand.begin(), operand.end());
  double flops = 0;
  for (const auto& [a, b] : path.steps) {
    if (a < 0 || a >= b || static_cast<std::size_t>(b) >= left.size()) return -1;
    std::set<int> together = left[static_cast<std::size_t>(a)];
    together.insert(left[static_cast<std::size_t>(b)].begin(), left[static_cast<std::size_t>(b)].end());
    left.erase(left.begin() + b);
    left.erase(left.begin() + a);
    std::set<int> needed(problem.result.begin(), problem.result.end()), kept;
    for (const auto& other : left) needed.insert(other.begin(), other.end());
    double product = 1;
    for (const int index : together) {
      product *= problem.sizes.at(index);
      if (needed.count(index) != 0) kept.insert(index);
    }
    flops += product * (kept.size() == together.size() ? 1 : 2);
    left.push_back(kept);
  }
  return left.size() == 1 ? flops : -1;
}

TEST(ContractionPath, OptimalCostsWhatOptEinsumsOptimalCosts) {
  int compared = 0;
  for (const Expression& each : expressions()) {
    if (each.optimal == 0) continue;
    const ContractionPath path = optimal_path(each.problem);
    EXPECT_DOUBLE_EQ(path.flops, each.optimal) << each.equation;
    EXPECT_DOUBLE_EQ(cost_of(each.problem, path), path.flops) << each.equation;
    ++compared;
  }
  EXPECT_EQ(compared, 150);
}

TEST(ContractionPath, GreedyIsNoWorseThanOptEinsumsOnTheWhole) {
  double logs = 0;
  const auto all = expressions();
  for (const Expression& each : all) {
    const ContractionPath path = greedy_path(each.problem);
    EXPECT_DOUBLE_EQ(cost_of(each.problem, path), path.flops) << each.equation;
    logs += std::log(path.flops / each.greedy);
  }
  EXPECT_EQ(all.size(), 200U);
  EXPECT_LE(std::exp(logs / static_cast<double>(all.size())), 1.0);
}

TEST(ContractionPath, TheBestIsNeverWorseThanAnyOther) {
  for (const Expression& each : expressions()) {
    const ContractionPath best = best_path(each.problem);
    EXPECT_DOUBLE_EQ(cost_of(each.problem, best), best.flops) << each.equation;
    EXPECT_LE(best.flops, path_as_written(each.problem).flops) << each.equation;
    EXPECT_LE(best.flops, greedy_path(each.problem).flops) << each.equation;
  }
}

TEST(ContractionPath, KeepsIntermediateTensorsSmallWhereAsked) {
  // (ab·bc)·cd makes a tensor of 10,000 elements, ab·(bc·cd) one of 100.
  ContractionProblem problem = problem_of("ab,bc,cd->ad", {{"a", 100}, {"b", 1}, {"c", 100}, {"d", 1}});
  problem.most_elements = 200;
  const ContractionPath path = best_path(problem);
  EXPECT_LE(path.elements, 200);
  EXPECT_EQ(path.steps.size(), 2U);
  problem.most_elements = 1;
  EXPECT_TRUE(optimal_path(problem).steps.empty());
  EXPECT_TRUE(greedy_path(problem).steps.empty());
  EXPECT_EQ(best_path(problem).method, "as written") << "where nothing keeps to it";
}

TEST(ContractionPath, EndsWithManyOperandsSoon) {
  std::string equation = "aA";
  std::map<std::string, double> sizes = {{"a", 2}, {"A", 3}};
  for (char c = 'b'; c <= 'z'; ++c) {
    const char big = static_cast<char>(c - 'a' + 'A');
    equation += std::string(",") + static_cast<char>(c - 1) + c + "," + static_cast<char>(big - 1) + big;
    sizes[std::string(1, c)] = 2;
    sizes[std::string(1, big)] = 3;
  }
  const ContractionProblem problem = problem_of(equation + "->zZ", sizes);
  EXPECT_EQ(problem.operands.size(), 51U);
  EXPECT_EQ(best_path(problem).steps.size(), 50U);
}

}  // namespace
}  // namespace fuselab
