// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/model_import.h"

#include <algorithm>
#include <utility>

#include "core/base/plain_text.h"
#include "core/fusion/fold/prune.h"
#include "core/fusion/written_out/recompose.h"
#include "core/import/wire/declared_type.h"
#include "core/import/wire/loop_limits.h"
#include "core/import/wire/node_import.h"
#include "core/import/wire/weight_data.h"
#include "core/ops/infer.h"

namespace fuselab::onnx {
namespace {

// Many times what the largest model has; reading and cutting them takes seconds, and some hundreds of megabytes.
constexpr int kMostNodes = 250'000;
constexpr std::size_t kMostNotes = 1000;  // they are for people

// Operators whose result no file can say to be measured: constants and shape arithmetic count as no work.
bool counts_as_work(const Translated& translated) {
  return !translated.known && !translated.param;
}

}  // namespace

std::string shown(const std::string& name) {
  constexpr std::size_t kLongest = 160;
  std::string text = plain_line(std::string_view(name).substr(0, kLongest));
  std::replace(text.begin(), text.end(), '\'', '?');
  return name.size() > kLongest ? text + "…" : text;
}

std::string op_name(const NodeProto& node) {
  const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
  return shown(standard ? node.op_type() : node.domain() + "." + node.op_type());
}

std::string ModelImport::label(const NodeProto& node) const {
  const std::string inside = scope_.function != nullptr ? " of function '" + shown(scope_.function->name()) + "'" : "";
  if (!node.name().empty()) return "node '" + shown(node.name()) + "'" + inside;
  return "node " + std::to_string(scope_.position) + " (" + op_name(node) + ")" + inside;
}

Result<ImportedModel> ModelImport::run() {
  if (!model_.has_graph()) return invalid_argument("holds no graph: is it an ONNX model?");
  const GraphProto& main = model_.graph();
  if (main.node_size() > kMostNodes) {
    return invalid_argument("has " + std::to_string(main.node_size()) + " nodes, more than the " + std::to_string(kMostNodes) +
                            " that a model may have");
  }
  FL_TRY(scope_.opset, opset_of(model_.opset_import()));
  result_.name = shown(main.name());
  FL_TRY_VOID(index_functions());
  std::vector<std::string> names;
  append_read_names(main.node(), names);
  for (const auto& output : main.output()) {
    names.push_back(output.name());
    output_names_.insert(output.name());
  }
  scope_.read = std::make_shared<const Names>(names.begin(), names.end());
  keep_symbols();
  declare_types();
  FL_TRY_VOID(declare_initializers(main));
  FL_TRY_VOID(declare_sparse_initializers(main));
  FL_TRY_VOID(declare_inputs());
  FL_TRY_VOID(import_nodes(main.node()));
  FL_TRY_VOID(finish());
  return std::move(result_);
}

Status ModelImport::import_nodes(const Nodes& nodes, Which which) {
  for (scope_.position = 0; scope_.position < nodes.size(); ++scope_.position) {
    const NodeProto& node = nodes[scope_.position];
    const bool constant = node.op_type() == "Constant" && node.input_size() == 0;
    if (which != Which::kAll && constant != (which == Which::kConstants)) continue;
    auto imported = import_node(node);
    if (imported.ok()) continue;
    // The innermost body says where; those around it have nothing to add.
    if (std::exchange(located_, true)) return imported;
    return imported.error().within(label(node));
  }
  return Status();
}

void ModelImport::note(std::string text) {
  if (result_.notes.size() < kMostNotes) {
    result_.notes.push_back(std::move(text));
  } else {
    ++notes_left_out_;
  }
}

std::size_t ModelImport::note_cause(std::string text) {
  const std::size_t before = result_.notes.size();
  note(std::move(text));
  causes_.push_back({result_.notes.size() > before ? std::optional(before) : std::nullopt});
  return causes_.size() - 1;
}

const Tensor* ModelImport::find(const std::string& name) const {
  const auto found = scope_.tensors.find(name);
  return found == scope_.tensors.end() ? nullptr : found->second.get();
}

bool ModelImport::is_output(const std::string& name) const {
  if (scope_.function != nullptr || scope_.branches > 0) return true;
  return output_names_.count(name) != 0;
}

ValueId ModelImport::constant(double number, DType dtype) {
  Attributes attributes;
  if (is_floating(dtype)) {
    attributes.set("value", number);
  } else {
    attributes.set("value", static_cast<std::int64_t>(number));
  }
  attributes.set("dtype", std::string(name_of(dtype)));
  const auto added = graph().add_node(Op::kConstant, {}, std::move(attributes));
  FL_ASSERT(added.ok());
  return graph().node(added.value()).outputs.front();
}

ValueId ModelImport::materialize(const std::string& name) {
  const std::shared_ptr<Tensor>& tensor = scope_.tensors.at(name);
  if (!tensor->value && attempts_ > 0) materialized_.push_back(tensor);
  return value_of(*tensor, name);
}

std::string ModelImport::unique_param_name(const std::string& name) {
  const auto [found, is_new] = param_names_.emplace(name, 1);
  if (is_new) return name;
  std::string wish;
  do wish = name + "_" + std::to_string(++found->second);
  while (param_names_.count(wish) != 0);
  param_names_.emplace(wish, 1);
  return wish;
}

ValueId ModelImport::value_of(Tensor& tensor, const std::string& name) {
  if (tensor.value) return *tensor.value;
  const std::string label = tensor.label.empty() ? own_name(name) : tensor.label;
  const auto number = tensor.known && tensor.known->shape.empty() ? tensor.known->scalar() : std::nullopt;
  if (number) {
    tensor.value = constant(*number, tensor.known->dtype);
  } else if (tensor.type) {
    tensor.value = graph().add_input(unique_param_name(label), *tensor.type, ValueOrigin::kParam);
    const std::string& param = graph().value(*tensor.value).name;
    const bool described = tensor.known || tensor.generated;
    if (tensor.file || described) result_.weight_files.emplace(param, tensor.file.value_or(std::string()));
    const bool numbers =
        tensor.has_numbers || (tensor.known && (is_floating(tensor.known->dtype) || tensor.known->plain_integers()));
    if (numbers) result_.constants.insert(param);
    if (weights_ == Weights::kRead) read_weights(tensor);
  } else {
    // Only barriers read it, and nothing is ever computed from it: any type will do.
    tensor.value = graph().add_input(unique_param_name(label), {DType::kF32, {}}, ValueOrigin::kParam);
  }
  return *tensor.value;
}

void ModelImport::read_weights(const Tensor& tensor) {
  std::optional<std::vector<std::byte>> bytes;
  const std::string& name = graph().value(*tensor.value).name;
  if (tensor.known) {
    bytes = bytes_of(*tensor.known);
  } else if (tensor.generated) {
    bytes = tensor.generated->bytes();
  } else if (tensor.data && is_external(*tensor.data)) {
    bytes = files_.bytes(*tensor.data, *tensor.type);
  } else if (tensor.data) {
    bytes = bytes_of(*tensor.data, *tensor.type);
  }
  if (!bytes && !tensor.may_be_invented) undefined_.insert(name);
  if (bytes) result_.weights.emplace(name, *std::move(bytes));
}

// A short file may describe more numbers than any memory holds.
Status ModelImport::spend_generated(const TensorType& type) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;  // as many as an ONNX file may hold
  if (weights_ != Weights::kRead) return {};
  FL_TRY(const Bytes size, size_of(type));
  generated_bytes_ += std::min(size.count, kMostBytes + 1);
  if (generated_bytes_ <= kMostBytes) return {};
  return invalid_argument("makes " + type_text(type) + ": the constants that this model generates take more than 2 GiB");
}

