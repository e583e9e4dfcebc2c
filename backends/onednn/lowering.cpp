// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/lowering.h"

#include <algorithm>
#include <map>

#include "backends/onednn/claims.h"
#include "backends/onednn/library/node_specs.h"
#include "core/base/support.h"

namespace fuselab::onednn {
namespace {

bool has_matrix_bias(const PrimitiveSpec& spec) {
  return spec.kind == PrimitiveKind::kMatMul || spec.kind == PrimitiveKind::kConvolution;
}

// Returns the operand of an addition right behind a contraction, where it is one number per column or channel: the library adds it
// for less than any post-op. Returns nothing elsewhere.
std::optional<Operand> as_bias(const PrimitiveSpec& spec, const Operand& operand) {
  if (!has_matrix_bias(spec) || spec.bias || !spec.post_ops.empty()) return std::nullopt;
  const Layout& layout = operand.layout;
  if (layout.dtype != spec.destination.layout.dtype && layout.dtype != DType::kF32) return std::nullopt;
  const bool matrix = spec.kind == PrimitiveKind::kMatMul;
  const std::size_t at = matrix ? layout.dims.size() - 1 : 1;
  if (layout.dims[at] != spec.destination.layout.dims[at] || elements_of(layout) != layout.dims[at]) return std::nullopt;
  if (layout.strides[at] != 1 && layout.dims[at] != 1) return std::nullopt;
  if (matrix) return operand;
  return Operand{operand.tensor, row_major(layout.dtype, {layout.dims[at]})};
}

class Lowering {
 public:
  Lowering(const Graph& graph, const AskLibrary& ask) : graph_(graph), ask_(ask) {}

  Result<PrimitivePlan> run() {
    plan_.arguments = static_cast<int>(graph_.inputs().size() + graph_.outputs().size());
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      const TensorType& type = graph_.type(graph_.inputs()[i]);
      known_[graph_.inputs()[i]] = {static_cast<int>(i), row_major(type.dtype, extents_of(type.shape))};
    }
    for (const Node& node : graph_.nodes()) {
      if (const Status taken = lower(node); !taken.ok()) return taken.error().within(name_of(node.op));
    }
    FL_TRY_VOID(place_outputs());
    drop_unused_tensors();
    return std::move(plan_);
  }

 private:
  Status lower(const Node& node) {
    if (const char* const why_not = kClaims.against(node.op)) return Error{ErrorCode::kUnsupported, why_not};
    const ValueId result = node.outputs.front();
    switch (node.op) {
      case Op::kConstant: constants_[result] = node.attributes.real("value", 0); return {};
      case Op::kIdentity:
      case Op::kReshape:
      case Op::kFlatten:
      case Op::kUnsqueeze:
      case Op::kSqueeze: return see_again(node);
      case Op::kTranspose: return transpose(node);
      case Op::kCast: return copy(node.inputs.front(), result);
      default: break;
    }
    std::string why_apart;
    if (absorb(bind(node), why_apart)) return {};
    FL_TRY_VOID(copy_transposed(node));
    FL_TRY(PrimitiveSpec spec, node_spec(bind(node)));
    spec.covers = name_of(node.op);
    if (!plan_.primitives.empty()) spec.why_apart = why_apart.empty() ? "is no post-op" : why_apart;
    return append(std::move(spec), result);
  }

