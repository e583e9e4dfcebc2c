// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/imported_graph.h"

#include <algorithm>

#include "core/import/reader/finished_graph.h"
#include "core/import/wire/weight_data.h"

namespace fuselab::onnx {
namespace {

constexpr std::size_t kMostListed = 1000;  // of a list for people

}  // namespace

ValueId ImportedGraph::constant(double number, DType dtype) {
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

ValueId ImportedGraph::value_of(const SharedTensor& tensor, const std::string& name) {
  if (!tensor->value) {
    if (trials_ > 0) joined_.push_back(tensor);
    add_value(*tensor, name);
  }
  return *tensor->value;
}

void ImportedGraph::add_value(Tensor& tensor, const std::string& name) {
  const std::string label = tensor.label.empty() ? scope_.own_name(name) : tensor.label;
  const auto number = tensor.known && tensor.known->shape.empty() ? tensor.known->scalar() : std::nullopt;
  if (number) {
    tensor.value = constant(*number, tensor.known->dtype);
    return;
  }
  // Where its type is not known only barriers read it, and nothing is ever computed from it: any type will do.
  tensor.value = add_input(label, tensor.type.value_or(TensorType{DType::kF32, {}}), ValueOrigin::kParam);
  if (!tensor.type) return;
  const std::string& param = graph().value(*tensor.value).name;
  const bool described = tensor.known || tensor.generated;
  if (tensor.file || described) model_.weight_files.emplace(param, tensor.file.value_or(std::string()));
  const bool numbers = tensor.has_numbers || (tensor.known && (is_floating(tensor.known->dtype) || tensor.known->plain_integers()));
  if (numbers) model_.constants.insert(param);
  if (reads_weights()) read_weights(tensor);
}

ValueId ImportedGraph::add_input(const std::string& name, const TensorType& type, ValueOrigin origin) {
  return graph().add_input(unique_param_name(name), type, origin);
}

std::string ImportedGraph::unique_param_name(const std::string& name) {
  const auto [found, is_new] = param_names_.emplace(name, 1);
  if (is_new) return name;
  std::string wish;
  do wish = name + "_" + std::to_string(++found->second);
  while (param_names_.count(wish) != 0);
  param_names_.emplace(wish, 1);
  return wish;
}

void ImportedGraph::read_weights(const Tensor& tensor) {
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
  if (bytes) model_.weights.emplace(name, *std::move(bytes));
}

// A short file may describe more numbers than any memory holds.
Status ImportedGraph::spend_generated(const TensorType& type) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;  // as many as an ONNX file may hold
  if (!reads_weights()) return {};
  FL_TRY(const Bytes size, size_of(type));
  generated_bytes_ += std::min(size.count, kMostBytes + 1);
  if (generated_bytes_ <= kMostBytes) return {};
  return invalid_argument("makes " + type_text(type) + ": the constants that this model generates take more than 2 GiB");
}

NodeId ImportedGraph::add_opaque(const NodeProto& node, const std::string& because, std::vector<ValueId> inputs,
                                 std::vector<TensorType> types) {
  constexpr std::size_t kMostTypes = 64;  // a list for people
  const std::string name = op_name(node);
  const NodeId added = graph().add_opaque(name, std::move(inputs), std::move(types));
  if (!node.name().empty()) graph().node(added).name = scope_.own_name(node.name());
  model_.barriers[added] = because;
  ++counts_.nodes;
  ++counts_.opaque_nodes;
  auto& known_types = model_.opaque_types;
  if (known_types.size() < kMostTypes && std::find(known_types.begin(), known_types.end(), name) == known_types.end())
    known_types.push_back(name);
  return added;
}

void ImportedGraph::note_fold(std::string text) {
  if (model_.imported.fold_notes.size() < kMostListed) model_.imported.fold_notes.push_back(std::move(text));
}

void ImportedGraph::add_either(EitherBranch either) {
  if (model_.imported.either.size() < kMostListed) model_.imported.either.push_back(std::move(either));
}

Result<ImportedModel> ImportedGraph::finish() {
  model_.nodes = counts_.nodes;
  model_.opaque_nodes = counts_.opaque_nodes;
  model_.imported.loops = counts_.loops;
  model_.imported.trips = counts_.trips;
  model_.imported.folded_constants = counts_.folded_constants;
  model_.imported.passed_on = counts_.passed_on;
  leave_out_dead(model_, notes_);
  for (const ValueId input : graph().inputs()) {
    const std::string& name = graph().value(input).name;
    if (undefined_.contains(name))
      return invalid_argument("the numbers of '" + name + "' are not known, since they depend on extents without a number");
  }
  recompose_written_out(model_, notes_);
  for (std::string& text : files_.take_notes()) notes_.add(std::move(text));
  model_.notes = notes_.take();
  return std::move(model_);
}

ImportedGraph::Trial::Trial(ImportedGraph& imported)
    : imported_(imported),
      graph_(imported.graph().mark()),
      counts_(imported.counts_),
      notes_(imported.notes_.mark()),
      either_(imported.model_.imported.either.size()),
      folds_(imported.model_.imported.fold_notes.size()),
      opaque_types_(imported.model_.opaque_types.size()),
      joined_(imported.joined_.size()) {
  ++imported.trials_;
}

ImportedGraph::Trial::~Trial() {
  if (!is_over_) take_back();
}

void ImportedGraph::Trial::keep() {
  FL_ASSERT(!is_over_ && imported_.trials_ > 0);
  is_over_ = true;
  if (--imported_.trials_ == 0) imported_.joined_.clear();
}

void ImportedGraph::Trial::take_back() {
  Graph& graph = imported_.graph();
  ImportedModel& model = imported_.model_;
  for (std::size_t i = joined_; i < imported_.joined_.size(); ++i) imported_.joined_[i]->value.reset();
  imported_.joined_.resize(joined_);
  for (std::size_t i = graph_.inputs; i < graph.inputs().size(); ++i) {
    const std::string& name = graph.value(graph.inputs()[i]).name;
    model.weights.erase(name);
    model.constants.erase(name);
    model.weight_files.erase(name);
    imported_.param_names_.erase(name);
  }
  for (std::size_t i = graph_.nodes; i < graph.nodes().size(); ++i) model.barriers.erase(NodeId(static_cast<std::uint32_t>(i)));
  graph.rewind(graph_);
  imported_.counts_ = counts_;
  imported_.notes_.rewind(notes_);
  model.imported.either.resize(either_);
  model.imported.fold_notes.resize(folds_);
  model.opaque_types.resize(opaque_types_);
  keep();
}

}  // namespace fuselab::onnx
