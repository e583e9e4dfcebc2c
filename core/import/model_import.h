// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/import/known_tensor.h"
#include "core/import/onnx_import.h"
#include "core/import/symbol_names.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {

// What an ONNX name stands for while a model is read.
struct Tensor {
  std::optional<ValueId> value;              // in the graph, once somebody computes with it
  std::optional<TensorType> type;            // none: the file does not say, and only a barrier may read it
  std::optional<KnownTensor> known;          // its numbers, when they are few
  ValueOrigin origin = ValueOrigin::kParam;  // what it becomes when it is first read
};

// What became of one ONNX node.
struct Translated {
  std::vector<ValueId> values;       // one per output, leading ones
  std::optional<KnownTensor> known;  // or its only output, folded
  std::optional<TensorType> param;   // or its only output, random or constant data
  std::string opaque_because;        // or why it is not understood
  std::optional<TensorType> result;  // then its first output's type where ONNX tells it and the file need not

  static Translated opaque(std::string because) {
    Translated translated;
    translated.opaque_because = std::move(because);
    return translated;
  }
  static Translated unknown_attribute(const std::string& name) { return opaque("its attribute '" + name + "' is not known"); }
  static Translated of(ValueId value) {
    Translated translated;
    translated.values = {value};
    return translated;
  }
};

// Reads one model, node by node in the file's order. Used once; borrows the model.
class ModelImport {
 public:
  explicit ModelImport(const ModelProto& model) : model_(model) {}
  Result<ImportedModel> run();

  // For the translators of single operators. Opset 0: the file declares none of ONNX's own.
  int opset() const { return opset_; }
  Graph& graph() { return result_.graph; }
  const Tensor* find(const std::string& name) const;
  // Whether a node or an output of the graph reads a name.
  bool is_read(const std::string& name) const { return read_.count(name) != 0; }
  // The value of a name in the graph: computed, an input, a param or a Constant.
  ValueId materialize(const std::string& name);
  // A Constant for one number.
  ValueId constant(double number, DType dtype);

 private:
  Status read_opset();
  Status declare_inputs();
  Status declare_initializers();
  Status declare_sparse_initializers();
  Status declare_types();
  void find_read_names();
  Result<TensorType> declared_type(const ValueInfoProto& info);
  void keep_symbols();
  Status import_node(const NodeProto& node);
  Status define(const NodeProto& node, int output, Tensor tensor);
  // `result`: of the first output, where the file says nothing.
  Status keep_opaque(const NodeProto& node, const std::string& because, std::optional<TensorType> result = std::nullopt);
  // An error when a declared type contradicts what the name turned out to be.
  Status check_declared(const ValueInfoProto& info, const std::string& role) const;
  Status finish();
  std::string label(const NodeProto& node) const;  // "node 'x'", or "node 17 (Add)" where it has no name

  const ModelProto& model_;
  int opset_ = 0;
  int position_ = 0;  // of the node being read
  std::unordered_map<std::string, Tensor> tensors_;
  std::unordered_map<std::string, const ValueInfoProto*> declared_;
  std::unordered_set<std::string> read_;
  SymbolNames symbols_;
  ImportedModel result_;
};

// A name from the file for messages and for the graph: printable, and not longer than a line.
std::string shown(const std::string& name);

}  // namespace fuselab::onnx