Status ModelImport::define(const NodeProto& node, int output, Tensor tensor) {
  const std::string& name = node.output(output);
  return name.empty() ? Status() : adopt(name, std::make_shared<Tensor>(std::move(tensor)));
}

Status ModelImport::adopt(const std::string& name, std::shared_ptr<Tensor> tensor) {
  if (!scope_.tensors.emplace(name, std::move(tensor)).second)
    return invalid_argument("makes '" + shown(name) + "', which exists already");
  if (scope_.branches > 0) scope_.made.push_back(name);
  return Status();
}

Status ModelImport::import_node(const NodeProto& node) {
  if (++nodes_ > kMostNodes) {
    return invalid_argument("is one more than the " + std::to_string(kMostNodes) +
                            " nodes that a model may have, those of its functions counted at each call");
  }
  if (loops_ > 0 && ++unrolled_ > kMostUnrolledNodes) return give_up_loops();
  if (!needs_resolving(node)) return read_node(node);
  const NodeProto own = resolved(node);
  FL_TRY_VOID(spend(own.ByteSizeLong()));
  return read_node(own);
}

Status ModelImport::read_node(const NodeProto& node) {
  if (node.output_size() == 0) return invalid_argument("makes nothing");
  if (static_cast<std::size_t>(node.input_size()) > kMostOperands) {
    return invalid_argument("has " + std::to_string(node.input_size()) + " operands, more than the " +
                            std::to_string(kMostOperands) + " that a graph takes");
  }
  bool readable = true;
  for (const std::string& input : node.input()) {
    if (input.empty()) continue;
    const Tensor* tensor = find(input);
    if (tensor == nullptr) {
      return invalid_argument("reads '" + shown(input) +
                              "', which no input, initializer or earlier node makes (nodes must come in an order that can run)");
    }
    readable = readable && tensor->type.has_value();
  }
  if (const FunctionProto* function = function_of(node)) return import_call(node, *function);
  if (!readable) return keep_opaque(node, kUnknownOperand);
  if (const GraphProto* branch = known_branch(node)) return import_branch(node, *branch);
  if (may_take_either(node)) return import_either(node);
  if (const GraphProto* body = loop_to_write_out(node)) return import_loop(node, *body);
  const auto first_new = graph().nodes().size();
  const std::shared_ptr<Tensor> first =
      node.input_size() > 0 && !node.input(0).empty() ? scope_.tensors.at(node.input(0)) : nullptr;
  NodeImport importer(*this, node);
  FL_TRY(Translated translated, translate_(importer));
  if (!translated.opaque_because.empty()) return keep_opaque(node, translated.opaque_because, translated.result);
  if (translated.first_operand) return adopt(node.output(0), first);
  for (auto i = first_new; i < graph().nodes().size(); ++i) {
    Node& added = graph().node(NodeId(static_cast<std::uint32_t>(i)));
    if (added.op != Op::kConstant && !node.name().empty()) added.name = own_name(node.name());
  }
  return define_results(node, std::move(translated));
}

