// SPDX-License-Identifier: Apache-2.0
#include "core/import/model_import.h"

#include <algorithm>

#include "core/base/plain_text.h"
#include "core/graph/infer.h"
#include "core/import/declared_type.h"
#include "core/import/node_import.h"

namespace fuselab::onnx {
namespace {

constexpr int kMaxRank = 8;
constexpr std::int64_t kNewestOpset = 28;

std::string op_name(const NodeProto& node) {
  const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
  return shown(standard ? node.op_type() : node.domain() + "." + node.op_type());
}

void append_body_names(const NodeProto& node, std::vector<std::string>& names);

// What a graph's nodes and outputs read, bodies included.
void append_read_names(const GraphProto& graph, std::vector<std::string>& names) {
  for (const auto& node : graph.node()) {
    for (const auto& name : node.input()) {
      if (!name.empty()) names.push_back(name);
    }
    append_body_names(node, names);
  }
  for (const auto& output : graph.output()) {
    if (!output.name().empty()) names.push_back(output.name());
  }
}

// What the bodies of a node read (If, Loop, Scan): values of the graph around them are no operands of the node.
void append_body_names(const NodeProto& node, std::vector<std::string>& names) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) append_read_names(attribute.g(), names);
    for (const auto& body : attribute.graphs()) append_read_names(body, names);
  }
}

// The type of an initializer; none when its element type is not known here.
template <typename Extents>
Result<std::optional<TensorType>> type_of_data(std::int32_t code, const Extents& extents) {
  if (extents.size() > kMaxRank) return invalid_argument("has more than 8 dimensions");
  const auto dtype = dtype_of_code(code);
  if (!dtype) return std::optional<TensorType>();
  TensorType type{*dtype, {}};
  for (std::int64_t extent : extents) {
    if (extent < 0) return invalid_argument("has the extent " + std::to_string(extent));
    type.shape.emplace_back(extent);
  }
  FL_TRY([[maybe_unused]] const Bytes size, size_of(type));
  return std::optional(std::move(type));
}

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

std::string ModelImport::label(const NodeProto& node) const {
  if (!node.name().empty()) return "node '" + shown(node.name()) + "'";
  return "node " + std::to_string(position_) + " (" + op_name(node) + ")";
}

Result<ImportedModel> ModelImport::run() {
  if (!model_.has_graph()) return invalid_argument("holds no graph: is it an ONNX model?");
  FL_TRY_VOID(read_opset());
  result_.name = shown(model_.graph().name());
  find_read_names();
  keep_symbols();
  FL_TRY_VOID(declare_types());
  FL_TRY_VOID(declare_initializers());
  FL_TRY_VOID(declare_sparse_initializers());
  FL_TRY_VOID(declare_inputs());
  for (position_ = 0; position_ < model_.graph().node_size(); ++position_) {
    const NodeProto& node = model_.graph().node(position_);
    if (auto imported = import_node(node); !imported.ok()) return imported.error().within(label(node));
  }
  FL_TRY_VOID(finish());
  return std::move(result_);
}

Status ModelImport::read_opset() {
  for (const auto& opset : model_.opset_import()) {
    if (!opset.domain().empty() && opset.domain() != "ai.onnx") continue;
    if (opset.version() < 1 || opset.version() > 1000) {
      return invalid_argument("declares opset " + std::to_string(opset.version()) + ", which does not exist");
    }
    if (opset_ != 0 && opset_ != opset.version()) {
      return invalid_argument("declares two versions of ONNX's own operators, " + std::to_string(opset_) + " and " +
                              std::to_string(opset.version()));
    }
    opset_ = static_cast<int>(opset.version());
  }
  if (opset_ == 0) {
    // Files of IR version 1 and 2 had no such field and meant the first operator set. Later ones may hold operators of other
    // domains alone; ONNX's own have no meaning in them.
    if (model_.ir_version() < 3) {
      opset_ = 1;
    } else if (model_.opset_import_size() == 0) {
      return invalid_argument("declares no ONNX opset (opset_import)");
    }
  }
  if (opset_ > kNewestOpset) {
    result_.notes.push_back("opset " + std::to_string(opset_) + " is newer than " + std::to_string(kNewestOpset) +
                            ", the newest one known here: operators are read as they were then");
  }
  return Status();
}

