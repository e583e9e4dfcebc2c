// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/function_calls.h"

#include <algorithm>
#include <utility>

#include "core/import/reader/node_reader.h"

namespace fuselab::onnx {
namespace {

constexpr std::size_t kDeepestCall = 32;
// A few functions that call each other twice become as many nodes as one likes, and each may copy what its call gives it.
constexpr std::size_t kMostSpent = std::size_t{1} << 28;

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

Status FunctionCalls::spend(std::size_t size) {
  spent_ += size;
  if (spent_ <= kMostSpent) return Status();
  return invalid_argument("makes the model larger than anything real, once its functions are written out at each call");
}

Status FunctionCalls::index() {
  for (const auto& function : model_.functions()) {
    if (!functions_.emplace(function_key(function.domain(), function.name(), function.overload()), &function).second)
      return invalid_argument("function '" + shown(function.name()) + "': is there twice");
  }
  return Status();
}

const FunctionProto* FunctionCalls::function_of(const NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find(function_key(node.domain(), node.op_type(), node.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

bool FunctionCalls::needs_resolving(const NodeProto& node) const {
  if (!scope_.in_function()) return false;
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const AttributeProto& each) { return !each.ref_attr_name().empty(); }) ||
         std::any_of(node.input().begin(), node.input().end(),
                     [&](const std::string& name) { return scope_.call().absent.contains(name); });
}

// An attribute that refers to what the call does not give is not there, nor is an operand that the call leaves out.
Result<std::optional<NodeProto>> FunctionCalls::resolved(const NodeProto& node) {
  if (!needs_resolving(node)) return std::optional<NodeProto>();
  const FunctionCall& call = scope_.call();
  NodeProto own = node;
  own.clear_attribute();
  for (const auto& attribute : node.attribute()) {
    const bool refers = !attribute.ref_attr_name().empty();
    const auto given = call.attributes.find(attribute.ref_attr_name());
    if (refers && given == call.attributes.end()) continue;
    AttributeProto& added = *own.add_attribute();
    added = refers ? *given->second : attribute;
    added.set_name(attribute.name());
  }
  for (std::string& name : *own.mutable_input()) {
    if (call.absent.contains(name)) name.clear();
  }
  FL_TRY_VOID(spend(own.ByteSizeLong()));
  return std::optional(std::move(own));
}

Result<ImportScope> FunctionCalls::scope_of(const NodeProto& node, const FunctionProto& function) {
  FL_TRY(const int opset, declarations_.opset_of(function.opset_import()));
  auto& read = read_by_[&function];
  if (read == nullptr) read = names_read_by(function);
  FunctionCall call;
  call.function = &function;
  for (const auto& attribute : function.attribute_proto()) call.attributes[attribute.name()] = &attribute;
  for (const auto& attribute : node.attribute()) call.attributes[attribute.name()] = &attribute;
  ImportScope inner(std::move(call), scope_.own_name(node.name().empty() ? node.output(0) : node.name()) + "/", opset, read);
  for (int i = 0; i < function.input_size(); ++i) {
    const std::string& formal = function.input(i);
    const bool given = i < node.input_size() && !node.input(i).empty();
    const SharedTensor tensor = given ? scope_.tensor(node.input(i)) : nullptr;
    if (given && tensor->label.empty()) tensor->label = scope_.own_name(node.input(i));
    const bool fresh = given ? inner.add(formal, tensor) : inner.leave_out(formal);
    if (!fresh) return invalid_argument("function '" + shown(function.name()) + "' has the input '" + shown(formal) + "' twice");
  }
  return inner;
}

Status FunctionCalls::read(const NodeProto& node, const FunctionProto& function) {
  const std::string called = "function '" + shown(function.name()) + "'";
  if (std::find(under_way_.begin(), under_way_.end(), &function) != under_way_.end()) {
    return invalid_argument("calls " + called + ", which is being called already: a function may not call itself");
  }
  if (under_way_.size() == kDeepestCall) {
    return invalid_argument("calls " + called + ", the " + std::to_string(kDeepestCall + 1) + "th within each other");
  }
  if (node.input_size() > function.input_size() || node.output_size() > function.output_size()) {
    return invalid_argument("does not fit " + called + ", which has " + std::to_string(function.input_size()) + " inputs and " +
                            std::to_string(function.output_size()) + " outputs");
  }
  FL_TRY_VOID(spend(function.ByteSizeLong() + node.ByteSizeLong()));
  FL_TRY(ImportScope inner, scope_of(node, function));
  const std::size_t first_value = imported_.graph().values().size();
  std::swap(scope_, inner);
  under_way_.push_back(&function);
  const Status read = reader_.read(function.node());
  under_way_.pop_back();
  std::swap(scope_, inner);
  FL_TRY_VOID(read);
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    if (inner.find(function.output(i)) == nullptr) {
      return invalid_argument(called + " makes nothing called '" + shown(function.output(i)) + "', which is its output");
    }
    FL_TRY_VOID(reader_.hand_out(node, i, inner.tensor(function.output(i)), first_value));
  }
  return Status();
}

}  // namespace fuselab::onnx
