// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/import_scope.h"

namespace fuselab::onnx {

ImportScope::ImportScope(const GraphProto& graph, int opset) : opset_(opset) {
  std::vector<std::string> names;
  append_read_names(graph.node(), names);
  for (const auto& output : graph.output()) {
    names.push_back(output.name());
    outputs_.insert(output.name());
  }
  read_ = std::make_shared<const Names>(names.begin(), names.end());
  for (const auto& info : graph.value_info()) declared_[info.name()] = &info;
  for (const auto& info : graph.output()) declared_[info.name()] = &info;
}

const Tensor* ImportScope::find(const std::string& name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second.get();
}

bool ImportScope::add(const std::string& name, SharedTensor tensor) {
  if (!tensors_.emplace(name, std::move(tensor)).second) return false;
  if (depth_ > 0) made_.push_back(name);
  return true;
}

Status ImportScope::adopt(const std::string& name, SharedTensor tensor) {
  if (!add(name, std::move(tensor))) return invalid_argument("makes '" + shown(name) + "', which exists already");
  return Status();
}

bool ImportScope::is_output(const std::string& name) const {
  return in_function() || depth_ > 0 || outputs_.contains(name);
}

const ValueInfoProto* ImportScope::declared(const std::string& name) const {
  const auto found = declared_.find(name);
  return found == declared_.end() || depth_ > 0 ? nullptr : found->second;
}

std::string ImportScope::label(const NodeProto& node) const {
  const std::string inside = in_function() ? " of function '" + shown(call_.function->name()) + "'" : "";
  if (!node.name().empty()) return "node '" + shown(node.name()) + "'" + inside;
  return "node " + std::to_string(position_) + " (" + op_name(node) + ")" + inside;
}

void ImportScope::forget(std::size_t made_before) {
  for (std::size_t i = made_before; i < made_.size(); ++i) tensors_.erase(made_[i]);
  made_.resize(made_before);
}

ImportScope::Body::Body(ImportScope& scope)
    : scope_(scope),
      path_(scope.path_),
      position_(scope.position_),
      made_before_(scope.made_.size()),
      made_before_trip_(made_before_) {
  ++scope_.depth_;
}

ImportScope::Body::~Body() {
  --scope_.depth_;
  scope_.path_ = path_;
  scope_.position_ = position_;
  scope_.forget(made_before_);
}

}  // namespace fuselab::onnx