Result<TensorType> ModelImport::declared_type(const ValueInfoProto& info) {
  const auto& tensor = info.type().tensor_type();
  const auto dtype = dtype_of_code(tensor.elem_type());
  if (!dtype) return Error{ErrorCode::kUnsupported, "has the ONNX element type " + std::to_string(tensor.elem_type())};
  if (!tensor.has_shape()) return Error{ErrorCode::kUnsupported, "has no shape in the file"};
  if (tensor.shape().dim_size() > kMaxRank) return invalid_argument("has more than 8 dimensions");
  TensorType type{*dtype, {}};
  for (const auto& dim : tensor.shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() != kOpenExtent) {
      if (dim.dim_value() < 0) return invalid_argument("has the extent " + std::to_string(dim.dim_value()));
      type.shape.emplace_back(dim.dim_value());
    } else if (dim.dim_param().empty()) {
      type.shape.push_back(symbols_.unnamed(info.name(), type.shape.size()));
    } else {
      type.shape.push_back(symbols_.named(dim.dim_param(), result_.notes));
    }
  }
  if (is_concrete(type.shape)) {
    FL_TRY([[maybe_unused]] const Bytes size, size_of(type));
  }
  return type;
}

Status ModelImport::declare_types() {
  for (const auto& info : model_.graph().value_info()) declared_[info.name()] = &info;
  for (const auto& info : model_.graph().output()) declared_[info.name()] = &info;
  return Status();
}

void ModelImport::keep_symbols() {
  const auto keep = [&](const auto& infos) {
    for (const auto& info : infos) {
      for (const auto& dim : info.type().tensor_type().shape().dim()) symbols_.keep(dim.dim_param());
    }
  };
  keep(model_.graph().input());
  keep(model_.graph().output());
  keep(model_.graph().value_info());
}

void ModelImport::find_read_names() {
  std::vector<std::string> names;
  append_read_names(model_.graph(), names);
  read_.insert(names.begin(), names.end());
}

Status ModelImport::declare_initializers() {
  for (const auto& initializer : model_.graph().initializer()) {
    const std::string label = "initializer '" + shown(initializer.name()) + "'";
    if (initializer.name().empty()) return invalid_argument("has an initializer without a name");
    Tensor tensor;
    auto type = type_of_data(initializer.data_type(), initializer.dims());
    if (!type.ok()) return type.error().within(label);
    tensor.type = std::move(type).value();
    if (tensor.type) {
      if (auto data = check_data(initializer, *tensor.type); !data.ok()) return data.error().within(label);
    }
    tensor.known = read_known(initializer);
    if (!tensors_.emplace(initializer.name(), std::move(tensor)).second) return invalid_argument(label + ": is there twice");
  }
  return Status();
}

Status ModelImport::declare_sparse_initializers() {
  for (const auto& sparse : model_.graph().sparse_initializer()) {
    const std::string& name = sparse.values().name();
    const std::string label = "initializer '" + shown(name) + "'";
    if (name.empty()) return invalid_argument("has an initializer without a name");
    Tensor tensor;
    auto type = type_of_data(sparse.values().data_type(), sparse.dims());
    if (!type.ok()) return type.error().within(label);
    tensor.type = std::move(type).value();
    if (!tensors_.emplace(name, std::move(tensor)).second) return invalid_argument(label + ": is there twice");
    result_.notes.push_back(label + " is sparse: it is read as a dense tensor of its shape");
  }
  return Status();
}

Status ModelImport::declare_inputs() {
  for (const auto& input : model_.graph().input()) {
    if (input.name().empty()) return invalid_argument("has an input without a name");
    if (const auto found = tensors_.find(input.name()); found != tensors_.end()) {
      // Before IR version 4 initializers were listed as inputs as well.
      if (found->second.origin == ValueOrigin::kInput)
        return invalid_argument("input '" + shown(input.name()) + "': is there twice");
      continue;
    }
    Tensor tensor;
    tensor.origin = ValueOrigin::kInput;
    auto type = declared_type(input);
    if (type.ok()) {
      tensor.value = graph().add_input(shown(input.name()), type.value(), ValueOrigin::kInput);
      tensor.type = std::move(type).value();
    } else if (type.error().code != ErrorCode::kUnsupported) {
      return type.error().within("input '" + shown(input.name()) + "'");
    } else {
      result_.notes.push_back("input '" + shown(input.name()) + "' " + type.error().message + ": what reads it is not understood");
    }
    tensors_.emplace(input.name(), std::move(tensor));
  }
  return Status();
}

const Tensor* ModelImport::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
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
  Tensor& tensor = tensors_.at(name);
  if (tensor.value) return *tensor.value;
  const auto number = tensor.known && tensor.known->shape.empty() ? tensor.known->scalar() : std::nullopt;
  if (number) {
    tensor.value = constant(*number, tensor.known->dtype);
  } else if (tensor.type) {
    tensor.value = graph().add_input(shown(name), *tensor.type, ValueOrigin::kParam);
  } else {
    // Only barriers read it, and nothing is ever computed from it: any type will do.
    tensor.value = graph().add_input(shown(name), {DType::kF32, {}}, ValueOrigin::kParam);
  }
  return *tensor.value;
}

