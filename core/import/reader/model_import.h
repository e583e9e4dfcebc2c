// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>

#include "core/import/reader/body_weights.h"
#include "core/import/reader/declarations.h"
#include "core/import/reader/import_scope.h"
#include "core/import/reader/imported_graph.h"
#include "core/import/reader/node_reader.h"

namespace fuselab::onnx {

// Reads one model: what it declares, then its nodes. Used once; borrows the model.
class ModelImport {
 public:
  // `folder` holds the model's other files. `extents` are those of symbols that are numbers from the
  // beginning, `numbers` what small inputs of whole numbers will hold.
  ModelImport(const ModelProto& model, Translate translate, ModelFolder folder, Bindings extents = {},
              Weights weights = Weights::kShapesAlone, InputNumbers numbers = {})
      : model_(model),
        imported_(scope_, weights, std::move(folder)),
        declarations_(model, std::move(extents), std::move(numbers), scope_, imported_),
        weights_(scope_, imported_),
        reader_(model, translate, scope_, imported_, declarations_, weights_) {}
  ModelImport(const ModelImport&) = delete;
  ModelImport& operator=(const ModelImport&) = delete;

  Result<ImportedModel> run();

 private:
  Status read_outputs();
  // `named`: the outputs so far, since the first name that the file gives a value is its own.
  void add_output(const std::string& name, std::set<ValueId>& named);

  const ModelProto& model_;
  ImportScope scope_;
  ImportedGraph imported_;
  Declarations declarations_;
  BodyWeights weights_;
  NodeReader reader_;
};

}  // namespace fuselab::onnx
