// SPDX-License-Identifier: Apache-2.0
// An If is read as the branch that it takes, where that is known; else both branches are read, and its condition chooses.
#include <algorithm>
#include <utility>

#include "core/import/wire/model_import.h"
#include "core/import/wire/node_attributes.h"

namespace fuselab::onnx {
namespace {

constexpr int kDeepestBranch = 32;

}  // namespace

bool ModelImport::is_known_if(const NodeProto& node) const {
  return node.op_type() == "If" && is_standard(node.domain()) && scope_.opset != 0 && node.input_size() == 1 &&
         attribute_beyond_onnx(node, scope_.opset, kIfAttributes).empty();
}

const GraphProto* ModelImport::branch_of(const NodeProto& node, bool taken) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == (taken ? "then_branch" : "else_branch") && attribute.has_g()) return &attribute.g();
  }
  return nullptr;
}

const GraphProto* ModelImport::known_branch(const NodeProto& node) const {
  if (!is_known_if(node)) return nullptr;
  const Tensor* condition = find(node.input(0));
  const auto taken = condition != nullptr && condition->known ? condition->known->scalar() : std::nullopt;
  if (!taken || condition->known->dtype != DType::kBool) return nullptr;
  return branch_of(node, *taken != 0);
}

Result<std::vector<std::shared_ptr<Tensor>>> ModelImport::read_branch(const NodeProto& node, const GraphProto& branch) {
  if (scope_.branches == kDeepestBranch) {
    return invalid_argument("lies within " + std::to_string(kDeepestBranch) + " others of its kind");
  }
  if (branch.input_size() != 0) return invalid_argument("its branch has inputs, which a branch may not have");
  if (branch.output_size() != node.output_size()) {
    return invalid_argument("has " + std::to_string(node.output_size()) + " outputs, and its branch " +
                            std::to_string(branch.output_size()));
  }
  const std::size_t made_before = scope_.made.size();
  const int position = scope_.position;
  ++scope_.branches;
  FL_TRY_VOID(declare_initializers(branch));
  FL_TRY_VOID(declare_sparse_initializers(branch));
  FL_TRY_VOID(import_nodes(branch.node()));
  scope_.position = position;
  std::vector<std::shared_ptr<Tensor>> results;
  for (const auto& output : branch.output()) {
    const auto made = scope_.tensors.find(output.name());
    if (made == scope_.tensors.end()) {
      return invalid_argument("its branch makes nothing called '" + shown(output.name()) + "', which is its output");
    }
    results.push_back(made->second);
  }
  --scope_.branches;
  forget_names(made_before);
  return results;
}

Status ModelImport::import_branch(const NodeProto& node, const GraphProto& branch) {
  const std::size_t first_value = graph().values().size();
  FL_TRY(auto results, read_branch(node, branch));
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    const auto& value = results[static_cast<std::size_t>(i)]->value;
    if (value && index_of(*value) >= first_value && graph().value(*value).producer)
      graph().set_value_name(*value, own_name(node.output(i)));
    FL_TRY_VOID(adopt(node.output(i), std::move(results[static_cast<std::size_t>(i)])));
  }
  return Status();
}

bool ModelImport::may_take_either(const NodeProto& node) const {
  if (!is_known_if(node) || branch_of(node, true) == nullptr || branch_of(node, false) == nullptr) return false;
  const auto condition = find(node.input(0));
  if (condition == nullptr) return false;  // it has an empty name
  const auto& type = condition->type;
  const bool single = type && std::all_of(type->shape.begin(), type->shape.end(), [](const Dim& dim) { return dim == Dim(1); });
  return single && type->dtype == DType::kBool;
}

Result<ModelImport::Side> ModelImport::read_side(const NodeProto& node, bool taken) {
  const std::size_t first_node = graph().nodes().size();
  const int nodes = result_.nodes, barriers = result_.opaque_nodes;
  const std::string path = scope_.path;
  scope_.path += shown(node.name().empty() ? node.output(0) : node.name()) + (taken ? "/then/" : "/else/");
  Side side;
  FL_TRY(side.results, read_branch(node, *branch_of(node, taken)));
  scope_.path = path;
  side.counts = {result_.nodes - nodes, result_.opaque_nodes - barriers};
  const int branch = ++branches_read_;
  for (std::size_t i = first_node; i < graph().nodes().size(); ++i) {
    int& own = graph().node(NodeId(static_cast<std::uint32_t>(i))).annotation.branch;
    if (own == 0) own = branch;
  }
  return side;
}

