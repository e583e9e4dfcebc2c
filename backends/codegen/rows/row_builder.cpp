// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/row_builder.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/emit/generated_ops.h"

namespace fuselab::codegen {
namespace {

bool is_row_view(Op op) {
  return op == Op::kIdentity || op == Op::kCast || op == Op::kReshape || op == Op::kFlatten || op == Op::kUnsqueeze ||
         op == Op::kSqueeze;
}

// The strides of a dense tensor over an iteration space of `rank` axes whose last `tail` axes it does not have.
std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& extents, std::size_t rank, std::size_t tail) {
  std::vector<std::int64_t> strides(rank, 0);
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const std::size_t from_end = extents.size() - i + tail;
    if (extents[i] != 1 && from_end <= rank) strides[rank - from_end] = stride;
    stride *= extents[i];
  }
  return strides;
}

}  // namespace

Error unsupported(const Node& node, const std::string& why) {
  const std::string who =
      node.name.empty() ? std::string(name_of(node.op)) : std::string(name_of(node.op)) + " '" + node.name + "'";
  return {ErrorCode::kUnsupported, who + ": " + why};
}

bool cuts_rows(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    return node.op == Op::kSlice || node.op == Op::kSplit || node.op == Op::kConcat || node.op == Op::kRotaryEmbedding;
  });
}

RowBuilder::RowBuilder(const Graph& graph, std::vector<std::int64_t> full, std::size_t reduced_axes, RowCore core)
    : graph_(graph), full_(std::move(full)), reduced_(reduced_axes), core_(core), has_pieces_(cuts_rows(graph)) {
  for (std::size_t i = full_.size() - reduced_; i < full_.size(); ++i) cols_ *= full_[i];
}

Status RowBuilder::build() {
  for (const Node& node : graph_.nodes()) FL_TRY_VOID(take_apart(node));
  return Status();
}

std::vector<std::int64_t> RowBuilder::strides_of(ValueId value) const {
  if (const auto own = value_strides_.find(value); own != value_strides_.end()) return own->second;
  if (const auto same = same_memory_.find(value); same != same_memory_.end()) return strides_of(same->second);
  return dense_strides(extents_of(graph_.type(value).shape), full_.size(), placed_.at(value).second);
}

std::vector<std::int64_t> RowBuilder::strides_of_input(int node) const {
  if (const auto own = input_strides_.find(node); own != input_strides_.end()) return own->second;
  if (node == core_total_) return dense_strides(full_, full_.size(), 0);
  for (const auto& [key, placed] : inputs_) {
    if (placed == node) return dense_strides(extents_of(graph_.type(key.first).shape), full_.size(), key.second);
  }
  FL_ASSERT(false);
  return {};
}

Status RowBuilder::take_apart(const Node& node) {
  if (&node == core_.node) return core(node);
  switch (node.op) {
    case Op::kConstant: {
      if (!extents_of(graph_.type(node.outputs[0]).shape).empty()) return unsupported(node, "only scalar constants are generated");
      return finish(node, 0, constant(node.attributes.real("value", 0.0)), 0);
    }
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax: return reduction(node);
    case Op::kSoftmax: return softmax(node, false);
    case Op::kLogSoftmax: return softmax(node, true);
    case Op::kLayerNormalization: return layer_normalization(node);
    case Op::kRMSNormalization: return rms_normalization(node);
    case Op::kSoftmaxCrossEntropyLoss: return cross_entropy(node);
    case Op::kSlice: return slice(node);
    case Op::kSplit: return split(node);
    case Op::kConcat: return concat(node);
    case Op::kRotaryEmbedding: return rotary(node);
    case Op::kBatchNormalization: return batch_normalization(node);
    case Op::kGlobalAveragePool: return reduction(node);
    default: break;
  }
  if (is_row_view(node.op)) return view(node);
  if (is_elementwise(node.op) && is_generated(node.op)) return element_wise(node);
  return unsupported(node, is_generated(node.op) ? "is not a row operator" : "is not generated yet");
}

bool RowBuilder::fits(ValueId value, std::size_t tail) const {
  const std::vector<std::int64_t> extents = extents_of(graph_.type(value).shape);
  std::int64_t elements = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    elements *= extents[i];
    const std::size_t from_end = extents.size() - i + tail;
    if (extents[i] == 1 || (has_pieces_ && from_end == 1)) continue;
    if (from_end > full_.size() || full_[full_.size() - from_end] != extents[i]) return false;
  }
  return elements > 0;
}

