// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/describe.h"

#include <algorithm>

namespace fuselab {
namespace {

bool is_composite_row_operator(Op op) {
  return op == Op::kLayerNormalization || op == Op::kRMSNormalization || op == Op::kSoftmax || op == Op::kLogSoftmax;
}

bool is_norm(Op op) {
  return op == Op::kLayerNormalization || op == Op::kRMSNormalization;
}

bool is_reduction(Op op) {
  return op == Op::kReduceSum || op == Op::kReduceMean || op == Op::kReduceMax;
}

bool any_op(const GraphIndex& index, std::span<const NodeId> nodes, bool (*predicate)(Op)) {
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) { return predicate(index.node(id).op); });
}

// An Add of two whole tensors whose sum starts the norm: the first full-size operator of the group.
bool starts_with_residual(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes) {
  for (NodeId id : nodes) {
    const Node& node = index.node(id);
    if (is_view(node.op)) continue;
    if (node.op != Op::kAdd) return false;
    return index.type(node.inputs[0]).shape == group.space && index.type(node.inputs[1]).shape == group.space;
  }
  return false;
}

FusionPatternType classify_rows(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes) {
  const auto composites =
      std::count_if(nodes.begin(), nodes.end(), [&](NodeId id) { return is_composite_row_operator(index.node(id).op); });
  const bool seeded_norm = group.pattern == FusionPatternType::kNormalization;
  const bool seeded_softmax = group.pattern == FusionPatternType::kSoftmax;
  if (composites + (seeded_norm || seeded_softmax ? 1 : 0) > 1) return FusionPatternType::kMixed;
  if (seeded_norm || any_op(index, nodes, is_norm)) {
    return starts_with_residual(index, group, nodes) ? FusionPatternType::kResidualNorm : FusionPatternType::kNormalization;
  }
  if (seeded_softmax || composites == 1) return FusionPatternType::kSoftmax;
  if (group.operators == 1) return FusionPatternType::kSingle;
  const auto first = std::find_if(nodes.begin(), nodes.end(), [&](NodeId id) { return !is_view(index.node(id).op); });
  const bool reduces_first = first != nodes.end() && is_reduction(index.node(*first).op);
  return reduces_first ? FusionPatternType::kReductionThenElementWise : FusionPatternType::kMixed;
}

std::string last_component(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// Exporters write "/layer.0/MatMul"; people need no leading slash.
std::string without_root(const std::string& name) {
  return !name.empty() && name.front() == '/' ? name.substr(1) : name;
}

// The longest common prefix that ends before a '/'.
std::string common_path(const std::vector<std::string>& names) {
  std::string prefix = folder_of(names.front());
  for (const auto& name : names) {
    while (!prefix.empty() &&
           (name.compare(0, prefix.size(), prefix) != 0 || name.size() <= prefix.size() || name[prefix.size()] != '/')) {
      const auto slash = prefix.rfind('/');
      prefix.resize(slash == std::string::npos ? 0 : slash);
    }
  }
  return prefix;
}

}  // namespace

FusionPatternType classify(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes) {
  switch (group.form) {
    case Form::kOpaque: return FusionPatternType::kOpaque;
    case Form::kAttention: return FusionPatternType::kAttention;
    case Form::kRotary: return FusionPatternType::kRotaryEmbedding;
    case Form::kRows: return classify_rows(index, group, nodes);
    default: break;
  }
  if (group.operators <= 1) return FusionPatternType::kSingle;
  switch (group.form) {
    case Form::kMatrix: return FusionPatternType::kLinearActivation;
    case Form::kConvolution:
      return any_op(index, nodes, [](Op op) { return op == Op::kBatchNormalization; }) ? FusionPatternType::kConvBatchNorm
                                                                                       : FusionPatternType::kConvActivation;
    case Form::kElementWise:
      return group.pattern == FusionPatternType::kSwiGlu ? FusionPatternType::kSwiGlu : FusionPatternType::kElementWise;
    default: return FusionPatternType::kMixed;
  }
}

std::string node_name(const GraphIndex& index, NodeId id) {
  const Node& node = index.node(id);
  if (!node.name.empty()) return node.name;
  const std::string& value = index.graph().value(node.outputs.front()).name;
  if (!value.empty()) return value;
  return std::string(name_of(node.op)) + "#" + std::to_string(index_of(id));
}

std::string piece_name(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names;
  std::vector<std::string> operators;
  for (NodeId id : nodes) {
    const Node& node = index.node(id);
    if (is_view(node.op) && nodes.size() > 1) continue;
    operators.emplace_back(node.op == Op::kOpaque ? node.opaque_type : std::string(name_of(node.op)));
    if (node.name.empty()) continue;
    names.push_back(without_root(node.name));
  }
  if (operators.empty()) operators.emplace_back("View");
  const bool named = names.size() == operators.size();
  std::string text;
  for (std::size_t i = 0; i < operators.size() && i < kShown; ++i) {
    const std::string part = named ? last_component(names[i]) : operators[i];
    text += (text.empty() ? "" : "+") + (part.empty() ? operators[i] : part);
  }
  if (operators.size() > kShown) text += "+" + std::to_string(operators.size() - kShown) + " more";
  std::string path = named ? common_path(names) : std::string();
  if (named && group.anchor) path = folder_of(without_root(index.node(*group.anchor).name));
  if (named && path.empty()) path = folder_of(names.front());
  return path.empty() ? text : path + "/" + text;
}

}  // namespace fuselab
