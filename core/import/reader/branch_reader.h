// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/import/reader/import_scope.h"
#include "core/import/reader/imported_graph.h"

namespace fuselab::onnx {

class LoopUnroller;
class NodeReader;

// An If is read as the branch that it takes, where that is known. Else both branches are read, and its condition chooses.
class BranchReader {
 public:
  static constexpr std::string_view kAttributes = "else_branch:g then_branch:g";  // see node_attributes.h

  BranchReader(NodeReader& reader, ImportScope& scope, ImportedGraph& imported, const LoopUnroller& loops)
      : reader_(reader), scope_(scope), imported_(imported), loops_(loops) {}

  // Returns the branch that an If takes, when its condition is known; else null.
  const GraphProto* known_branch(const NodeProto& node) const;
  Status read(const NodeProto& node, const GraphProto& branch);
  bool may_take_either(const NodeProto& node) const;
  Status read_either(const NodeProto& node);

 private:
  using Results = std::vector<SharedTensor>;
  // One of the branches of an If whose condition is computed.
  struct Side {
    Results results;
    BranchCounts counts;
  };

  // `path` names the branch's nodes.
  Result<Results> results_of(const NodeProto& node, const GraphProto& branch, const std::string& path);
  Result<Side> read_side(const NodeProto& node, bool taken);
  Status define_either(const NodeProto& node, const Side& yes, const Side& no);
  // Returns false where no operator of ours chooses between such tensors.
  Result<bool> choose_between(const NodeProto& node, ValueId condition, const std::vector<ValueId>& of_yes,
                              const std::vector<ValueId>& of_no);

  NodeReader& reader_;
  ImportScope& scope_;
  ImportedGraph& imported_;
  const LoopUnroller& loops_;
  int sides_read_ = 0;
};

}  // namespace fuselab::onnx
