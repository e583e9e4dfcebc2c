// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/import/reader/declarations.h"
#include "core/import/reader/import_scope.h"
#include "core/import/reader/imported_graph.h"

namespace fuselab::onnx {

class NodeReader;

// Functions of the model, read in the place of the node that calls them.
class FunctionCalls {
 public:
  FunctionCalls(NodeReader& reader, const ModelProto& model, ImportScope& scope, ImportedGraph& imported,
                Declarations& declarations)
      : reader_(reader), model_(model), scope_(scope), imported_(imported), declarations_(declarations) {}

  // Finds the model's functions. Fails when one is there twice.
  Status index();
  // Returns the function that a node calls, or null.
  const FunctionProto* function_of(const NodeProto& node) const;
  Status read(const NodeProto& node, const FunctionProto& function);
  // Returns a node of a function as the call means it; nothing where it means what the file says.
  Result<std::optional<NodeProto>> resolved(const NodeProto& node);

 private:
  Result<ImportScope> scope_of(const NodeProto& node, const FunctionProto& function);
  bool needs_resolving(const NodeProto& node) const;
  Status spend(std::size_t size);

  NodeReader& reader_;
  const ModelProto& model_;
  ImportScope& scope_;
  ImportedGraph& imported_;
  Declarations& declarations_;
  std::map<std::array<std::string, 3>, const FunctionProto*> functions_;  // by domain, name and overload
  std::unordered_map<const FunctionProto*, std::shared_ptr<const Names>> read_by_;
  std::vector<const FunctionProto*> under_way_;  // outermost first
  std::size_t spent_ = 0;                        // bytes of bodies, about
};

}  // namespace fuselab::onnx