Status ModelImport::import_either(const NodeProto& node) {
  const Attempt attempt = begin_attempt();
  Result<Side> yes = read_side(node, true);
  Result<Side> no = yes.ok() ? read_side(node, false) : Result<Side>(Side());
  if (yes.ok() && no.ok()) {
    keep(attempt);
    return define_either(node, yes.value(), no.value());
  }
  const Error error = yes.ok() ? no.error() : yes.error();
  // The loops around it are given up, and this with them.
  if (!refused_.empty()) return error;
  take_back(attempt);
  return keep_opaque(
      node, "which of its branches it takes is computed, and one of them does not hold together: " + error.message.substr(0, 400));
}

Status ModelImport::define_either(const NodeProto& node, const Side& yes, const Side& no) {
  constexpr std::size_t kMostListed = 1000;  // a list for people
  if (result_.imported.either.size() < kMostListed) result_.imported.either.push_back({label(node), yes.counts, no.counts});
  std::vector<ValueId> of_yes, of_no;
  bool agree = true;
  for (std::size_t i = 0; i < yes.results.size(); ++i) {
    agree = agree && yes.results[i]->type && yes.results[i]->type == no.results[i]->type;
    for (const auto& [side, values] : {std::pair(&yes, &of_yes), std::pair(&no, &of_no)}) {
      Tensor& tensor = *side->results[i];
      if (!tensor.value && attempts_ > 0) materialized_.push_back(side->results[i]);
      values->push_back(value_of(tensor, node.output(static_cast<int>(i))));
    }
  }
  const ValueId condition = materialize(node.input(0));
  if (agree) {
    FL_TRY(const bool chosen, choose_between(node, condition, of_yes, of_no));
    if (chosen) return Status();
  }
  std::vector<ValueId> inputs{condition};
  inputs.insert(inputs.end(), of_yes.begin(), of_yes.end());
  inputs.insert(inputs.end(), of_no.begin(), of_no.end());
  std::vector<std::optional<TensorType>> types = declared_results(node);
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (yes.results[i]->type && yes.results[i]->type == no.results[i]->type) types[i] = yes.results[i]->type;
  }
  return add_barrier(node, "which of its branches it takes is computed, and what they give differs in type", std::move(inputs),
                     std::move(types));
}

Result<bool> ModelImport::choose_between(const NodeProto& node, ValueId condition, const std::vector<ValueId>& of_yes,
                                         const std::vector<ValueId>& of_no) {
  const Graph::Mark mark = graph().mark();
  const Shape& shape = graph().type(condition).shape;
  if (!shape.empty()) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    const auto single = graph().add_node(Op::kSqueeze, {condition}, {{"axes", axes}});
    if (!single.ok()) return false;
    condition = graph().node(single.value()).outputs.front();
  }
  std::vector<Tensor> chosen;
  for (std::size_t i = 0; i < of_yes.size(); ++i) {
    ValueId value = of_yes[i];
    if (value != of_no[i]) {
      const auto added = graph().add_node(Op::kWhere, {condition, of_yes[i], of_no[i]});
      if (!added.ok()) {
        graph().rewind(mark);
        return false;
      }
      value = graph().node(added.value()).outputs.front();
      if (!node.name().empty()) graph().node(added.value()).name = own_name(node.name());
      if (!node.output(static_cast<int>(i)).empty()) graph().set_value_name(value, own_name(node.output(static_cast<int>(i))));
    }
    Tensor tensor;
    tensor.value = value;
    tensor.type = graph().type(value);
    chosen.push_back(std::move(tensor));
  }
  ++result_.nodes;
  for (std::size_t i = 0; i < chosen.size(); ++i) FL_TRY_VOID(define(node, static_cast<int>(i), std::move(chosen[i])));
  return true;
}

}  // namespace fuselab::onnx
