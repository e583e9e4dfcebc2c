// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/import/reader/import_scope.h"
#include "core/import/reader/imported_graph.h"
#include "core/import/reader/translated.h"
#include "core/ops/op_attributes.h"

namespace fuselab::onnx {

// One ONNX node as its translator sees it: operands, attributes, and functions that add to the graph.
class NodeImport {
 public:
  NodeImport(const ImportScope& scope, ImportedGraph& imported, const NodeProto& node)
      : scope_(scope), imported_(imported), node_(node) {}

  const std::string& op() const { return node_.op_type(); }
  const NodeProto& proto() const { return node_; }
  int opset() const { return scope_.opset(); }

  // Operands: an empty name is an absent optional one. Operands beyond the last are absent.
  std::size_t input_count() const;  // without trailing absent ones
  bool has_input(std::size_t i) const { return i < input_count() && !name(i).empty(); }
  const TensorType& type(std::size_t i) const { return *scope_.find(name(i))->type; }
  const KnownTensor* known(std::size_t i) const;
  // Returns the integers of a known vector, or of a single number; nothing when one of its numbers is a symbol.
  std::optional<std::vector<std::int64_t>> integers(std::size_t i) const;
  // Returns a known shape, which may have symbols; null when the operand is none.
  const std::vector<Dim>* dims(std::size_t i) const;
  ValueId value(std::size_t i) { return imported_.value_of(scope_.tensor(name(i)), name(i)); }
  ValueId constant(double number, DType dtype) { return imported_.constant(number, dtype); }
  ExternalFiles& files() { return imported_.files(); }
  std::vector<ValueId> values();  // all operands; requires that none in the middle is absent
  // Returns true when a result of the node is an output of the model.
  bool is_output(int i) const { return i < node_.output_size() && scope_.is_output(node_.output(i)); }
  bool uses_output(int i) const { return i < node_.output_size() && scope_.is_read(node_.output(i)); }

  const AttributeProto* attribute(const std::string& name) const;
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
  std::optional<std::vector<std::int64_t>> integer_list(const std::string& name) const;
  // Tells people what was decided about this node.
  void note(std::string text) { imported_.notes().add(std::move(text)); }
  // Checks that lists and integers are of those kinds and that no attribute is given twice.
  Status check_attribute_kinds() const;
  // Returns the node's attributes that the operator knows. An attribute that it does not know would change its meaning; `unknown`
  // is then set to its name.
  Attributes attributes(Op op, std::string& unknown) const { return attributes(attributes_of(op), unknown); }
  Attributes attributes(std::span<const AttributeInfo> known, std::string& unknown) const;

  // Adds a node.
  // Fails when its operands do not fit.
  Result<NodeId> add(Op op, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId first_result(NodeId added) const { return imported_.graph().node(added).outputs.front(); }
  // Adds this node as one of our operators. It stays a barrier where symbols prevent the types from being inferred, or where its
  // element types are valid in ONNX but not here.
  Result<Translated> emit(Op op, std::vector<ValueId> inputs, const Attributes& attributes);

 private:
  const std::string& name(std::size_t i) const { return node_.input(static_cast<int>(i)); }

  const ImportScope& scope_;
  ImportedGraph& imported_;
  const NodeProto& node_;
};

}  // namespace fuselab::onnx