  // Products and binaries read any strides; the others give their result the strides of what they read.
  Status copy_transposed(const Node& node) {
    const bool tensors = std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId each) { return known_.contains(each); });
    const bool binary = is_elementwise(node.op) && node.inputs.size() == 2 && tensors;
    if (node.op == Op::kMatMul || node.op == Op::kGemm || binary) return {};
    for (const ValueId input : node.inputs) {
      const auto found = known_.find(input);
      if (found != known_.end() && !is_row_major(found->second.layout)) FL_TRY_VOID(copy(input, input));
    }
    return {};
  }

  BoundNode bind(const Node& node) const {
    BoundNode bound{&graph_, &node, {}, {}, {}};
    for (const ValueId input : node.inputs) {
      const auto found = known_.find(input);
      const auto constant = constants_.find(input);
      bound.inputs.push_back(found == known_.end() ? std::nullopt : std::optional(found->second));
      bound.constants.push_back(constant == constants_.end() ? std::nullopt : std::optional(constant->second));
      const bool argument = found != known_.end() && found->second.tensor < static_cast<int>(graph_.inputs().size());
      bound.parameters.push_back(argument && graph_.value(graph_.inputs()[static_cast<std::size_t>(found->second.tensor)]).origin ==
                                                 ValueOrigin::kParam);
    }
    return bound;
  }

  // A primitive with a tensor of its own for its result.
  Status append(PrimitiveSpec spec, ValueId result) {
    if (const Support said = computes_as_said(spec); !said.yes) return Error{ErrorCode::kUnsupported, said.why_not};
    FL_TRY(const std::string implementation, ask_(spec));
    plan_.implementations.push_back(implementation);
    const std::size_t kept = plan_.kept_bytes.size();
    const TensorType& type = graph_.type(result);
    FL_TRY(const Bytes size, size_of(type));
    plan_.kept_bytes.push_back(size.count);
    spec.destination.tensor = plan_.arguments + static_cast<int>(kept);
    makers_.push_back(plan_.primitives.size());
    known_[result] = {spec.destination.tensor, row_major(type.dtype, extents_of(type.shape))};
    if (spec.kind == PrimitiveKind::kReorder) {
      open_.erase(result);
    } else {
      open_[result] = plan_.primitives.size();
    }
    plan_.primitives.push_back(std::move(spec));
    return {};
  }

  // The index of the primitive that makes a tensor, -1 for what the caller gives.
  int maker_of(int tensor) const {
    return tensor < plan_.arguments ? -1 : static_cast<int>(makers_[static_cast<std::size_t>(tensor - plan_.arguments)]);
  }

  bool absorb(const BoundNode& node, std::string& why_apart) {
    for (const ElementWise& reading : readings_of(node)) {
      const ValueId through = node.node->inputs[reading.through];
      const auto open = open_.find(through);
      if (open == open_.end()) continue;
      if (graph_.consumers(through).size() != 1 || graph_.is_output(through)) {
        why_apart = "what it reads is read again";
        continue;
      }
      if (node.result() != graph_.type(through)) continue;
      if (extend(node, reading, open->second, why_apart)) {
        const ValueId result = node.node->outputs.front();
        known_[result] = known_.at(through);
        open_[result] = open->second;
        plan_.primitives[open->second].covers += "+" + std::string(name_of(node.node->op));
        return true;
      }
    }
    return false;
  }

  bool extend(const BoundNode& node, const ElementWise& reading, std::size_t index, std::string& why_apart) {
    PrimitiveSpec spec = plan_.primitives[index];
    std::optional<Operand> other;
    if (reading.other) {
      const Operand& given = *node.inputs[*reading.other];
      if (maker_of(given.tensor) >= static_cast<int>(index)) {
        why_apart = "its other operand is made later";
        return false;
      }
      other = fitted(given, extents_of(node.result().shape), spec.destination.layout.dims);
      if (!other) {
        why_apart = "its other operand does not fit the destination of the " + std::string(name_of(spec.kind));
        return false;
      }
    }
    if (other && reading.steps.size() == 1 && reading.steps[0].algorithm == Algorithm::kAdd) {
      PrimitiveSpec with_bias = spec;
      with_bias.bias = as_bias(spec, *other);
      if (with_bias.bias && accept(std::move(with_bias), index, why_apart)) return true;
    }
    for (PostOp step : reading.steps) {
      if (is_binary(step.algorithm)) step.operand = other;
      spec.post_ops.push_back(std::move(step));
    }
    return accept(std::move(spec), index, why_apart);
  }

  bool accept(PrimitiveSpec spec, std::size_t index, std::string& why_apart) {
    if (const Support said = computes_as_said(spec); !said.yes) {
      why_apart = "would be computed wrong: " + said.why_not;
      return false;
    }
    const auto implementation = ask_(spec);
    const std::string after = " after a " + std::string(name_of(spec.kind));
    if (!implementation.ok()) {
      why_apart = "oneDNN does not implement it" + after;
      return false;
    }
    if (is_reference_path(implementation.value()) && !is_reference_path(plan_.implementations[index])) {
      why_apart = "oneDNN has only its reference path for it" + after;
      return false;
    }
    plan_.implementations[index] = implementation.value();
    plan_.primitives[index] = std::move(spec);
    return true;
  }

  // Shows the same memory under another shape. The operators behind it may still be absorbed where nothing else reads it.
  Status see_again(const Node& node) {
    const ValueId from = node.inputs.front(), to = node.outputs.front();
    if (!known_.contains(from)) return Error{ErrorCode::kUnsupported, "a view of a constant"};
    if (!is_row_major(known_.at(from).layout)) FL_TRY_VOID(copy(from, from));
    const TensorType& type = graph_.type(to);
    known_[to] = {known_.at(from).tensor, row_major(type.dtype, extents_of(type.shape))};
    const auto open = open_.find(from);
    if (open != open_.end() && graph_.consumers(from).size() == 1 && !graph_.is_output(from)) open_[to] = open->second;
    return {};
  }

  Status transpose(const Node& node) {
    const auto from = known_.find(node.inputs.front());
    if (from == known_.end()) return Error{ErrorCode::kUnsupported, "a view of a constant"};
    const Layout source = from->second.layout;
    const std::size_t rank = source.dims.size();
    std::vector<std::int64_t> order = node.attributes.integers("perm");
    for (std::size_t i = order.size(); i < rank; ++i) order.push_back(static_cast<std::int64_t>(rank - 1 - i));
    Layout turned{source.dtype, {}, {}};
    for (const std::int64_t axis : order) {
      turned.dims.push_back(source.dims[static_cast<std::size_t>(axis)]);
      turned.strides.push_back(source.strides[static_cast<std::size_t>(axis)]);
    }
    known_[node.outputs.front()] = {from->second.tensor, std::move(turned)};
    return {};
  }

  // A reorder into a dense tensor: what is transposed, or of another type, for those that cannot read it as it is.
  Status copy(ValueId from, ValueId to) {
    if (!known_.contains(from)) return Error{ErrorCode::kUnsupported, "a copy of a constant"};
    PrimitiveSpec spec;
    spec.kind = PrimitiveKind::kReorder;
    spec.source = known_.at(from);
    spec.source.layout = with_sound_strides(std::move(spec.source.layout));
    spec.destination.layout = row_major(graph_.type(to).dtype, spec.source.layout.dims);
    spec.covers = "copy";
    if (!plan_.primitives.empty()) spec.why_apart = "moves elements";
    return append(std::move(spec), to);
  }

  Status place_outputs() {
    std::map<int, int> moved;  // a tensor of the plan → the caller's
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId output = graph_.outputs()[i];
      const int argument = static_cast<int>(graph_.inputs().size() + i);
      const bool direct = known_.contains(output) && is_row_major(known_.at(output).layout) &&
                          known_.at(output).tensor >= plan_.arguments && !moved.contains(known_.at(output).tensor);
      if (!direct) FL_TRY_VOID(copy(output, output));
      moved[known_.at(output).tensor] = argument;
    }
    const auto move = [&moved](Operand& operand) {
      const auto found = moved.find(operand.tensor);
      if (found != moved.end()) operand.tensor = found->second;
    };
    for_each_operand(move);
    return {};
  }

  template <typename Change>
  void for_each_operand(Change change) {
    for (PrimitiveSpec& spec : plan_.primitives) {
      change(spec.source);
      change(spec.destination);
      for (auto* const optional : {&spec.weights, &spec.bias, &spec.mean, &spec.variance, &spec.scale, &spec.shift}) {
        if (*optional) change(**optional);
      }
      for (PostOp& step : spec.post_ops) {
        if (step.operand) change(*step.operand);
      }
    }
  }

  void drop_unused_tensors() {
    std::map<int, int> renumbered;
    std::vector<std::int64_t> bytes;
    for_each_operand([&](Operand& operand) {
      if (operand.tensor < plan_.arguments) return;
      const auto [place, added] = renumbered.try_emplace(operand.tensor, plan_.arguments + static_cast<int>(bytes.size()));
      if (added) bytes.push_back(plan_.kept_bytes[static_cast<std::size_t>(operand.tensor - plan_.arguments)]);
      operand.tensor = place->second;
    });
    plan_.kept_bytes = std::move(bytes);
  }

  const Graph& graph_;
  const AskLibrary& ask_;
  PrimitivePlan plan_;
  std::map<ValueId, Operand> known_;
  std::map<ValueId, double> constants_;
  std::map<ValueId, std::size_t> open_;  // the last result of a primitive that may still take post-ops
  std::vector<std::size_t> makers_;      // of the plan's own tensors
};

