// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/branch_reader.h"

#include <algorithm>
#include <utility>

#include "core/import/reader/loop_unroller.h"
#include "core/import/reader/node_attributes.h"
#include "core/import/reader/node_reader.h"

namespace fuselab::onnx {
namespace {

constexpr int kDeepestBranch = 32;

bool is_known_if(const NodeProto& node, int opset) {
  return node.op_type() == "If" && is_standard(node.domain()) && opset != 0 && node.input_size() == 1 &&
         attribute_beyond_onnx(node, opset, BranchReader::kAttributes).empty();
}

const GraphProto* branch_of(const NodeProto& node, bool taken) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == (taken ? "then_branch" : "else_branch") && attribute.has_g()) return &attribute.g();
  }
  return nullptr;
}

}  // namespace

const GraphProto* BranchReader::known_branch(const NodeProto& node) const {
  if (!is_known_if(node, scope_.opset())) return nullptr;
  const Tensor* condition = scope_.find(node.input(0));
  const auto taken = condition != nullptr && condition->known ? condition->known->scalar() : std::nullopt;
  if (!taken || condition->known->dtype != DType::kBool) return nullptr;
  return branch_of(node, *taken != 0);
}

Result<BranchReader::Results> BranchReader::results_of(const NodeProto& node, const GraphProto& branch, const std::string& path) {
  if (scope_.depth() == kDeepestBranch) {
    return invalid_argument("lies within " + std::to_string(kDeepestBranch) + " others of its kind");
  }
  if (branch.input_size() != 0) return invalid_argument("its branch has inputs, which a branch may not have");
  if (branch.output_size() != node.output_size()) {
    return invalid_argument("has " + std::to_string(node.output_size()) + " outputs, and its branch " +
                            std::to_string(branch.output_size()));
  }
  ImportScope::Body body(scope_);
  body.set_path(path);
  FL_TRY_VOID(reader_.declare_weights(branch));
  FL_TRY_VOID(reader_.read(branch.node()));
  Results results;
  for (const auto& output : branch.output()) {
    if (scope_.find(output.name()) == nullptr) {
      return invalid_argument("its branch makes nothing called '" + shown(output.name()) + "', which is its output");
    }
    results.push_back(scope_.tensor(output.name()));
  }
  return results;
}

Status BranchReader::read(const NodeProto& node, const GraphProto& branch) {
  const std::size_t first_value = imported_.graph().values().size();
  FL_TRY(const Results results, results_of(node, branch, ""));
  for (int i = 0; i < node.output_size(); ++i)
    FL_TRY_VOID(reader_.hand_out(node, i, results[static_cast<std::size_t>(i)], first_value));
  return Status();
}

bool BranchReader::may_take_either(const NodeProto& node) const {
  if (!is_known_if(node, scope_.opset()) || branch_of(node, true) == nullptr || branch_of(node, false) == nullptr) return false;
  const auto condition = scope_.find(node.input(0));
  if (condition == nullptr) return false;  // it has an empty name
  const auto& type = condition->type;
  const bool single = type && std::all_of(type->shape.begin(), type->shape.end(), [](const Dim& dim) { return dim == Dim(1); });
  return single && type->dtype == DType::kBool;
}

Result<BranchReader::Side> BranchReader::read_side(const NodeProto& node, bool taken) {
  Graph& graph = imported_.graph();
  const std::size_t first_node = graph.nodes().size();
  const ImportedGraph::Counts before = imported_.counts();
  const std::string path = shown(node.name().empty() ? node.output(0) : node.name()) + (taken ? "/then/" : "/else/");
  Side side;
  FL_TRY(side.results, results_of(node, *branch_of(node, taken), path));
  const ImportedGraph::Counts& now = imported_.counts();
  side.counts = {now.nodes - before.nodes, now.opaque_nodes - before.opaque_nodes};
  ++sides_read_;
  for (std::size_t i = first_node; i < graph.nodes().size(); ++i) {
    int& own = graph.node(NodeId(static_cast<std::uint32_t>(i))).annotation.branch;
    if (own == 0) own = sides_read_;
  }
  return side;
}

