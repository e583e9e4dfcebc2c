// SPDX-License-Identifier: Apache-2.0
#include "core/reference/affine_product.h"

#include <algorithm>

#include "core/cost/memory_of.h"

namespace fuselab::reference {
namespace {

// Its elements are known exactly: a graph input or a constant.
bool is_exact(const Graph& graph, ValueId id) {
  const Value& root = graph.value(memory_of(graph, id));
  return !root.producer || graph.node(*root.producer).op == Op::kConstant;
}

std::int64_t count_of(const Graph& graph, ValueId id) {
  return product_of(extents_of(graph.type(id).shape));
}

enum class Along { kRows, kColumns, kNeither };

// Returns whether a scale is one number per row of the product or one per column.
Along direction_of(std::span<const std::int64_t> result, std::span<const std::int64_t> scale, const MatrixProduct& product) {
  const std::int64_t count = product_of(scale);
  if (count == 1 || product.columns == 1) return Along::kRows;
  if (result.empty() || result.back() != product.columns || scale.empty()) return Along::kNeither;
  if (scale.back() == 1) return Along::kRows;
  return count == product.columns && scale.back() == count ? Along::kColumns : Along::kNeither;
}

MatrixProduct product_in(const Graph& graph, const Node& node) {
  return matrix_product_of(node, extents_of(graph.type(node.inputs[0]).shape), extents_of(graph.type(node.inputs[1]).shape));
}

// The step that a node behind the product is, given the value that depends on it.
std::optional<AffineChain::Step> step_of(const Graph& graph, const MatrixProduct& product, const Node& node, ValueId path) {
  if (node.op == Op::kNeg) return AffineChain::Step{&node, node.inputs.size()};
  const bool adds = node.op == Op::kAdd || node.op == Op::kSub;
  const bool scales = node.op == Op::kMul || node.op == Op::kDiv;
  if (!adds && !scales) return std::nullopt;
  const std::size_t side = node.inputs[0] == path ? 1 : 0;
  const bool divides_by_product = node.op == Op::kDiv && side == 0;
  if (divides_by_product || !is_exact(graph, node.inputs[side])) return std::nullopt;
  const auto result = extents_of(graph.type(node.outputs[0]).shape);
  const auto extents = extents_of(graph.type(node.inputs[side]).shape);
  if (scales && direction_of(result, extents, product) == Along::kNeither) return std::nullopt;
  return AffineChain::Step{&node, side};
}

class Builder {
 public:
  Builder(const Graph& graph, std::span<const RealTensor> inputs) : graph_(graph), inputs_(inputs) {}

  AffineProduct build(const AffineChain& chain) {
    begin(*chain.product);
    for (const AffineChain::Step& step : chain.steps) apply(step);
    return std::move(made_);
  }

 private:
  std::span<const double> data_of(ValueId id) {
    const ValueId root = memory_of(graph_, id);
    if (graph_.value(root).producer) {
      constant_ = graph_.node(*graph_.value(root).producer).attributes.real("value", 0);
      return {&constant_, 1};
    }
    const auto at = std::find(graph_.inputs().begin(), graph_.inputs().end(), root) - graph_.inputs().begin();
    return inputs_[static_cast<std::size_t>(at)].data;
  }

  void begin(const Node& node) {
    made_.shape = product_in(graph_, node);
    made_.a = data_of(node.inputs[0]);
    made_.b = data_of(node.inputs[1]);
    const bool is_gemm = node.op == Op::kGemm;
    const double alpha = is_gemm ? node.attributes.real("alpha", 1) : 1;
    made_.row_scale.assign(made_.shape.a_base.size() * static_cast<std::size_t>(made_.shape.rows), alpha);
    made_.column_scale.assign(static_cast<std::size_t>(made_.shape.columns), 1);
    const auto count = static_cast<std::size_t>(made_.rows() * made_.shape.columns);
    made_.offset.assign(count, 0);
    made_.accumulated.assign(count, 0);
    const Rounding rounding = rounding_of(graph_.type(node.outputs[0]).dtype);
    flushed_ = rounding.underflow / (rounding.accumulate + rounding.store);
    rounded();
    if (alpha != 1) rounded();
    if (!is_gemm || node.inputs.size() <= 2) return;
    const double beta = node.attributes.real("beta", 1);
    if (beta != 1) rounded();
    add(node.outputs[0], node.inputs[2], beta);
  }

