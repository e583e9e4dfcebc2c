// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/graph/graph.h"
#include "core/import/constants/generated_numbers.h"
#include "core/import/constants/known_tensor.h"

namespace fuselab::onnx {

// The tensor behind an ONNX name while a model is read.
struct Tensor {
  std::optional<ValueId> value;                            // in the graph, once a node computes with it
  std::optional<TensorType> type;                          // none: the file does not say, and only a barrier may read it
  std::optional<KnownTensor> known;                        // its numbers, when they are few
  ValueOrigin origin = ValueOrigin::kParam;                // its origin in the graph, set when it is first read
  std::optional<std::size_t> cause = {};                   // of ImportNotes: what left its type unknown
  std::string label = {};                                  // its original name, when a function reads it by another name
  bool has_numbers = false;                                // in the file, or in one beside it
  std::shared_ptr<const TensorProto> data = {};            // its numbers in the file, where it has them and weights are read
  std::shared_ptr<const GeneratedNumbers> generated = {};  // or how its numbers are made
  bool may_be_invented = false;                            // where the file declares it and lacks its numbers, or wants random ones
  std::optional<std::string> file = {};                    // where its numbers lie, if anywhere: see ImportedModel::weight_files
};

// Several names may stand for one tensor.
using SharedTensor = std::shared_ptr<Tensor>;

}  // namespace fuselab::onnx