bool is_computed(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kBF16 || dtype == DType::kF16;
}

Status can_hold(const Graph& graph) {
  for (const Value& value : graph.values()) {
    if (value.producer && graph.node(*value.producer).op == Op::kConstant) continue;
    if (!is_computed(value.type.dtype))
      return Error{ErrorCode::kUnsupported,
                   "oneDNN computes f32, bf16 and f16 here, not " + std::string(name_of(value.type.dtype))};
  }
  return library::has_elements(graph);
}

}  // namespace

// Seen with 2.6.3 and 3.2.0: the second of two element-wise post-ops of one algorithm gets the factors of the first.
Support computes_as_said(const PrimitiveSpec& spec) {
  for (auto step = spec.post_ops.begin(); step != spec.post_ops.end(); ++step) {
    const auto differs = [step](const PostOp& other) {
      return is_eltwise(step->algorithm) && other.algorithm == step->algorithm &&
             (other.alpha != step->alpha || other.beta != step->beta);
    };
    if (std::any_of(spec.post_ops.begin(), step, differs)) {
      return Support::no("oneDNN takes the factors of the first " + std::string(name_of(step->algorithm)) +
                         " for the second (seen with 2.6.3 and 3.2.0)");
    }
  }
  return {};
}

bool is_reference_path(std::string_view implementation) {
  return implementation.substr(0, 3) == "ref" || implementation.find(":ref") != std::string_view::npos;
}

Result<PrimitivePlan> lower(const Graph& graph, const AskLibrary& ask) {
  FL_TRY_VOID(can_hold(graph));
  return Lowering(graph, ask).run();
}

}  // namespace fuselab::onednn
