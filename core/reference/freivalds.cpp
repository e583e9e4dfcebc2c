// SPDX-License-Identifier: Apache-2.0
#include "core/reference/freivalds.h"
#include "core/reference/own_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/random.h"
#include "core/reference/affine_product.h"
#include "core/tensor/small_float.h"

// For y = s·P + t with P = A·B, s one factor per row times one per column, and r random ±1 per column:
//   Σ_j r_j·(y[i,j] − t[i,j]) = s_i · A_i·(B·(s∘r))
//
// The limit of a right y is as follows. Each element of a row is within b_j of its true value (tolerance.cpp):
//   b_j = 2u·(growth·|s|·(|A||B|)_ij + roundings·(|y_ij| + 2·Σ|t|)), as |s·P| ≤ |y| + |t|
// The errors are there before the signs are drawn, so their signed sum passes eight times their root of squares with a probability
// below 2·exp(−32) (Hoeffding), and never passes their plain sum. The root of squares is at most half of the b_j's: 2u is twice
// what a rounding can be, and λ = 2 of a long sum is twice what its errors are in the mean. (|A||B|)_ij ≤ ‖A_i‖·‖B_j‖ makes the
// root a matter of O(n²) too, whichever columns are large.
namespace fuselab {

using reference::AffineProduct;

namespace {

constexpr double kDeviations = 8;
constexpr double kHalf = 0.5;

std::size_t index_of(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

// Σ|x| and Σx².
struct Norms {
  double plain = 0;
  double squares = 0;
  void take(double value) {
    plain += std::fabs(value);
    squares += value * value;
  }
  double root() const { return std::sqrt(squares); }
};

}  // namespace

struct FreivaldsCheck::Batches {
  const AffineProduct& affine;
  const MatrixProduct& p;
  reference::Rounding rounding;
  double largest_offset;  // of all elements

  double a(std::size_t batch, std::int64_t i, std::int64_t k) const {
    return affine.a[index_of(p.a_base[batch] + i * p.a_row + k * p.a_depth)];
  }
  // Visits B's elements in the order in which they lie.
  template <typename Visit>
  void for_each_b(std::size_t batch, Visit&& visit) const {
    const bool rows_first = p.b_column == 1;
    const std::int64_t outer = rows_first ? p.depth : p.columns, inner = rows_first ? p.columns : p.depth;
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t n = 0; n < inner; ++n) {
        const std::int64_t k = rows_first ? o : n, j = rows_first ? n : o;
        visit(k, j, affine.b[index_of(p.b_base[batch] + k * p.b_depth + j * p.b_column)]);
      }
    }
  }
  std::size_t row_of(std::size_t batch, std::int64_t i) const { return batch * index_of(p.rows) + index_of(i); }

  // Bounds how far the products of each row may be off, and marks the rows that may leave the type's range on the way.
  void bound(std::size_t batch, std::vector<Row>& rows) const {
    std::vector<double> weight(index_of(p.depth));  // |B|·|s|
    double squares = 0, largest = 0;                // Σ (s_j·‖B_j‖)², and with no s_j below 1
    for_each_b(batch, [&](std::int64_t k, std::int64_t j, double value) {
      const double factor = std::fabs(affine.column_scale[index_of(j)]);
      const double scaled = std::fabs(value) * factor;
      weight[index_of(k)] += scaled;
      squares += scaled * scaled;
      largest += value * value * std::max(1.0, factor * factor);
    });
    const double growth = (1 + reference::sum_growth(p.depth)) * rounding.accumulate;
    for (std::int64_t i = 0; i < p.rows; ++i) {
      Norms left;
      double product = 0;
      for (std::int64_t k = 0; k < p.depth; ++k) {
        left.take(a(batch, i, k));
        product += std::fabs(a(batch, i, k)) * weight[index_of(k)];
      }
      const double scale = std::fabs(affine.row_scale[row_of(batch, i)]);
      const double reach = std::max(1.0, scale) * left.root() * std::sqrt(largest) + largest_offset;
      rows.push_back({growth * scale * product, growth * scale * left.root() * std::sqrt(squares), reach < rounding.largest});
    }
  }

  // s_i · A_i·(B·(s∘r)) of each row.
  void want(std::size_t batch, std::span<const signed char> signs, std::vector<double>& wanted) const {
    std::vector<double> signed_scale, projected(index_of(p.depth));
    for (std::size_t j = 0; j < signs.size(); ++j) signed_scale.push_back(affine.column_scale[j] * signs[j]);
    for_each_b(batch,
               [&](std::int64_t k, std::int64_t j, double value) { projected[index_of(k)] += value * signed_scale[index_of(j)]; });
    for (std::int64_t i = 0; i < p.rows; ++i) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.depth; ++k) sum += a(batch, i, k) * projected[index_of(k)];
      wanted.push_back(sum * affine.row_scale[row_of(batch, i)]);
    }
  }
};

bool FreivaldsCheck::applies(const Graph& graph) {
  return reference::affine_chain_of(graph).has_value();
}