  // A result is kept: rounded, and flushed to zero where it is tiny.
  void rounded() {
    ++made_.roundings;
    for (double& each : made_.accumulated) each += flushed_;
  }

  void add(ValueId result, ValueId side, double factor) {
    const BroadcastIndex index(extents_of(graph_.type(result).shape), extents_of(graph_.type(side).shape));
    const auto data = data_of(side);
    for (std::size_t i = 0; i < made_.offset.size(); ++i) {
      const double added = factor * data[static_cast<std::size_t>(index(static_cast<std::int64_t>(i)))];
      made_.offset[i] += added;
      made_.accumulated[i] += std::fabs(added);
    }
    rounded();
  }

  template <typename FactorOf>
  void scale_by(std::vector<double>& scales, std::int64_t stride, FactorOf&& factor_of) {
    for (std::size_t i = 0; i < scales.size(); ++i) scales[i] *= factor_of(static_cast<std::int64_t>(i) * stride);
    for (std::size_t i = 0; i < made_.offset.size(); ++i) {
      const double factor = factor_of(static_cast<std::int64_t>(i));
      made_.offset[i] *= factor;
      made_.accumulated[i] *= std::fabs(factor);
    }
    rounded();
  }

  void scale(const Node& node, ValueId side) {
    const auto result = extents_of(graph_.type(node.outputs[0]).shape);
    const auto extents = extents_of(graph_.type(side).shape);
    const BroadcastIndex index(result, extents);
    const auto data = data_of(side);
    const auto factor_of = [&](std::int64_t at) {
      const double value = data[static_cast<std::size_t>(index(at))];
      return node.op == Op::kDiv ? 1 / value : value;
    };
    const bool by_row = direction_of(result, extents, made_.shape) == Along::kRows;
    scale_by(by_row ? made_.row_scale : made_.column_scale, by_row ? made_.shape.columns : 1, factor_of);
  }

  void negate() {
    for (double& each : made_.row_scale) each = -each;
    for (double& each : made_.offset) each = -each;
  }

  void apply(const AffineChain::Step& step) {
    const Node& node = *step.node;
    if (node.op == Op::kNeg) return negate();
    const ValueId side = node.inputs[step.side];
    if (node.op == Op::kMul || node.op == Op::kDiv) return scale(node, side);
    const bool taken_from_side = node.op == Op::kSub && step.side == 0;
    if (taken_from_side) negate();
    add(node.outputs[0], side, node.op == Op::kSub && !taken_from_side ? -1 : 1);
  }

  const Graph& graph_;
  std::span<const RealTensor> inputs_;
  AffineProduct made_;
  double flushed_ = 0;
  double constant_ = 0;
};

}  // namespace

std::optional<AffineChain> affine_chain_of(const Graph& graph) {
  if (graph.outputs().size() != 1 || !is_floating(graph.type(graph.outputs()[0]).dtype)) return std::nullopt;
  AffineChain chain;
  MatrixProduct product;
  ValueId path = graph.outputs()[0];
  for (const Node& node : graph.nodes()) {
    const bool behind = chain.product != nullptr && std::find(node.inputs.begin(), node.inputs.end(), path) != node.inputs.end();
    if (is_view(node.op)) {
      if (behind) path = node.outputs[0];
      continue;
    }
    if (node.op == Op::kConstant) continue;
    if (chain.product == nullptr) {
      const bool is_product = node.op == Op::kMatMul || node.op == Op::kGemm;
      const bool exact = std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return is_exact(graph, id); });
      if (!is_product || !exact) return std::nullopt;
      chain.product = &node;
      product = product_in(graph, node);
    } else {
      const std::optional<AffineChain::Step> step = behind ? step_of(graph, product, node, path) : std::nullopt;
      const bool grows = count_of(graph, node.outputs[0]) != count_of(graph, path);  // the addend is larger than the product
      if (!step || grows || graph.type(node.outputs[0]).dtype != graph.type(path).dtype) return std::nullopt;
      chain.steps.push_back(*step);
    }
    path = node.outputs[0];
  }
  if (chain.product == nullptr || path != graph.outputs()[0]) return std::nullopt;
  return chain;
}

AffineProduct affine_product(const Graph& graph, const AffineChain& chain, std::span<const RealTensor> inputs) {
  return Builder(graph, inputs).build(chain);
}

}  // namespace fuselab::reference