Status BranchReader::read_either(const NodeProto& node) {
  ImportedGraph::Trial trial(imported_);
  Result<Side> yes = read_side(node, true);
  Result<Side> no = yes.ok() ? read_side(node, false) : Result<Side>(Side());
  if (yes.ok() && no.ok()) {
    trial.keep();
    return define_either(node, yes.value(), no.value());
  }
  const Error error = yes.ok() ? no.error() : yes.error();
  // The loops around it are given up, and this with them.
  if (loops_.is_given_up()) return error;
  trial.take_back();
  return reader_.keep_opaque_after_all(
      node, "which of its branches it takes is computed, and one of them does not hold together: " + error.message.substr(0, 400));
}

Status BranchReader::define_either(const NodeProto& node, const Side& yes, const Side& no) {
  imported_.add_either({scope_.label(node), yes.counts, no.counts});
  std::vector<ValueId> of_yes, of_no;
  bool agree = true;
  for (std::size_t i = 0; i < yes.results.size(); ++i) {
    agree = agree && yes.results[i]->type && yes.results[i]->type == no.results[i]->type;
    for (const auto& [side, values] : {std::pair(&yes, &of_yes), std::pair(&no, &of_no)}) {
      values->push_back(imported_.value_of(side->results[i], node.output(static_cast<int>(i))));
    }
  }
  const ValueId condition = imported_.value_of(scope_.tensor(node.input(0)), node.input(0));
  if (agree) {
    FL_TRY(const bool chosen, choose_between(node, condition, of_yes, of_no));
    if (chosen) return Status();
  }
  std::vector<ValueId> inputs{condition};
  inputs.insert(inputs.end(), of_yes.begin(), of_yes.end());
  inputs.insert(inputs.end(), of_no.begin(), of_no.end());
  std::vector<std::optional<TensorType>> types = reader_.declared_results(node);
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (yes.results[i]->type && yes.results[i]->type == no.results[i]->type) types[i] = yes.results[i]->type;
  }
  return reader_.add_barrier(node, "which of its branches it takes is computed, and what they give differs in type",
                             std::move(inputs), std::move(types));
}

Result<bool> BranchReader::choose_between(const NodeProto& node, ValueId condition, const std::vector<ValueId>& of_yes,
                                          const std::vector<ValueId>& of_no) {
  Graph& graph = imported_.graph();
  const Graph::Mark mark = graph.mark();
  const Shape& shape = graph.type(condition).shape;
  if (!shape.empty()) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    const auto single = graph.add_node(Op::kSqueeze, {condition}, {{"axes", axes}});
    if (!single.ok()) return false;
    condition = graph.node(single.value()).outputs.front();
  }
  std::vector<Tensor> chosen;
  for (std::size_t i = 0; i < of_yes.size(); ++i) {
    ValueId value = of_yes[i];
    if (value != of_no[i]) {
      const auto added = graph.add_node(Op::kWhere, {condition, of_yes[i], of_no[i]});
      if (!added.ok()) {
        graph.rewind(mark);
        return false;
      }
      value = graph.node(added.value()).outputs.front();
      if (!node.name().empty()) graph.node(added.value()).name = scope_.own_name(node.name());
      if (!node.output(static_cast<int>(i)).empty()) graph.set_value_name(value, scope_.own_name(node.output(static_cast<int>(i))));
    }
    Tensor tensor;
    tensor.value = value;
    tensor.type = graph.type(value);
    chosen.push_back(std::move(tensor));
  }
  ++imported_.counts().nodes;
  for (std::size_t i = 0; i < chosen.size(); ++i) FL_TRY_VOID(reader_.define(node, static_cast<int>(i), std::move(chosen[i])));
  return true;
}

}  // namespace fuselab::onnx