std::optional<FreivaldsCheck> FreivaldsCheck::create(const Graph& graph, std::span<const RealTensor> inputs, int rounds,
                                                     std::uint64_t seed) {
  const auto own = own_reference(graph);
  if (!own.ok()) return std::nullopt;
  // A tolerance that the user states says more than the bound of an exact product.
  if (own.value() && (!own.value()->graph || own.value()->states_tolerance())) return std::nullopt;
  if (own.value()) return create(*own.value()->graph, inputs, rounds, seed);
  const auto chain = reference::affine_chain_of(graph);
  if (!chain || inputs.size() != graph.inputs().size()) return std::nullopt;
  AffineProduct affine = reference::affine_product(graph, *chain, inputs);
  const DType dtype = graph.type(graph.outputs()[0]).dtype;
  const reference::Rounding rounding = reference::rounding_of(dtype);
  FreivaldsCheck made;
  made.columns_ = index_of(affine.shape.columns);
  made.rows_per_batch_ = index_of(affine.shape.rows);
  made.rounds_ = static_cast<std::size_t>(rounds);
  made.kept_ = affine.roundings * (rounding.accumulate + rounding.store);
  made.tolerance_ = tolerance_for(graph, graph.outputs()[0]);
  // Errors are counted in kUnit, tolerances in round-offs of the output's arithmetic.
  if (dtype == DType::kF64) made.tolerance_.relative *= reference::kUnit / 0x1p-53;
  const double largest = affine.accumulated.empty() ? 0 : *std::max_element(affine.accumulated.begin(), affine.accumulated.end());
  const Batches batches{affine, affine.shape, rounding, largest};
  const std::size_t count = affine.shape.a_base.size();
  for (std::size_t batch = 0; batch < count; ++batch) batches.bound(batch, made.rows_);
  SeededRandom random(seed);
  for (std::size_t i = 0; i < made.rounds_ * count * made.columns_; ++i) made.signs_.push_back((random.next() & 1) != 0 ? 1 : -1);
  for (std::size_t i = 0; i < made.rounds_ * count; ++i) {
    batches.want(i % count, std::span(made.signs_).subspan(i * made.columns_, made.columns_), made.wanted_);
  }
  made.offset_ = std::move(affine.offset);
  made.accumulated_ = std::move(affine.accumulated);
  return made;
}

// Returns how far the signed sum of a row may be off. A result that is not finite is no reason to allow more.
double FreivaldsCheck::sum_limit(std::size_t row, const RealTensor& actual) const {
  Norms result;
  for (std::size_t at = row * columns_; at < (row + 1) * columns_; ++at) {
    const double value = std::isfinite(actual.data[at]) ? std::fabs(actual.data[at]) : 0;
    result.take(value + 2 * accumulated_[at]);
  }
  const double plain = rows_[row].product_plain + kept_ * result.plain;
  const double root = rows_[row].product_root + kept_ * result.root();
  return tolerance_.relative * std::min(plain, kHalf * kDeviations * root) + static_cast<double>(columns_) * tolerance_.absolute;
}

void FreivaldsCheck::judge_row(std::size_t round, std::size_t row, double got, double limit, Verification& found) const {
  const double wanted = wanted_[round * rows_.size() + row];
  if (!std::isfinite(wanted) || !std::isfinite(limit)) return;
  ++found.checked;
  const double error = std::fabs(got - wanted);
  if (std::isfinite(error)) {
    found.max_error = std::max(found.max_error, error);
    if (limit > 0) found.worst_ratio = std::max(found.worst_ratio, error / limit);
  }
  if (error <= limit || !found.passed) return;  // false for NaN
  found.passed = false;
  char text[128];
  std::snprintf(text, sizeof text, "row %zu fails Freivalds' check: its sum is off by %.3g, at most %.3g expected", row, error,
                limit);
  found.detail = text;
}

Verification FreivaldsCheck::judge(const RealTensor& actual) const {
  Verification found;
  found.passed = actual.data.size() == offset_.size();
  if (!found.passed) {
    found.detail = "the product has " + std::to_string(offset_.size()) + " elements, got " + std::to_string(actual.data.size());
    return found;
  }
  std::vector<double> products(columns_);  // s·P as the kernel has it
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (!rows_[row].judged) continue;
    for (std::size_t j = 0; j < columns_; ++j) products[j] = actual.data[row * columns_ + j] - offset_[row * columns_ + j];
    const double limit = sum_limit(row, actual);
    const std::size_t batch = row / rows_per_batch_, batches = rows_.size() / rows_per_batch_;
    for (std::size_t round = 0; round < rounds_; ++round) {
      const signed char* const signs = signs_.data() + (round * batches + batch) * columns_;
      double got = 0;
      for (std::size_t j = 0; j < columns_; ++j) got += signs[j] * products[j];
      judge_row(round, row, got, limit, found);
    }
  }
  return found;
}

Bytes FreivaldsCheck::host_bytes() const {
  const std::size_t numbers = offset_.size() + accumulated_.size() + wanted_.size();
  return {static_cast<std::int64_t>(numbers * sizeof(double) + signs_.size() + rows_.size() * sizeof(Row))};
}

}  // namespace fuselab
