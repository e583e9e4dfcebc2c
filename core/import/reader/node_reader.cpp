// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/node_reader.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/import/reader/node_import.h"
#include "core/import/wire/weight_data.h"
#include "core/ops/infer.h"

namespace fuselab::onnx {

NodeReader::NodeReader(const ModelProto& model, Translate translate, ImportScope& scope, ImportedGraph& imported,
                       Declarations& declarations, BodyWeights& weights)
    : translate_(translate),
      scope_(scope),
      imported_(imported),
      declarations_(declarations),
      weights_(weights),
      loops_(*this, scope, imported),
      branches_(*this, scope, imported, loops_),
      functions_(*this, model, scope, imported, declarations) {}

Status NodeReader::read(const Nodes& nodes, Which which) {
  for (int i = 0; i < nodes.size(); ++i) {
    const NodeProto& node = nodes[i];
    const bool constant = node.op_type() == "Constant" && node.input_size() == 0;
    if (which != Which::kAll && constant != (which == Which::kConstants)) continue;
    scope_.set_position(i);
    auto done = read_node(node);
    if (done.ok()) continue;
    // The innermost body says where; those around it have nothing to add.
    if (std::exchange(is_located_, true)) return done;
    return done.error().within(scope_.label(node));
  }
  return Status();
}

Status NodeReader::read_node(const NodeProto& node) {
  if (++nodes_ > kMostNodes) {
    return invalid_argument("is one more than the " + std::to_string(kMostNodes) +
                            " nodes that a model may have, those of its functions counted at each call");
  }
  FL_TRY_VOID(loops_.count_node());
  FL_TRY(const std::optional<NodeProto> resolved, functions_.resolved(node));
  return read_resolved(resolved ? *resolved : node);
}

Status NodeReader::read_resolved(const NodeProto& node) {
  if (node.output_size() == 0) return invalid_argument("makes nothing");
  if (static_cast<std::size_t>(node.input_size()) > kMostOperands) {
    return invalid_argument("has " + std::to_string(node.input_size()) + " operands, more than the " +
                            std::to_string(kMostOperands) + " that a graph takes");
  }
  bool readable = true;
  for (const std::string& input : node.input()) {
    if (input.empty()) continue;
    const Tensor* tensor = scope_.find(input);
    if (tensor == nullptr) {
      return invalid_argument(
          "reads '" + shown(input) +
          "', which no input, initializer or earlier node makes; nodes that read each other in a circle cannot run");
    }
    readable = readable && tensor->type.has_value();
  }
  if (const FunctionProto* function = functions_.function_of(node)) return functions_.read(node, *function);
  if (!readable) return keep_opaque(node, kUnknownOperand);
  if (const GraphProto* branch = branches_.known_branch(node)) return branches_.read(node, *branch);
  if (branches_.may_take_either(node)) return branches_.read_either(node);
  if (const GraphProto* body = loops_.body_to_write_out(node)) return loops_.read(node, *body);
  return read_operator(node);
}

// "Shape 'encoder/shape'", or by what it makes where it has no name.
std::string NodeReader::fold_label(const NodeProto& node) const {
  return op_name(node) + " '" + scope_.own_name(node.name().empty() ? node.output(0) : node.name()) + "'";
}

Status NodeReader::read_operator(const NodeProto& node) {
  Graph& graph = imported_.graph();
  const auto first_new = graph.nodes().size();
  const SharedTensor first = node.input_size() > 0 && !node.input(0).empty() ? scope_.tensor(node.input(0)) : nullptr;
  NodeImport importer(scope_, imported_, node);
  FL_TRY(Translated translated, translate_(importer));
  if (!translated.opaque_because.empty()) return keep_opaque(node, translated.opaque_because, translated.result);
  if (translated.first_operand) {
    ++imported_.counts().passed_on;
    imported_.note_fold(fold_label(node) + " folded: its result is its operand");
    return scope_.adopt(node.output(0), first);
  }
  for (auto i = first_new; i < graph.nodes().size(); ++i) {
    Node& added = graph.node(NodeId(static_cast<std::uint32_t>(i)));
    if (added.op != Op::kConstant && !node.name().empty()) added.name = scope_.own_name(node.name());
  }
  return define_results(node, std::move(translated));
}

Status NodeReader::define_results(const NodeProto& node, Translated translated) {
  if (translated.known || translated.param) return define_data(node, std::move(translated));
  ++imported_.counts().nodes;
  for (int i = 0; i < node.output_size(); ++i) {
    if (static_cast<std::size_t>(i) >= translated.values.size()) {
      if (!scope_.is_read(node.output(i))) continue;
      return invalid_argument("has more outputs than its operator");
    }
    if (node.output(i).empty()) continue;
    Tensor tensor;
    tensor.value = translated.values[static_cast<std::size_t>(i)];
    tensor.type = imported_.graph().type(*tensor.value);
    imported_.graph().set_value_name(*tensor.value, scope_.own_name(node.output(i)));
    FL_TRY_VOID(define(node, i, std::move(tensor)));
  }
  return Status();
}

// Constants and shape arithmetic count as no work: no file can say that their result is to be measured.
Status NodeReader::define_data(const NodeProto& node, Translated translated) {
  if (translated.known && node.input_size() > 0) {
    ++imported_.counts().folded_constants;
    imported_.note_fold(fold_label(node) + " folded: its result is known before the model runs");
  }
  Tensor tensor;
  tensor.type = translated.param ? *translated.param : TensorType{translated.known->dtype, {}};
  if (translated.known) {
    for (std::int64_t extent : translated.known->shape) tensor.type->shape.emplace_back(extent);
  }
  tensor.known = std::move(translated.known);
  if (translated.data != nullptr) tensor.file = imported_.files().file_of(*translated.data);
  if (translated.data != nullptr && is_external(*translated.data)) FL_TRY_VOID(loops_.spend_external(*tensor.type));
  if (translated.generated) FL_TRY_VOID(imported_.spend_generated(*tensor.type));
  tensor.has_numbers = translated.generated != nullptr || (translated.data != nullptr && holds_numbers(*translated.data));
  tensor.generated = std::move(translated.generated);
  tensor.may_be_invented = translated.is_random || translated.data != nullptr;
  // The node may be a copy that passes.
  if (imported_.reads_weights() && translated.data != nullptr) tensor.data = std::make_shared<TensorProto>(*translated.data);
  return define(node, 0, std::move(tensor));
}

Status NodeReader::define(const NodeProto& node, int output, Tensor tensor) {
  const std::string& name = node.output(output);
  return name.empty() ? Status() : scope_.adopt(name, std::make_shared<Tensor>(std::move(tensor)));
}

Status NodeReader::hand_out(const NodeProto& node, int output, const SharedTensor& tensor, std::size_t first_value) {
  const std::string& name = node.output(output);
  if (name.empty()) return Status();
  Graph& graph = imported_.graph();
  if (tensor->value && index_of(*tensor->value) >= first_value && graph.value(*tensor->value).producer)
    graph.set_value_name(*tensor->value, scope_.own_name(name));
  return scope_.adopt(name, tensor);
}

Status NodeReader::keep_opaque(const NodeProto& node, const std::string& because, const std::optional<TensorType>& result) {
  std::vector<std::string> names(node.input().begin(), node.input().end());
  append_body_names(node, names);
  std::unordered_set<std::string> seen(node.input().begin(), node.input().end());
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool own = i < static_cast<std::size_t>(node.input_size());
    if (names[i].empty() || (!own && !seen.insert(names[i]).second)) continue;
    // A name that a body reads is the body's own, unless a value here has it already.
    if (own || scope_.find(names[i]) != nullptr) inputs.push_back(imported_.value_of(scope_.tensor(names[i]), names[i]));
  }
  std::vector<std::optional<TensorType>> types = declared_results(node);
  if (!types.front()) types.front() = result;
  return add_barrier(node, because, std::move(inputs), std::move(types));
}