Status ModelImport::define_results(const NodeProto& node, Translated translated) {
  result_.nodes += counts_as_work(translated) ? 1 : 0;
  result_.imported.folded_constants += translated.known && node.input_size() > 0 ? 1 : 0;
  if (translated.known || translated.param) {
    Tensor tensor;
    tensor.type = translated.param ? *translated.param : TensorType{translated.known->dtype, {}};
    if (translated.known) {
      for (std::int64_t extent : translated.known->shape) tensor.type->shape.emplace_back(extent);
    }
    tensor.known = std::move(translated.known);
    if (translated.data != nullptr) tensor.file = files_.file_of(*translated.data);
    // The node may be a copy that passes.
    // What lies in another file takes no bytes in this one, and each trip would read it anew.
    if (loops_ > 0 && translated.data != nullptr && is_external(*translated.data)) {
      const auto size = size_of(*tensor.type);
      unrolled_bytes_ += size.ok() ? std::min(size.value().count, kMostUnrolledBytes) : kMostUnrolledBytes;
      if (unrolled_bytes_ > kMostUnrolledBytes) return give_up_loops();
    }
    if (translated.generated) FL_TRY_VOID(spend_generated(*tensor.type));
    tensor.has_numbers = translated.generated != nullptr || (translated.data != nullptr && holds_numbers(*translated.data));
    tensor.generated = std::move(translated.generated);
    tensor.may_be_invented = translated.is_random || translated.data != nullptr;
    if (weights_ == Weights::kRead && translated.data != nullptr) tensor.data = std::make_shared<TensorProto>(*translated.data);
    return define(node, 0, std::move(tensor));
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (static_cast<std::size_t>(i) >= translated.values.size()) {
      if (!is_read(node.output(i))) continue;
      return invalid_argument("has more outputs than its operator");
    }
    if (node.output(i).empty()) continue;
    Tensor tensor;
    tensor.value = translated.values[static_cast<std::size_t>(i)];
    tensor.type = graph().type(*tensor.value);
    graph().set_value_name(*tensor.value, own_name(node.output(i)));
    FL_TRY_VOID(define(node, i, std::move(tensor)));
  }
  return Status();
}