Status ModelImport::define(const NodeProto& node, int output, Tensor tensor) {
  const std::string& name = node.output(output);
  if (name.empty()) return Status();
  if (!tensors_.emplace(name, std::move(tensor)).second)
    return invalid_argument("makes '" + shown(name) + "', which exists already");
  return Status();
}

Status ModelImport::import_node(const NodeProto& node) {
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
  if (!readable) return keep_opaque(node, "it reads a tensor whose type is not known");
  const auto first_new = graph().nodes().size();
  NodeImport importer(*this, node);
  FL_TRY(Translated translated, translate(importer));
  if (!translated.opaque_because.empty()) return keep_opaque(node, translated.opaque_because, std::move(translated.result));
  result_.nodes += counts_as_work(translated) ? 1 : 0;
  for (auto i = first_new; i < graph().nodes().size(); ++i) {
    Node& added = graph().node(NodeId(static_cast<std::uint32_t>(i)));
    if (added.op != Op::kConstant) added.name = shown(node.name());
  }
  if (translated.known || translated.param) {
    Tensor tensor;
    tensor.type = translated.param ? *translated.param : TensorType{translated.known->dtype, {}};
    if (translated.known) {
      for (std::int64_t extent : translated.known->shape) tensor.type->shape.emplace_back(extent);
    }
    tensor.known = std::move(translated.known);
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
    graph().set_value_name(*tensor.value, shown(node.output(i)));
    FL_TRY_VOID(define(node, i, std::move(tensor)));
  }
  return Status();
}

Status ModelImport::keep_opaque(const NodeProto& node, const std::string& because, std::optional<TensorType> result) {
  std::vector<std::string> names(node.input().begin(), node.input().end());
  append_body_names(node, names);
  std::unordered_set<std::string> seen(node.input().begin(), node.input().end());
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool own = i < static_cast<std::size_t>(node.input_size());
    if (names[i].empty() || (!own && !seen.insert(names[i]).second)) continue;
    // What a body reads is its own, unless it is here already.
    if (own || find(names[i]) != nullptr) inputs.push_back(materialize(names[i]));
  }
  std::vector<TensorType> types;
  std::vector<Tensor> tensors;
  for (const std::string& output : node.output()) {
    Tensor tensor;
    const auto declared = declared_.find(output);
    if (declared != declared_.end()) {
      auto type = declared_type(*declared->second);
      if (type.ok()) tensor.type = std::move(type).value();
    }
    if (!tensor.type && tensors.empty()) tensor.type = std::move(result);
    types.push_back(tensor.type.value_or(TensorType{DType::kF32, {}}));
    tensors.push_back(std::move(tensor));
  }
  std::string note = label(node) + ": " + op_name(node) + " is a barrier: " + because;
  const bool untyped = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return !tensor.type; });
  if (untyped) note += "; value_info does not give its result's type, so what reads it is a barrier too";
  result_.notes.push_back(std::move(note));
  const NodeId added = graph().add_opaque(op_name(node), std::move(inputs), std::move(types));
  graph().node(added).name = shown(node.name());
  result_.barriers[added] = because;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].value = graph().node(added).outputs[i];
    if (!node.output(static_cast<int>(i)).empty())
      graph().set_value_name(*tensors[i].value, shown(node.output(static_cast<int>(i))));
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

Status ModelImport::check_declared(const ValueInfoProto& info, const std::string& role) const {
  const Tensor* tensor = find(info.name());
  if (tensor == nullptr || !tensor->type || !info.type().has_tensor_type()) return Status();
  const auto& declared = info.type().tensor_type();
  if (agrees(declared, *tensor->type)) return Status();
  return invalid_argument(role + " '" + shown(info.name()) + "': the file declares " + declared_text(declared) + ", but " +
                          (role == "input" ? "its initializer is " : "its operators give ") + type_text(*tensor->type));
}

Status ModelImport::finish() {
  if (model_.graph().output_size() == 0) return invalid_argument("its graph has no output");
  for (const auto& output : model_.graph().output()) {
    if (find(output.name()) == nullptr) return invalid_argument("output '" + shown(output.name()) + "' is made by nothing");
    FL_TRY_VOID(check_declared(output, "output"));
    graph().add_output(materialize(output.name()));
  }
  for (const auto& info : model_.graph().value_info()) FL_TRY_VOID(check_declared(info, "value"));
  for (const auto& input : model_.graph().input()) FL_TRY_VOID(check_declared(input, "input"));
  return Status();
}

}  // namespace fuselab::onnx
