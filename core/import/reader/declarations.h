// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/import/reader/import_scope.h"
#include "core/import/reader/imported_graph.h"
#include "core/import/wire/symbol_names.h"

namespace fuselab::onnx {

// What a model declares of its operators, inputs and types, and whether the nodes keep to it.
class Declarations {
 public:
  // `extents` are those of symbols that are numbers from the beginning, `numbers` what small inputs of whole numbers will hold.
  Declarations(const ModelProto& model, Bindings extents, InputNumbers numbers, ImportScope& scope, ImportedGraph& imported)
      : model_(model), extents_(std::move(extents)), numbers_(std::move(numbers)), scope_(scope), imported_(imported) {}

  using Opsets = google::protobuf::RepeatedPtrField<OperatorSetIdProto>;
  // Returns the version of ONNX's own operators; 0: the file declares none.
  Result<int> opset_of(const Opsets& opsets);
  // Keeps the names of symbols that are words already from becoming those of others.
  void keep_symbols();
  // Requires that the graph's weights are declared.
  Status declare_inputs();
  Result<TensorType> declared_type(const ValueInfoProto& info);
  // Fails when a declared type contradicts the type that was found for the name.
  Status check(const ValueInfoProto& info, const std::string& role);
  // Checks the inputs, and what the file says of values between them and the outputs.
  Status check_all();

 private:
  // Returns what is known of an input beforehand; nothing where no number was given for it, or none that it can hold.
  std::optional<KnownTensor> known_input(const std::string& name, const TensorType& type) const;
  Dim bound(const Dim& symbol) const;

  const ModelProto& model_;
  Bindings extents_;
  InputNumbers numbers_;
  ImportScope& scope_;
  ImportedGraph& imported_;
  SymbolNames symbols_;
};

}  // namespace fuselab::onnx