Status ModelImport::keep_opaque(const NodeProto& node, const std::string& because, const std::optional<TensorType>& result) {
  std::vector<std::string> names(node.input().begin(), node.input().end());
  append_body_names(node, names);
  std::unordered_set<std::string> seen(node.input().begin(), node.input().end());
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool own = i < static_cast<std::size_t>(node.input_size());
    if (names[i].empty() || (!own && !seen.insert(names[i]).second)) continue;
    // A name that a body reads is the body's own, unless a value here has it already.
    if (own || find(names[i]) != nullptr) inputs.push_back(materialize(names[i]));
  }
  std::vector<std::optional<TensorType>> types = declared_results(node);
  if (!types.front()) types.front() = result;
  return add_barrier(node, because, std::move(inputs), std::move(types));
}

std::vector<std::optional<TensorType>> ModelImport::declared_results(const NodeProto& node) {
  std::vector<std::optional<TensorType>> types;
  for (const std::string& output : node.output()) {
    const auto declared = scope_.declared.find(output);
    const bool is_own = declared != scope_.declared.end() && scope_.branches == 0;
    auto type = is_own ? declared_type(*declared->second) : Result<TensorType>(Error{});
    types.push_back(type.ok() ? std::optional(std::move(type).value()) : std::nullopt);
  }
  return types;
}

Status ModelImport::add_barrier(const NodeProto& node, const std::string& because, std::vector<ValueId> inputs,
                                std::vector<std::optional<TensorType>> known_results) {
  std::vector<TensorType> types;
  std::vector<Tensor> tensors;
  for (auto& type : known_results) {
    Tensor tensor;
    tensor.type = std::move(type);
    types.push_back(tensor.type.value_or(TensorType{DType::kF32, {}}));
    tensors.push_back(std::move(tensor));
  }
  std::string text = label(node) + ": " + op_name(node) + " is a barrier: " + because;
  const bool untyped = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return !tensor.type; });
  // An operator behind one that left a type unknown is counted there.
  std::optional<std::size_t> cause;
  for (const std::string& input : node.input()) {
    const Tensor* const read = input.empty() ? nullptr : find(input);
    if (!cause && read != nullptr && !read->type) cause = read->cause;
  }
  if (cause) {
    ++causes_[*cause].taken_along;
    if (attempts_ > 0) taken_along_.push_back(*cause);
  } else if (untyped) {
    cause = note_cause(std::move(text));
  } else {
    note(std::move(text));
  }
  for (Tensor& tensor : tensors) {
    if (!tensor.type) tensor.cause = cause;
  }
  const NodeId added = graph().add_opaque(op_name(node), std::move(inputs), std::move(types));
  if (!node.name().empty()) graph().node(added).name = own_name(node.name());
  result_.barriers[added] = because;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].value = graph().node(added).outputs[i];
    if (!node.output(static_cast<int>(i)).empty())
      graph().set_value_name(*tensors[i].value, own_name(node.output(static_cast<int>(i))));
    FL_TRY_VOID(define(node, static_cast<int>(i), std::move(tensors[i])));
  }
  ++result_.nodes;
  ++result_.opaque_nodes;
  constexpr std::size_t kMostTypes = 64;  // a list for people
  auto& known_types = result_.opaque_types;
  if (known_types.size() < kMostTypes && std::find(known_types.begin(), known_types.end(), op_name(node)) == known_types.end())
    known_types.push_back(op_name(node));
  return Status();
}

