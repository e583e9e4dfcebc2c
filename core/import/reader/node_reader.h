// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/import/reader/body_weights.h"
#include "core/import/reader/branch_reader.h"
#include "core/import/reader/declarations.h"
#include "core/import/reader/function_calls.h"
#include "core/import/reader/import_scope.h"
#include "core/import/reader/imported_graph.h"
#include "core/import/reader/loop_unroller.h"
#include "core/import/reader/translated.h"

namespace fuselab::onnx {

// Reads nodes one by one, in the file's order: those of the graph, and through it those of bodies and functions.
class NodeReader {
 public:
  // Many times what the largest model has; reading and cutting them takes seconds, and some hundreds of megabytes.
  static constexpr int kMostNodes = 250'000;

  NodeReader(const ModelProto& model, Translate translate, ImportScope& scope, ImportedGraph& imported, Declarations& declarations,
             BodyWeights& weights);

  // Constants of a Loop's body are read once for all of its trips.
  enum class Which { kAll, kConstants, kOthers };
  Status read(const Nodes& nodes, Which which = Which::kAll);
  Status index_functions() { return functions_.index(); }

  // These are for what is read in the place of a node.
  Status declare_weights(const GraphProto& body) { return weights_.declare(body, loops_.is_under_way()); }
  // Makes a node a barrier. `result` is the type of the first output, where the file says nothing.
  Status keep_opaque(const NodeProto& node, const std::string& because, const std::optional<TensorType>& result = std::nullopt);
  // Makes a node a barrier whose body was read and taken back.
  Status keep_opaque_after_all(const NodeProto& node, const std::string& because);
  Status add_barrier(const NodeProto& node, const std::string& because, std::vector<ValueId> inputs,
                     std::vector<std::optional<TensorType>> known_results);
  // Returns the types that the file declares for what a node makes.
  std::vector<std::optional<TensorType>> declared_results(const NodeProto& node);
  Status define(const NodeProto& node, int output, Tensor tensor);
  // Makes a tensor of a body an output of the node around it. A value that is new since `first_value` takes that output's name.
  Status hand_out(const NodeProto& node, int output, const SharedTensor& tensor, std::size_t first_value);

 private:
  Status read_node(const NodeProto& node);
  Status read_resolved(const NodeProto& node);
  Status read_operator(const NodeProto& node);
  std::string fold_label(const NodeProto& node) const;
  Status define_results(const NodeProto& node, Translated translated);
  // Defines the only output of a node whose result is known while importing.
  Status define_data(const NodeProto& node, Translated translated);

  Translate translate_;
  ImportScope& scope_;
  ImportedGraph& imported_;
  Declarations& declarations_;
  BodyWeights& weights_;
  LoopUnroller loops_;
  BranchReader branches_;
  FunctionCalls functions_;
  int nodes_ = 0;            // those of functions once for each call
  bool is_located_ = false;  // an error is being returned that names its place already
};

}  // namespace fuselab::onnx