std::vector<std::size_t> RowBuilder::iteration_axes(ValueId value, std::size_t tail) const {
  std::vector<std::size_t> axes;
  const std::vector<std::int64_t> extents = extents_of(graph_.type(value).shape);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] != 1) axes.push_back(full_.size() - (extents.size() - i + tail));
  }
  return axes;
}

Result<int> RowBuilder::operand(const Node& node, std::size_t index, std::size_t tail) {
  const ValueId value = node.inputs.at(index);
  if (const auto found = placed_.find(value); found != placed_.end()) {
    const bool spreads = iteration_axes(value, found->second.second).empty();
    if (!spreads && found->second.second != tail)
      return unsupported(node, "mixes a reduced value with one that still has its axes");
    return found->second.first;
  }
  if (!fits(value, tail)) {
    return unsupported(node, "operand " + type_text(graph_.type(value)) + " does not fit the kernel's shape");
  }
  const auto [place, fresh] = inputs_.try_emplace({value, tail}, 0);
  if (fresh) {
    const auto view = input_views_.find(value);
    const ValueId root = view == input_views_.end() ? value : view->second;
    const auto position = std::find(graph_.inputs().begin(), graph_.inputs().end(), root) - graph_.inputs().begin();
    place->second = add({.op = RowOp::kInput, .input = static_cast<int>(position), .name = graph_.value(value).name});
  }
  return place->second;
}

int RowBuilder::add(RowNode node) {
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

int RowBuilder::constant(double value) {
  return add({.op = RowOp::kConstant, .value = value});
}

int RowBuilder::map(Op op, std::vector<int> args, std::string name) {
  return add({.op = RowOp::kMap, .map = op, .args = std::move(args), .name = std::move(name)});
}

int RowBuilder::reduce(RowOp op, std::vector<int> args, std::string name) {
  return add({.op = op, .args = std::move(args), .name = std::move(name)});
}

int RowBuilder::mean(int arg, const std::string& name) {
  const int sum = reduce(RowOp::kSum, {arg}, name + "_sum");
  return map(Op::kDiv, {sum, constant(static_cast<double>(cols_))}, name);
}

Status RowBuilder::finish(const Node& node, std::size_t output, int row_node, std::size_t tail) {
  const ValueId value = node.outputs.at(output);
  if (!fits(value, tail)) return unsupported(node, "result " + type_text(graph_.type(value)) + " does not fit the kernel's shape");
  if (!is_floating(graph_.type(value).dtype)) return unsupported(node, "integer results are not generated yet");
  placed_[value] = {row_node, tail};
  if (nodes_[static_cast<std::size_t>(row_node)].op != RowOp::kInput && !graph_.value(value).name.empty()) {
    nodes_[static_cast<std::size_t>(row_node)].name = graph_.value(value).name;
  }
  return Status();
}

Status RowBuilder::element_wise(const Node& node) {
  std::size_t tail = 0;
  for (ValueId input : node.inputs) {
    const auto found = placed_.find(input);
    if (found != placed_.end() && !iteration_axes(input, found->second.second).empty()) tail = std::max(tail, found->second.second);
  }
  std::vector<int> args;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    FL_TRY(int arg, operand(node, i, tail));
    args.push_back(arg);
  }
  const Attributes& attributes = node.attributes;
  if (node.op == Op::kLeakyRelu) args.push_back(constant(attributes.real("alpha", 0.01)));
  if (node.op == Op::kClip) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    args.push_back(constant(attributes.real("min", -kInfinity)));
    args.push_back(constant(attributes.real("max", kInfinity)));
  }
  if (node.op == Op::kSwish) args.push_back(constant(attributes.real("alpha", 1.0)));
  const int result = map(node.op, std::move(args));
  nodes_.back().variant = attributes.text("approximate", "none");
  return finish(node, 0, result, tail);
}

