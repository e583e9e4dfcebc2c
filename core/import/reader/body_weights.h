// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "core/import/reader/import_scope.h"
#include "core/import/reader/imported_graph.h"

namespace fuselab::onnx {

// The weights that lie in the file with the graph and with each body.
class BodyWeights {
 public:
  BodyWeights(ImportScope& scope, ImportedGraph& imported) : scope_(scope), imported_(imported) {}

  // `is_read_again`: the body lies within a Loop that is written out. It is read in every trip, and its weights are there once.
  Status declare(const GraphProto& body, bool is_read_again);

 private:
  Status declare_dense(const TensorProto& weight, bool is_read_again);
  Status declare_sparse(const SparseTensorProto& weight);
  Status add(const std::string& name, SharedTensor tensor);

  ImportScope& scope_;
  ImportedGraph& imported_;
  std::unordered_map<const TensorProto*, SharedTensor> read_before_;
};

}  // namespace fuselab::onnx
