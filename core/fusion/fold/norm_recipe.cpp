// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/fold/norm_recipe.h"

#include <utility>
#include <vector>

namespace fuselab {
namespace {

// Builds a recipe in float64. After the first step that does not fit the others are ignored.
class Recipe {
 public:
  ValueId param(const RecipeParam& param) {
    return cast(graph_.add_input(param.name, param.type, ValueOrigin::kParam), DType::kF64);
  }
  ValueId number(double value) { return add(Op::kConstant, {}, {{"value", value}, {"dtype", std::string("f64")}}); }
  ValueId cast(ValueId value, DType to) {
    return graph_.type(value).dtype == to ? value : add(Op::kCast, {value}, {{"to", std::string(name_of(to))}});
  }
  ValueId add(Op op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    if (!fits_) return ValueId{};
    auto added = graph_.add_node(op, std::move(inputs), std::move(attributes));
    fits_ = added.ok();
    return fits_ ? graph_.node(added.value()).outputs.front() : ValueId{};
  }
  std::optional<Graph> finish(ValueId result, DType dtype) {
    if (!fits_) return std::nullopt;
    result = cast(result, dtype);
    graph_.add_output(result);
    return fits_ ? std::optional(std::move(graph_)) : std::nullopt;
  }

 private:
  Graph graph_;
  bool fits_ = true;
};

ValueId factor_of(Recipe& recipe, const NormedWeights& normed) {
  const ValueId scale = recipe.param(normed.scale), variance = recipe.param(normed.variance);
  const ValueId above_zero = recipe.add(Op::kAdd, {variance, recipe.number(normed.epsilon)});
  return recipe.add(Op::kDiv, {scale, recipe.add(Op::kSqrt, {above_zero})});
}

}  // namespace

std::optional<Graph> recipe_of_weight(const NormedWeights& normed) {
  Recipe recipe;
  const ValueId weight = recipe.param(normed.weight);
  ValueId factor = factor_of(recipe, normed);
  std::vector<std::int64_t> axes;
  const std::size_t rank = normed.weight.type.shape.size();
  for (std::size_t axis = normed.channel_axis + 1; axis < rank; ++axis)
    axes.push_back(static_cast<std::int64_t>(axis - normed.channel_axis));
  if (!axes.empty()) factor = recipe.add(Op::kUnsqueeze, {factor}, {{"axes", axes}});
  return recipe.finish(recipe.add(Op::kMul, {weight, factor}), normed.weight.type.dtype);
}

std::optional<Graph> recipe_of_bias(const NormedWeights& normed) {
  Recipe recipe;
  const ValueId mean = recipe.param(normed.mean), shift = recipe.param(normed.shift);
  ValueId offset = recipe.add(Op::kNeg, {mean});
  if (normed.bias) {
    ValueId bias = recipe.param(*normed.bias);
    if (normed.bias->type.shape.size() > 1) bias = recipe.add(Op::kReshape, {bias}, {{"shape", std::vector<std::int64_t>{-1}}});
    offset = recipe.add(Op::kAdd, {recipe.add(Op::kMul, {bias, recipe.number(normed.bias_factor)}), offset});
  }
  const ValueId scaled = recipe.add(Op::kMul, {offset, factor_of(recipe, normed)});
  return recipe.finish(recipe.add(Op::kAdd, {scaled, shift}), normed.result);
}

}  // namespace fuselab
