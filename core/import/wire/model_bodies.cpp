// SPDX-License-Identifier: Apache-2.0
// Functions of the model, read in the place of the node that calls them.
#include <algorithm>
#include <utility>

#include "core/import/wire/model_import.h"

namespace fuselab::onnx {
namespace {

constexpr std::size_t kDeepestCall = 32;
// A few functions that call each other twice become as many nodes as one likes, and each may copy what its call gives it.
constexpr std::size_t kMostSpent = std::size_t{1} << 28;  // bytes, about

std::array<std::string, 3> function_key(const std::string& domain, const std::string& name, const std::string& overload) {
  return {is_standard(domain) ? "" : domain, name, overload};
}

// Returns the names that a function reads, its outputs included.
std::shared_ptr<const Names> names_read_by(const FunctionProto& function) {
  std::vector<std::string> names;
  append_read_names(function.node(), names);
  names.insert(names.end(), function.output().begin(), function.output().end());
  return std::make_shared<const Names>(names.begin(), names.end());
}

}  // namespace

bool is_standard(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

// An empty name is an operand that is not there.
void append_read_names(const google::protobuf::RepeatedPtrField<NodeProto>& nodes, std::vector<std::string>& names) {
  for (const auto& node : nodes) {
    for (const auto& name : node.input()) {
      if (!name.empty()) names.push_back(name);
    }
    append_body_names(node, names);
  }
}

// Appends the names that the bodies of a node read (If, Loop, Scan): values of the graph around them are no operands of the node.
void append_body_names(const NodeProto& node, std::vector<std::string>& names) {
  const auto append = [&names](const GraphProto& body) {
    append_read_names(body.node(), names);
    for (const auto& output : body.output()) {
      if (!output.name().empty()) names.push_back(output.name());
    }
  };
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) append(attribute.g());
    for (const auto& body : attribute.graphs()) append(body);
  }
}

Status ModelImport::spend(std::size_t size) {
  spent_ += size;
  if (spent_ <= kMostSpent) return Status();
  return invalid_argument("makes the model larger than anything real, once its functions are written out at each call");
}

Status ModelImport::index_functions() {
  for (const auto& function : model_.functions()) {
    if (!functions_.emplace(function_key(function.domain(), function.name(), function.overload()), &function).second)
      return invalid_argument("function '" + shown(function.name()) + "': is there twice");
  }
  return Status();
}

const FunctionProto* ModelImport::function_of(const NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find(function_key(node.domain(), node.op_type(), node.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

bool ModelImport::needs_resolving(const NodeProto& node) const {
  if (scope_.function == nullptr) return false;
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const AttributeProto& each) { return !each.ref_attr_name().empty(); }) ||
         std::any_of(node.input().begin(), node.input().end(),
                     [&](const std::string& name) { return scope_.absent.count(name) != 0; });
}

// An attribute that refers to what the call does not give is not there, nor is an operand that the call leaves out.
NodeProto ModelImport::resolved(const NodeProto& node) const {
  NodeProto own = node;
  own.clear_attribute();
  for (const auto& attribute : node.attribute()) {
    const bool refers = !attribute.ref_attr_name().empty();
    const auto given = scope_.attributes.find(attribute.ref_attr_name());
    if (refers && given == scope_.attributes.end()) continue;
    AttributeProto& added = *own.add_attribute();
    added = refers ? *given->second : attribute;
    added.set_name(attribute.name());
  }
  for (std::string& name : *own.mutable_input()) {
    if (scope_.absent.count(name) != 0) name.clear();
  }
  return own;
}

Result<Scope> ModelImport::scope_of_call(const NodeProto& node, const FunctionProto& function) {
  Scope inner;
  inner.function = &function;
  inner.path = own_name(node.name().empty() ? node.output(0) : node.name()) + "/";
  FL_TRY(inner.opset, opset_of(function.opset_import()));
  auto& read = read_by_[&function];
  if (read == nullptr) read = names_read_by(function);
  inner.read = read;
  for (int i = 0; i < function.input_size(); ++i) {
    const std::string& formal = function.input(i);
    const bool given = i < node.input_size() && !node.input(i).empty();
    std::shared_ptr<Tensor> tensor = given ? scope_.tensors.at(node.input(i)) : nullptr;
    if (given && tensor->label.empty()) tensor->label = own_name(node.input(i));
    const bool fresh = given ? inner.tensors.emplace(formal, std::move(tensor)).second : inner.absent.insert(formal).second;
    if (!fresh) return invalid_argument("function '" + shown(function.name()) + "' has the input '" + shown(formal) + "' twice");
  }
  for (const auto& attribute : function.attribute_proto()) inner.attributes[attribute.name()] = &attribute;
  for (const auto& attribute : node.attribute()) inner.attributes[attribute.name()] = &attribute;
  return inner;
}

Status ModelImport::import_call(const NodeProto& node, const FunctionProto& function) {
  const std::string called = "function '" + shown(function.name()) + "'";
  if (std::find(calls_.begin(), calls_.end(), &function) != calls_.end()) {
    return invalid_argument("calls " + called + ", which is being called already: a function may not call itself");
  }
  if (calls_.size() == kDeepestCall) {
    return invalid_argument("calls " + called + ", the " + std::to_string(kDeepestCall + 1) + "th within each other");
  }
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
    return invalid_argument("does not fit " + called + ", which has " + std::to_string(function.input_size()) + " inputs and " +
                            std::to_string(function.output_size()) + " outputs");
  }
  FL_TRY_VOID(spend(function.ByteSizeLong() + node.ByteSizeLong()));
  FL_TRY(Scope inner, scope_of_call(node, function));
  const std::size_t first_value = graph().values().size();
  std::swap(scope_, inner);
  calls_.push_back(&function);
  const Status read = import_nodes(function.node());
  calls_.pop_back();
  std::swap(scope_, inner);
  FL_TRY_VOID(read);
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    const auto made = inner.tensors.find(function.output(i));
    if (made == inner.tensors.end()) {
      return invalid_argument(called + " makes nothing called '" + shown(function.output(i)) + "', which is its output");
    }
    const auto& value = made->second->value;
    if (value && index_of(*value) >= first_value && graph().value(*value).producer)
      graph().set_value_name(*value, own_name(node.output(i)));
    FL_TRY_VOID(adopt(node.output(i), made->second));
  }
  return Status();
}

}  // namespace fuselab::onnx