Status RowBuilder::view(const Node& node) {
  const ValueId source = node.inputs[0];
  if (!placed_.contains(source) && !graph_.is_output(node.outputs[0])) {
    const auto view = input_views_.find(source);
    input_views_[node.outputs[0]] = view == input_views_.end() ? source : view->second;
    return Status();
  }
  FL_TRY(int arg, operand(node, 0, placed_.contains(node.inputs[0]) ? placed_.at(node.inputs[0]).second : 0));
  const std::size_t from = placed_.contains(node.inputs[0]) ? placed_.at(node.inputs[0]).second : 0;
  for (std::size_t tail : {from, std::size_t{0}, reduced_}) {
    if (!fits(node.outputs[0], tail)) continue;
    if (iteration_axes(node.inputs[0], from) == iteration_axes(node.outputs[0], tail)) return finish(node, 0, arg, tail);
  }
  // A regrouped result that nobody in the kernel reads lies in memory as its source does.
  const bool last = graph_.consumers(node.outputs[0]).empty() && placed_.contains(node.inputs[0]);
  if (!last || !is_floating(graph_.type(node.outputs[0]).dtype)) return unsupported(node, "regroups axes inside a fused kernel");
  same_memory_[node.outputs[0]] = node.inputs[0];
  placed_[node.outputs[0]] = {arg, from};
  return Status();
}

Status RowBuilder::reduction(const Node& node) {
  FL_TRY(int arg, operand(node, 0, 0));
  int result = 0;
  if (node.op == Op::kReduceMax) result = reduce(RowOp::kLargest, {arg}, {});
  if (node.op == Op::kReduceSum) result = reduce(RowOp::kSum, {arg}, {});
  if (node.op == Op::kReduceMean || node.op == Op::kGlobalAveragePool) result = mean(arg, "mean");
  return finish(node, 0, result, node.attributes.integer("keepdims", 1) != 0 ? 0 : reduced_);
}

Status RowBuilder::softmax(const Node& node, bool logarithm) {
  FL_TRY(int x, operand(node, 0, 0));
  const int largest = reduce(RowOp::kLargest, {x}, "row_max");
  const int shifted = map(Op::kSub, {x, largest}, "shifted");
  const int power = map(Op::kExp, {shifted}, "power");
  const int total = reduce(RowOp::kSum, {power}, "row_sum");
  if (logarithm) return finish(node, 0, map(Op::kSub, {shifted, map(Op::kLog, {total}, "log_sum")}), 0);
  const int inverse = map(Op::kReciprocal, {total}, "inverse_sum");
  return finish(node, 0, map(Op::kMul, {power, inverse}), 0);
}

Status RowBuilder::layer_normalization(const Node& node) {
  FL_TRY(int x, operand(node, 0, 0));
  const int average = mean(x, "mean");
  const int centred = map(Op::kSub, {x, average}, "centred");
  const int variance = mean(map(Op::kMul, {centred, centred}, "square"), "variance");
  const int shifted = map(Op::kAdd, {variance, constant(node.attributes.real("epsilon", 1e-5))}, "variance_eps");
  const int inverse = map(Op::kReciprocal, {map(Op::kSqrt, {shifted}, "deviation")}, "inverse_deviation");
  FL_TRY(int scale, operand(node, 1, 0));
  int result = map(Op::kMul, {map(Op::kMul, {centred, inverse}, "normalized"), scale});
  if (node.inputs.size() > 2) {
    FL_TRY(int bias, operand(node, 2, 0));
    result = map(Op::kAdd, {result, bias});
  }
  FL_TRY_VOID(finish(node, 0, result, 0));
  if (node.outputs.size() > 1) FL_TRY_VOID(finish(node, 1, average, 0));
  if (node.outputs.size() > 2) FL_TRY_VOID(finish(node, 2, inverse, 0));
  return Status();
}

Status RowBuilder::rms_normalization(const Node& node) {
  FL_TRY(int x, operand(node, 0, 0));
  const int power = mean(map(Op::kMul, {x, x}, "square"), "mean_square");
  const int shifted = map(Op::kAdd, {power, constant(node.attributes.real("epsilon", 1e-5))}, "mean_square_eps");
  const int inverse = map(Op::kReciprocal, {map(Op::kSqrt, {shifted}, "root_mean_square")}, "inverse_rms");
  FL_TRY(int scale, operand(node, 1, 0));
  return finish(node, 0, map(Op::kMul, {map(Op::kMul, {x, inverse}, "normalized"), scale}), 0);
}

