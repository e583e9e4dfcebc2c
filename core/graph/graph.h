// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/content_hash.h"
#include "core/base/result.h"
#include "core/ops/op.h"
#include "core/types/attributes.h"
#include "core/types/tensor_type.h"

namespace fuselab {

// Index of a value in its graph. Stable while the graph lives.
enum class ValueId : std::uint32_t {};
inline std::size_t index_of(ValueId id) {
  return static_cast<std::size_t>(id);
}
enum class NodeId : std::uint32_t {};

enum class ValueOrigin {
  kInput,  // an activation: differs per call
  kParam,  // a weight: the same for every call, may be folded or packed ahead
  kNode,   // computed
};

struct Value {
  std::string name;
  TensorType type;
  ValueOrigin origin = ValueOrigin::kInput;
  std::optional<NodeId> producer;  // set when origin is kNode
};

// An instruction about fusing one operator (C26), written behind it in the text of a graph: `@NoFusion("why")` or
// `@Fusible(max_operations=4, priority=1)`. It affects how a graph is cut, not what it computes, so it is not part of the graph's
// key. The branch is the importer's, and not written.
struct FusionAnnotation {
  enum class Kind { kNone, kFusible, kNoFusion };

  Kind kind = Kind::kNone;
  std::string reason;      // for kNoFusion
  int max_operations = 0;  // for kFusible: most operators in a group with this one; 0: the options decide
  int priority = 0;        // for kFusible: operators with a higher priority are joined with their neighbours first
  int branch = 0;          // of an If whose condition is computed: operators of two branches share no piece; 0: of none

  bool none() const { return kind == Kind::kNone; }
};

struct Node {
  Op op = Op::kIdentity;
  std::vector<ValueId> inputs;  // absent optional inputs may only be trailing and are left out
  std::vector<ValueId> outputs;
  Attributes attributes;
  std::string name;                  // its name in the model ("/layer.0/attn/MatMul"); not part of the key
  std::string opaque_type;           // the unknown operator's name; only for Op::kOpaque
  FusionAnnotation annotation = {};  // not part of the key
};

// A typed DAG in single assignment: nodes are kept in a topological order, each value is made once.
// A value type; not thread-safe while being built.
class Graph {
 public:
  ValueId add_input(std::string name, TensorType type, ValueOrigin origin = ValueOrigin::kInput);

  // Appends a node and infers the types of its outputs (core/ops/infer.h). Fails with a description of the first mismatch.
  Result<NodeId> add_node(Op op, std::vector<ValueId> inputs, Attributes attributes = {},
                          std::vector<std::string> output_names = {});
  // Appends a barrier whose output types are known from elsewhere (ONNX value_info).
  NodeId add_opaque(std::string op_type, std::vector<ValueId> inputs, std::vector<TensorType> outputs,
                    std::vector<std::string> output_names = {});
  void add_output(ValueId value) { outputs_.push_back(value); }

  const std::vector<ValueId>& inputs() const { return inputs_; }  // inputs and params, in ABI order
  const std::vector<ValueId>& outputs() const { return outputs_; }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const Value> values() const { return values_; }
  const Node& node(NodeId id) const { return nodes_.at(static_cast<std::size_t>(id)); }
  Node& node(NodeId id) { return nodes_.at(static_cast<std::size_t>(id)); }
  const Value& value(ValueId id) const { return values_.at(static_cast<std::size_t>(id)); }
  const TensorType& type(ValueId id) const { return value(id).type; }

  // The end of what was added so far.
  struct Mark {
    std::size_t values = 0, nodes = 0, inputs = 0;
  };
  Mark mark() const { return {values_.size(), nodes_.size(), inputs_.size()}; }
  // Removes what was added since. Requires that none of it is an output, and that nobody keeps an id of it.
  void rewind(const Mark& mark);

  void set_value_name(ValueId id, std::string name) { values_.at(static_cast<std::size_t>(id)).name = std::move(name); }

  // Returns the nodes that read a value, in order; one entry per reading node.
  std::vector<NodeId> consumers(ValueId id) const;
  bool is_output(ValueId id) const;
  // Returns the names of the symbols that shapes use, also in formulas, sorted; empty when the graph is concrete.
  std::vector<std::string> symbols() const;
  bool is_concrete() const { return symbols().empty(); }

 private:
  friend Graph extract(const Graph& graph, std::span<const NodeId> nodes, const std::function<bool(ValueId)>& needed);

  ValueId add_value(Value value);
  NodeId append(Node node, std::vector<TensorType> types, std::vector<std::string> names);

  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
};

// Replaces symbols by extents and infers all types anew.
// Fails when a binding is missing, listing every missing name, and when a binding names no symbol.
// Call it qualified, as fuselab::bind: Bindings also attract std::bind.
Result<Graph> bind(const Graph& graph, const Bindings& bindings);

// Replaces those symbols that have a value here and keeps the others. Fails when a value is given for a name that is no symbol.
Result<Graph> bind_given(const Graph& graph, const Bindings& bindings);

// Returns the same graph over other leaves: `type_of_leaf` gives the type of each input, param and opaque output; all other types
// are inferred anew.
Result<Graph> retype(const Graph& graph, const std::function<Result<TensorType>(const Value&)>& type_of_leaf);

// Returns a new graph of only these nodes. Values that they read from outside become inputs (params stay params), in order of first
// use; values that are read outside or are outputs of the whole become outputs, in order of production. Constants that they read
// are copied in.
Graph extract(const Graph& graph, std::span<const NodeId> nodes);
// Does the same where the caller knows which values are read outside, so that cutting a graph into all its pieces takes linear
// time.
Graph extract(const Graph& graph, std::span<const NodeId> nodes, const std::function<bool(ValueId)>& needed);

}  // namespace fuselab