Status NodeReader::keep_opaque_after_all(const NodeProto& node, const std::string& because) {
  is_located_ = false;
  return keep_opaque(node, because);
}

std::vector<std::optional<TensorType>> NodeReader::declared_results(const NodeProto& node) {
  std::vector<std::optional<TensorType>> types;
  for (const std::string& output : node.output()) {
    const ValueInfoProto* const declared = scope_.declared(output);
    auto type = declared != nullptr ? declarations_.declared_type(*declared) : Result<TensorType>(Error{});
    types.push_back(type.ok() ? std::optional(std::move(type).value()) : std::nullopt);
  }
  return types;
}

Status NodeReader::add_barrier(const NodeProto& node, const std::string& because, std::vector<ValueId> inputs,
                               std::vector<std::optional<TensorType>> known_results) {
  std::vector<TensorType> types;
  std::vector<Tensor> tensors;
  for (auto& type : known_results) {
    Tensor tensor;
    tensor.type = std::move(type);
    types.push_back(tensor.type.value_or(TensorType{DType::kF32, {}}));
    tensors.push_back(std::move(tensor));
  }
  std::string text = scope_.label(node) + ": " + op_name(node) + " is a barrier: " + because;
  const bool untyped = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return !tensor.type; });
  // An operator behind one that left a type unknown is counted there.
  std::optional<std::size_t> cause;
  for (const std::string& input : node.input()) {
    const Tensor* const read = input.empty() ? nullptr : scope_.find(input);
    if (!cause && read != nullptr && !read->type) cause = read->cause;
  }
  if (cause) {
    imported_.notes().take_along(*cause);
  } else if (untyped) {
    cause = imported_.notes().add_cause(std::move(text));
  } else {
    imported_.notes().add(std::move(text));
  }
  const NodeId added = imported_.add_opaque(node, because, std::move(inputs), std::move(types));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const int output = static_cast<int>(i);
    if (!tensors[i].type) tensors[i].cause = cause;
    tensors[i].value = imported_.graph().node(added).outputs[i];
    if (!node.output(output).empty()) imported_.graph().set_value_name(*tensors[i].value, scope_.own_name(node.output(output)));
    FL_TRY_VOID(define(node, output, std::move(tensors[i])));
  }
  return Status();
}

}  // namespace fuselab::onnx
