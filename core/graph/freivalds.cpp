// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/graph/reference_matmul.h"
#include "core/graph/tolerance.h"

namespace fuselab {
namespace {

using reference::Product;

// One round on one batch: r random ±1, C·r against A·(B·r).
class Round {
 public:
  Round(const Product& product, SeededRandom& random) : p_(product) {
    for (std::int64_t j = 0; j < p_.columns; ++j) signs_.push_back((random.next() & 1) != 0 ? 1.0 : -1.0);
  }

  // B·r and |B|·1, one per step of the depth.
  void project(const std::vector<double>& b, std::size_t batch) {
    projected_.assign(static_cast<std::size_t>(p_.depth), 0);
    weight_.assign(static_cast<std::size_t>(p_.depth), 0);
    for (std::int64_t k = 0; k < p_.depth; ++k) {
      for (std::int64_t j = 0; j < p_.columns; ++j) {
        double const value = b[static_cast<std::size_t>(p_.b_base[batch] + k * p_.b_depth + j * p_.b_column)];
        projected_[static_cast<std::size_t>(k)] += value * signs_[static_cast<std::size_t>(j)];
        weight_[static_cast<std::size_t>(k)] += std::fabs(value);
      }
    }
  }

  struct Line {
    double expected = 0;   // A·(B·r)
    double magnitude = 0;  // |A|·|B|·1
  };
  Line line(const std::vector<double>& a, std::size_t batch, std::int64_t row) const {
    Line line;
    for (std::int64_t k = 0; k < p_.depth; ++k) {
      double const value = a[static_cast<std::size_t>(p_.a_base[batch] + row * p_.a_row + k * p_.a_depth)];
      line.expected += value * projected_[static_cast<std::size_t>(k)];
      line.magnitude += std::fabs(value) * weight_[static_cast<std::size_t>(k)];
    }
    return line;
  }
  double sign(std::int64_t column) const { return signs_[static_cast<std::size_t>(column)]; }

 private:
  const Product& p_;
  std::vector<double> signs_, projected_, weight_;
};

struct Operands {
  const Graph& graph;
  std::span<const RealTensor> inputs;
  const RealTensor& actual;
  double alpha = 1;
  double beta = 0;
  Tolerance tolerance;
  reference::Rounding rounding;
};

// C·r of one row, Gemm's β·C taken off; and the magnitude of what was summed.
Round::Line actual_line(const Operands& o, const Product& p, const Round& round, std::int64_t first) {
  Round::Line line;
  std::vector<std::int64_t> const extents = {p.rows, p.columns};
  std::vector<std::int64_t> const addend = o.beta != 0 ? extents_of(o.inputs[2].type.shape) : std::vector<std::int64_t>();
  reference::BroadcastIndex const index(extents, addend);
  for (std::int64_t j = 0; j < p.columns; ++j) {
    double const value = o.actual.data[static_cast<std::size_t>(first + j)];
    double const added = o.beta != 0 ? o.beta * o.inputs[2].data[static_cast<std::size_t>(index(first + j))] : 0;
    line.expected += round.sign(j) * (value - added);
    line.magnitude += std::fabs(value) + std::fabs(added);
  }
  return line;
}

// The errors of a row's elements are independent of the signs, so their signed sum grows with the square root of their
// number: eight deviations of it, and never more than their plain sum.
double allowed(const Operands& o, const Product& p, double product_magnitude, double result_magnitude) {
  double const growth = (1 + reference::sum_growth(p.depth)) * o.rounding.accumulate;
  double const kept = o.rounding.accumulate + o.rounding.store;
  double const plain = o.tolerance.relative * (growth * std::fabs(o.alpha) * product_magnitude + kept * result_magnitude);
  double const columns = static_cast<double>(p.columns);
  return plain * std::min(1.0, 8 / std::sqrt(columns)) + columns * o.tolerance.absolute;
}

void check_batch(const Operands& o, const Product& p, std::size_t batch, SeededRandom& random, Verification& found) {
  Round round(p, random);
  round.project(o.inputs[1].data, batch);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    Round::Line const wanted = round.line(o.inputs[0].data, batch, row);
    std::int64_t const first = static_cast<std::int64_t>(batch) * p.per_batch() + row * p.columns;
    Round::Line const got = actual_line(o, p, round, first);
    double const error = std::fabs(got.expected - o.alpha * wanted.expected);
    if (!std::isfinite(o.alpha * wanted.expected)) continue;  // specials are judged one by one
    ++found.checked;
    double const limit = allowed(o, p, wanted.magnitude, got.magnitude);
    if (std::isfinite(error)) {
      found.max_error = std::max(found.max_error, error);
      if (limit > 0) found.worst_ratio = std::max(found.worst_ratio, error / limit);
    }
    if (error <= limit || !found.passed) continue;
    found.passed = false;
    found.detail = "row " + std::to_string(static_cast<std::int64_t>(batch) * p.rows + row) + " fails Freivalds' check: off by " +
                   std::to_string(error) + ", at most " + std::to_string(limit) + " expected";
  }
}

}  // namespace

Verification freivalds_check(const Graph& graph, std::span<const RealTensor> inputs, std::span<const RealTensor> actual, int rounds,
                             std::uint64_t seed) {
  Verification found;
  found.passed = true;
  if (graph.nodes().size() != 1 || actual.size() != 1) return found;
  const Node& node = graph.nodes()[0];
  bool const in_order = node.inputs == graph.inputs();  // no operand used twice, none unused
  if ((node.op != Op::kMatMul && node.op != Op::kGemm) || !in_order || inputs.size() != node.inputs.size()) return found;
  Product const product = reference::product_of_node(node, extents_of(inputs[0].type.shape), extents_of(inputs[1].type.shape));
  Operands operands{
      graph, inputs, actual[0], 1, 0, tolerance_for(graph, graph.outputs()[0]), reference::rounding_of(actual[0].type.dtype)};
  if (node.op == Op::kGemm) {
    operands.alpha = node.attributes.real("alpha", 1);
    operands.beta = inputs.size() > 2 ? node.attributes.real("beta", 1) : 0;
  }
  SeededRandom random(seed);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t batch = 0; batch < product.a_base.size(); ++batch) check_batch(operands, product, batch, random, found);
  }
  return found;
}

}  // namespace fuselab