void ModelImport::recompose_written_out() {
  auto recomposed = recompose(graph());
  if (!recomposed) return;
  replace_graph(std::move(recomposed->graph), recomposed->moved);
  for (std::string& text : recomposed->notes) note(std::move(text));
}

void ModelImport::leave_out_dead() {
  auto pruned = without_dead_operators(graph());
  if (!pruned) return;
  note(left_out_text(graph(), *pruned));
  const auto barriers = static_cast<int>(result_.barriers.size());
  replace_graph(std::move(pruned->graph), pruned->moved);
  const int dead_barriers = barriers - static_cast<int>(result_.barriers.size());
  result_.nodes -= dead_barriers;
  result_.opaque_nodes -= dead_barriers;
  std::set<std::string> params;
  for (const ValueId input : graph().inputs()) params.insert(graph().value(input).name);
  std::erase_if(result_.weights, [&](const auto& held) { return !params.contains(held.first); });
  std::erase_if(result_.weight_files, [&](const auto& held) { return !params.contains(held.first); });
}

// `moved`: the new node of each node.
void ModelImport::replace_graph(Graph now, const std::vector<std::optional<NodeId>>& moved) {
  std::map<NodeId, std::string> barriers;
  for (auto& [id, because] : result_.barriers) {
    if (const auto place = moved[static_cast<std::size_t>(id)]) barriers[*place] = std::move(because);
  }
  result_.barriers = std::move(barriers);
  result_.graph = std::move(now);
}

// Who reads an output knows it by the file's name for it, which is another than that of its value where a branch, a function or an
// Identity hands it on.
void ModelImport::add_output(const std::string& name, std::set<ValueId>& named) {
  const ValueId value = materialize(name);
  const bool is_first = named.insert(value).second;
  if (graph().value(value).origin == ValueOrigin::kNode && is_first) graph().set_value_name(value, shown(name));
  graph().add_output(value);
}

Status ModelImport::finish() {
  if (model_.graph().output_size() == 0) return invalid_argument("its graph has no output");
  std::set<ValueId> named;
  for (const auto& output : model_.graph().output()) {
    if (find(output.name()) == nullptr) return invalid_argument("output '" + shown(output.name()) + "' is made by nothing");
    FL_TRY_VOID(check_declared(output, "output"));
    add_output(output.name(), named);
  }
  FL_TRY_VOID(check_all_declared());
  leave_out_dead();
  for (const ValueId input : graph().inputs()) {
    const std::string& name = graph().value(input).name;
    if (undefined_.contains(name))
      return invalid_argument("the numbers of '" + name + "' are not known, since they depend on extents without a number");
  }
  recompose_written_out();
  for (std::string& text : files_.take_notes()) note(std::move(text));
  for (const Cause& cause : causes_) {
    if (!cause.note || cause.taken_along == 0) continue;
    const bool one = cause.taken_along == 1;
    result_.notes[*cause.note] += "; " + std::to_string(cause.taken_along) + (one ? " operator" : " operators") + " behind it " +
                                  (one ? "is a barrier too" : "are barriers too") +
                                  ", because the types that it gives are not known";
  }
  if (notes_left_out_ > 0) result_.notes.push_back("and " + std::to_string(notes_left_out_) + " more like these");
  return Status();
}

}  // namespace fuselab::onnx