Status RowBuilder::cross_entropy(const Node& node) {
  if (node.attributes.text("reduction", "mean") != "none") return unsupported(node, "only reduction=\"none\" is generated yet");
  if (node.attributes.has("ignore_index")) return unsupported(node, "ignore_index is not generated yet");
  if (node.inputs.size() > 2) return unsupported(node, "class weights are not generated yet");
  FL_TRY(int scores, operand(node, 0, 0));
  FL_TRY(int label, operand(node, 1, reduced_));
  if (full_.back() == 0) return unsupported(node, "of no class is not generated");
  const int largest = reduce(RowOp::kLargest, {scores}, "row_max");
  const int shifted = map(Op::kSub, {scores, largest}, "shifted");
  const int total = reduce(RowOp::kSum, {map(Op::kExp, {shifted}, "power")}, "row_sum");
  const int log_sum = map(Op::kLog, {total}, "log_sum");
  const int picked = reduce(RowOp::kPick, {shifted, label}, "picked");
  FL_TRY_VOID(finish(node, 0, map(Op::kSub, {log_sum, picked}), reduced_));
  if (node.outputs.size() > 1) return finish(node, 1, map(Op::kSub, {shifted, log_sum}), 0);
  return Status();
}

Status RowBuilder::batch_normalization(const Node& node) {
  if (node.attributes.integer("training_mode", 0) != 0) return unsupported(node, "training mode is not generated");
  FL_TRY(int x, operand(node, 0, 0));
  // One value per channel: the axes behind the channel are the tail.
  const std::size_t rank = graph_.type(node.inputs[0]).shape.size();
  const std::size_t tail = rank > 2 ? rank - 2 : 0;
  FL_TRY(int scale, operand(node, 1, tail));
  FL_TRY(int bias, operand(node, 2, tail));
  FL_TRY(int average, operand(node, 3, tail));
  FL_TRY(int variance, operand(node, 4, tail));
  const int shifted = map(Op::kAdd, {variance, constant(node.attributes.real("epsilon", 1e-5))}, "variance_eps");
  const int factor = map(Op::kDiv, {scale, map(Op::kSqrt, {shifted}, "deviation")}, "channel_scale");
  const int centred = map(Op::kSub, {x, average}, "centred");
  return finish(node, 0, map(Op::kAdd, {map(Op::kMul, {centred, factor}, "scaled"), bias}), 0);
}

Status RowBuilder::slice(const Node& node) {
  const std::size_t rank = graph_.type(node.inputs[0]).shape.size();
  const auto starts = node.attributes.integers("starts");
  const auto axes = node.attributes.integers("axes");
  const auto steps = node.attributes.integers("steps", {1});
  const bool last = axes.size() == 1 && (axes[0] == -1 || axes[0] + 1 == static_cast<std::int64_t>(rank));
  if (!last || steps != std::vector<std::int64_t>{1}) return unsupported(node, "only whole runs of the last axis inside a kernel");
  const std::int64_t extent = extents_of(graph_.type(node.inputs[0]).shape).back();
  const std::int64_t start = std::clamp<std::int64_t>(starts[0] < 0 ? starts[0] + extent : starts[0], 0, extent);
  FL_TRY(int x, operand(node, 0, 0));
  return finish(node, 0, add({.op = RowOp::kShifted, .args = {x}, .starts = {start}}), 0);
}

Status RowBuilder::split(const Node& node) {
  const std::size_t rank = graph_.type(node.inputs[0]).shape.size();
  const std::int64_t axis = node.attributes.integer("axis", 0);
  if (axis != -1 && axis + 1 != static_cast<std::int64_t>(rank)) return unsupported(node, "only the last axis inside a kernel");
  FL_TRY(int x, operand(node, 0, 0));
  std::int64_t start = 0;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    FL_TRY_VOID(finish(node, i, add({.op = RowOp::kShifted, .args = {x}, .starts = {start}}), 0));
    start += extents_of(graph_.type(node.outputs[i]).shape).back();
  }
  return Status();
}

Status RowBuilder::concat(const Node& node) {
  const std::size_t rank = graph_.type(node.outputs[0]).shape.size();
  const std::int64_t axis = node.attributes.integer("axis", 0);
  if (axis != -1 && axis + 1 != static_cast<std::int64_t>(rank)) return unsupported(node, "only the last axis inside a kernel");
  RowNode pieces{.op = RowOp::kPieces};
  std::int64_t start = 0;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    FL_TRY(int part, operand(node, i, 0));
    pieces.args.push_back(part);
    pieces.starts.push_back(start);
    start += extents_of(graph_.type(node.inputs[i]).shape).back();
  }
  return finish(node, 0, add(std::move(pieces)), 0);
}

