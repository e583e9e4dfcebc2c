// SPDX-License-Identifier: Apache-2.0
#include "backends/onnx/node_form.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "backends/onnx/onnx_model.h"
#include "core/ops/op_attributes.h"
#include "core/ops/recurrence.h"

namespace fuselab::onnx_model {
namespace {

FormOperand value(ValueId id) {
  FormOperand operand;
  operand.kind = FormOperand::Kind::kValue;
  operand.value = id;
  return operand;
}

FormOperand integers(std::vector<std::int64_t> numbers) {
  FormOperand operand;
  operand.kind = FormOperand::Kind::kIntegers;
  operand.integers = std::move(numbers);
  return operand;
}

FormOperand integer(std::int64_t number) {
  FormOperand operand = integers({number});
  operand.is_scalar = true;
  return operand;
}

FormOperand number(double real, DType dtype) {
  FormOperand operand;
  operand.kind = FormOperand::Kind::kNumber;
  operand.number = real;
  operand.dtype = dtype;
  return operand;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Writes the attributes that become operands, and takes them away.
class Form {
 public:
  Form(const Graph& graph, const Node& node) : node_(node), dtype_(graph.type(node.outputs.front()).dtype), graph_(graph) {
    form_.attributes = node.attributes;
    for (const ValueId input : node.inputs) form_.operands.push_back(value(input));
  }

  Result<NodeForm> finished() {
    switch (node_.op) {
      case Op::kOwnKernel: return Error{ErrorCode::kUnsupported, "a kernel of the user's own, which no library knows"};
      case Op::kOpaque: return Error{ErrorCode::kUnsupported, "an operator that is not known here"};
      case Op::kCast:
        if (const auto to = cast_target(node_.attributes)) replace("to", std::int64_t{type_number(*to)});
        break;
      case Op::kReshape:
      case Op::kExpand: list("shape"); break;
      case Op::kUnsqueeze: list("axes"); break;
      case Op::kSqueeze:
      case Op::kReduceSum:
      case Op::kReduceMean:
      case Op::kReduceMax:
      case Op::kReduceProd:
        if (node_.attributes.has("axes")) list("axes");
        break;
      case Op::kSplit:
        if (node_.attributes.has("split")) list("split");
        break;
      case Op::kSlice: slice(); break;
      case Op::kCumSum: scalar("axis", 0); break;
      case Op::kTrilu: scalar("k", 0); break;
      case Op::kTopK:
        form_.operands.push_back(integers({node_.attributes.integer("k", 1)}));
        drop("k");
        break;
      case Op::kPad:
        list("pads");
        if (node_.attributes.text("mode", "constant") == "constant") {
          form_.operands.push_back(number(node_.attributes.real("value", 0), dtype_));
        }
        drop("value");
        break;
      case Op::kClip: clip(); break;
      case Op::kLSTM:
      case Op::kGRU:
      case Op::kRNN: FL_TRY_VOID(recurrence()); break;
      default: break;
    }
    return std::move(form_);
  }

 private:
  void drop(const std::string& name) {
    Attributes kept;
    for (const auto& [each, attribute] : form_.attributes.values()) {
      if (each != name) kept.set(each, attribute);
    }
    form_.attributes = std::move(kept);
  }
  void replace(const std::string& name, AttributeValue with) { form_.attributes.set(name, std::move(with)); }
  void list(const std::string& name) {
    form_.operands.push_back(integers(node_.attributes.integers(name)));
    drop(name);
  }
  void scalar(const std::string& name, std::int64_t otherwise) {
    form_.operands.push_back(integer(node_.attributes.integer(name, otherwise)));
    drop(name);
  }

  void slice() {
    std::vector<std::int64_t> axes = node_.attributes.integers("axes");
    const std::vector<std::int64_t> steps = node_.attributes.integers("steps");
    const std::size_t count = node_.attributes.integers("starts").size();
    list("starts");
    list("ends");
    if (axes.empty() && !steps.empty()) {
      axes.resize(count);
      std::iota(axes.begin(), axes.end(), 0);
    }
    if (!axes.empty()) form_.operands.push_back(integers(axes));
    if (!steps.empty()) form_.operands.push_back(integers(steps));
    drop("axes");
    drop("steps");
  }

  void clip() {
    const bool above = node_.attributes.has("max");
    if (node_.attributes.has("min")) {
      form_.operands.push_back(number(node_.attributes.real("min", 0), dtype_));
    } else if (above) {
      form_.operands.emplace_back();
    }
    if (above) form_.operands.push_back(number(node_.attributes.real("max", 0), dtype_));
    drop("min");
    drop("max");
  }

  // The optional operands stand in places of their own; the attribute `operands` names those that are there.
  Status recurrence() {
    static constexpr std::array<std::string_view, 5> kOptional = {"B", "sequence_lens", "initial_h", "initial_c", "P"};
    const std::vector<std::string> names = words_of(node_.attributes.text("operands", ""));
    const std::vector<FormOperand> given = form_.operands;
    form_.operands.resize(3);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto* const place = std::find(kOptional.begin(), kOptional.end(), names[i]);
      if (place == kOptional.end() || 3 + i >= given.size()) return Error{ErrorCode::kUnsupported, "an operand called " + names[i]};
      const auto at = static_cast<std::size_t>(3 + (place - kOptional.begin()));
      form_.operands.resize(std::max(form_.operands.size(), at + 1));
      form_.operands[at] = given[3 + i];
    }
    drop("operands");
    // ONNX hands the numbers out in order to the functions that take some, so that each of those needs its own.
    FL_TRY(const Recurrence read, recurrence_of(node_.op, node_.attributes, node_.inputs.size()));
    std::vector<double> alphas, betas;
    const std::vector<std::string> functions = words_of(node_.attributes.text("activations", ""));
    for (std::size_t i = 0; i < functions.size() && i < read.activations.size(); ++i) {
      form_.texts.push_back(functions[i].substr(0, functions[i].find(':')));
      const int numbers = numbers_of_activation(form_.texts.back()).value_or(0);
      if (numbers > 0) alphas.push_back(read.activations[i].alpha);
      if (numbers > 1) betas.push_back(read.activations[i].beta);
    }
    if (!alphas.empty()) replace("activation_alpha", alphas);
    if (!betas.empty()) replace("activation_beta", betas);
    drop("activations");
    replace("hidden_size", graph_.type(node_.inputs[2]).shape.back().extent());
    return {};
  }

  const Node& node_;
  DType dtype_;
  const Graph& graph_;
  NodeForm form_;
};

}  // namespace

Result<NodeForm> form_of(const Graph& graph, const Node& node) {
  return Form(graph, node).finished();
}

int least_version(Op op) {
  switch (op) {
    case Op::kGelu: return 20;
    case Op::kAttention:
    case Op::kRMSNormalization:
    case Op::kRotaryEmbedding: return 23;
    case Op::kSwish: return 24;
    default: return 18;
  }
}

}  // namespace fuselab::onnx_model
