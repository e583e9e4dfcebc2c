// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/import/constants/known_tensor.h"
#include "core/import/wire/external_data.h"
#include "core/import/wire/imported_model.h"
#include "core/import/wire/symbol_names.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {

// A name from the file for messages and for the graph: printable, and not longer than a line.
std::string shown(const std::string& name);
std::string op_name(const NodeProto& node);

// What an ONNX name stands for while a model is read.
struct Tensor {
  std::optional<ValueId> value;              // in the graph, once somebody computes with it
  std::optional<TensorType> type;            // none: the file does not say, and only a barrier may read it
  std::optional<KnownTensor> known;          // its numbers, when they are few
  ValueOrigin origin = ValueOrigin::kParam;  // what it becomes when it is first read
  std::string label = {};                    // what it is called where it comes from, when a function reads it by another name
};

using Names = std::unordered_set<std::string>;

// What names mean in the body that is being read: the graph, or a function, which sees nothing around it.
struct Scope {
  std::unordered_map<std::string, std::shared_ptr<Tensor>> tensors;  // several names may stand for one tensor
  std::unordered_map<std::string, const ValueInfoProto*> declared;
  std::shared_ptr<const Names> read;
  const FunctionProto* function = nullptr;                            // none: the graph
  std::unordered_map<std::string, const AttributeProto*> attributes;  // what a function's call gives, or its defaults
  Names absent;                                                       // optional inputs that a function's call leaves out
  std::string path;                                                   // of calls, before the names of nodes: "encoder/"
  int opset = 0;                                                      // 0: none of ONNX's own
  int position = 0;                                                   // of the node being read
  int branches = 0;                                                   // of If, within each other
  std::vector<std::string> made;                                      // names that end with the branch that makes them
};

// What became of one ONNX node.
struct Translated {
  std::vector<ValueId> values;       // one per output, leading ones
  std::optional<KnownTensor> known;  // or its only output, folded
  std::optional<TensorType> param;   // or its only output, random or constant data
  bool first_operand = false;        // or its only output is its first operand by another name
  std::string opaque_because;        // or why it is not understood
  std::optional<TensorType> result;  // then its first output's type where ONNX tells it and the file need not

  static Translated opaque(std::string because) {
    Translated translated;
    translated.opaque_because = std::move(because);
    return translated;
  }
  static Translated unknown_attribute(const std::string& name) { return opaque("its attribute '" + name + "' is not known"); }
  static Translated renamed_operand() {
    Translated translated;
    translated.first_operand = true;
    return translated;
  }
  static Translated of(ValueId value) {
    Translated translated;
    translated.values = {value};
    return translated;
  }
};

// Reads one model, node by node in the file's order. Used once; borrows the model.
class NodeImport;

// Says what a node means; the translators of single operators stand behind it.
using Translate = Result<Translated> (*)(NodeImport& node);

class ModelImport {
 public:
  // `folder`: where the model's other files are; empty: nowhere.
  // `extents`: of symbols that are numbers from the beginning.
  ModelImport(const ModelProto& model, Translate translate, std::filesystem::path folder, Bindings extents = {})
      : model_(model), translate_(translate), files_(std::move(folder)), extents_(std::move(extents)) {}
  Result<ImportedModel> run();

  // For the translators of single operators. Opset 0: the file declares none of ONNX's own.
  int opset() const { return scope_.opset; }
  Graph& graph() { return result_.graph; }
  ExternalFiles& files() { return files_; }
  const Tensor* find(const std::string& name) const;
  // Whether a node or an output of the body reads a name.
  bool is_read(const std::string& name) const { return scope_.read->count(name) != 0; }
  // Whether a name of the body that is being read may leave it: of a function or a branch any may.
  bool is_output(const std::string& name) const;
  // The value of a name in the graph: computed, an input, a param or a Constant.
  ValueId materialize(const std::string& name);
  // A Constant for one number.
  ValueId constant(double number, DType dtype);

 private:
  using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;
  using Opsets = google::protobuf::RepeatedPtrField<OperatorSetIdProto>;

  // model_declarations.cpp: what the file says before the first node.
  Result<int> opset_of(const Opsets& opsets);
  Status declare_inputs();
  Status declare_initializers(const GraphProto& body);
  Status declare_sparse_initializers(const GraphProto& body);
  Status declare(const std::string& name, Tensor tensor);
  void declare_types();
  void keep_symbols();
  Result<TensorType> declared_type(const ValueInfoProto& info);
  Dim bound(const Dim& symbol) const;
  // An error when a declared type contradicts what the name turned out to be.
  Status check_declared(const ValueInfoProto& info, const std::string& role) const;
  Status check_all_declared() const;

  // model_import.cpp: node by node.
  Status import_nodes(const Nodes& nodes);
  Status import_node(const NodeProto& node);
  Status read_node(const NodeProto& node);
  Status define_results(const NodeProto& node, Translated translated);
  Status define(const NodeProto& node, int output, Tensor tensor);
  // The name stands for that tensor, which another name may stand for, too.
  Status adopt(const std::string& name, std::shared_ptr<Tensor> tensor);
  // `result`: of the first output, where the file says nothing.
  Status keep_opaque(const NodeProto& node, const std::string& because, const std::optional<TensorType>& result = std::nullopt);
  Status finish();
  // Operators that the file writes out become one node each where fusion would leave them apart.
  void recompose_written_out();
  void note(std::string text);
  std::string label(const NodeProto& node) const;  // "node 'x'", or "node 17 (Add)" where it has no name
  std::string own_name(const std::string& name) const { return shown(scope_.path + name); }

  // model_bodies.cpp: functions and branches, read in the place of the node.
  Status index_functions();
  const FunctionProto* function_of(const NodeProto& node) const;
  // The branch that an If takes, when its condition is known.
  const GraphProto* known_branch(const NodeProto& node) const;
  Status import_call(const NodeProto& node, const FunctionProto& function);
  Result<Scope> scope_of_call(const NodeProto& node, const FunctionProto& function);
  Status import_branch(const NodeProto& node, const GraphProto& branch);
  bool needs_resolving(const NodeProto& node) const;
  NodeProto resolved(const NodeProto& node) const;
  Status spend(std::size_t size);

  const ModelProto& model_;
  Translate translate_;
  ExternalFiles files_;
  Bindings extents_;
  Scope scope_;
  Names output_names_;  // of the graph, which may have as many as the file has room for
  SymbolNames symbols_;
  ImportedModel result_;
  std::map<std::array<std::string, 3>, const FunctionProto*> functions_;  // by domain, name and overload
  std::unordered_map<const FunctionProto*, std::shared_ptr<const Names>> read_by_;
  std::vector<const FunctionProto*> calls_;  // that are being read, outermost first
  std::size_t spent_ = 0;                    // on bodies
  int nodes_ = 0;                            // read, those of functions once for each call
  std::size_t notes_left_out_ = 0;
  bool located_ = false;  // an error is on its way that says where
};

// What a body's nodes read, bodies within them included.
void append_read_names(const google::protobuf::RepeatedPtrField<NodeProto>& nodes, std::vector<std::string>& names);
void append_body_names(const NodeProto& node, std::vector<std::string>& names);

}  // namespace fuselab::onnx