// The first half of what is rotated becomes x·cos - y·sin, the second y·cos + x·sin, y lying half the width behind x.
Status RowBuilder::rotary(const Node& node) {
  if (node.attributes.integer("interleaved", 0) != 0) return unsupported(node, "interleaved pairs are not generated yet");
  if (graph_.nodes().size() != 1) return unsupported(node, "is generated only by itself yet");
  const bool flat = graph_.type(node.inputs[0]).shape.size() == 3;
  const std::vector<std::int64_t> angles = extents_of(graph_.type(node.inputs[1]).shape);
  const std::int64_t half = angles.back();
  const auto input = [&](std::size_t index, std::vector<std::int64_t> strides) {
    const auto position = std::find(graph_.inputs().begin(), graph_.inputs().end(), node.inputs[index]) - graph_.inputs().begin();
    const int placed =
        add({.op = RowOp::kInput, .input = static_cast<int>(position), .name = graph_.value(node.inputs[index]).name});
    input_strides_[placed] = std::move(strides);
    return placed;
  };
  const std::vector<std::int64_t> whole = dense_strides(full_, full_.size(), 0);
  const bool by_position = node.inputs.size() > 3;
  if (angles.front() == 0) return unsupported(node, "without any angle is not generated");
  // Strides of something that each token has `pitch` elements of.
  const auto per_token = [&](std::int64_t pitch, std::int64_t inner) {
    const std::int64_t batch = full_[flat ? 1 : 2] * pitch;
    return flat ? std::vector<std::int64_t>{batch, pitch, 0, inner} : std::vector<std::int64_t>{batch, 0, pitch, inner};
  };
  const int x = input(0, whole);
  const int cosine = input(1, per_token(by_position ? 0 : half, 1));
  const int sine = input(2, per_token(by_position ? 0 : half, 1));
  if (by_position) {
    const int positions = input(3, per_token(1, 0));
    for (int angle : {cosine, sine}) {
      nodes_[static_cast<std::size_t>(angle)].row_named_by = positions;
      nodes_[static_cast<std::size_t>(angle)].row_pitch = half;
      nodes_[static_cast<std::size_t>(angle)].row_count = angles.front();
    }
  }
  const int partner = add({.op = RowOp::kShifted, .args = {x}, .starts = {half}});
  const int first = map(Op::kSub, {map(Op::kMul, {x, cosine}), map(Op::kMul, {partner, sine})}, "first_half");
  const int second = map(Op::kAdd, {map(Op::kMul, {x, sine}), map(Op::kMul, {partner, cosine})}, "second_half");
  RowNode pieces{.op = RowOp::kPieces, .args = {first, second}, .starts = {0, half}};
  if (2 * half < full_.back()) {
    pieces.args.push_back(add({.op = RowOp::kShifted, .args = {x}, .starts = {2 * half}}));
    pieces.starts.push_back(2 * half);
  }
  const int result = add(std::move(pieces));
  nodes_.back().name = graph_.value(node.outputs[0]).name;
  placed_[node.outputs[0]] = {result, 0};
  value_strides_[node.outputs[0]] = whole;
  return Status();
}

// The core's accumulated result, with what the operator itself adds to it.
Status RowBuilder::core(const Node& node) {
  core_total_ = add({.op = RowOp::kInput, .input = kCoreInput, .name = "total"});
  int result = core_total_;
  const double alpha = node.op == Op::kGemm ? node.attributes.real("alpha", 1.0) : 1.0;
  if (alpha != 1.0) result = map(Op::kMul, {result, constant(alpha)});
  const bool adds = (node.op == Op::kGemm || node.op == Op::kConv) && node.inputs.size() > 2;
  if (adds) {
    FL_TRY(int bias, operand(node, 2, node.op == Op::kConv ? core_.trailing : 0));
    const double beta = node.op == Op::kGemm ? node.attributes.real("beta", 1.0) : 1.0;
    if (beta != 1.0) bias = map(Op::kMul, {bias, constant(beta)});
    result = map(Op::kAdd, {result, bias});
  }
  return finish(node, 0, result, 0);
}

}  // namespace fuselab::codegen
