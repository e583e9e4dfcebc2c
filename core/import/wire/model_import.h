// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/import/constants/generated_numbers.h"
#include "core/import/wire/external_data.h"
#include "core/import/wire/imported_model.h"
#include "core/import/wire/symbol_names.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {

// Returns a name from the file for messages and for the graph: printable, and not longer than a line.
std::string shown(const std::string& name);
std::string op_name(const NodeProto& node);
// Returns true for the domain of ONNX's own operators.
bool is_standard(const std::string& domain);

// The tensor behind an ONNX name while a model is read.
struct Tensor {
  std::optional<ValueId> value;                            // in the graph, once a node computes with it
  std::optional<TensorType> type;                          // none: the file does not say, and only a barrier may read it
  std::optional<KnownTensor> known;                        // its numbers, when they are few
  ValueOrigin origin = ValueOrigin::kParam;                // its origin in the graph, set when it is first read
  std::optional<std::size_t> cause = {};                   // of causes_: what left its type unknown
  std::string label = {};                                  // its original name, when a function reads it by another name
  bool has_numbers = false;                                // in the file, or in one beside it
  std::shared_ptr<const TensorProto> data = {};            // its numbers in the file, where it has them and weights are read
  std::shared_ptr<const GeneratedNumbers> generated = {};  // or how its numbers are made
  bool may_be_invented = false;                            // where the file declares it and lacks its numbers, or wants random ones
  std::optional<std::string> file = {};                    // where its numbers lie, if anywhere: see ImportedModel::weight_files
};

using Names = std::unordered_set<std::string>;

// The meaning of names in the body that is being read: the graph, or a function, which sees no names around it.
struct Scope {
  std::unordered_map<std::string, std::shared_ptr<Tensor>> tensors;  // several names may stand for one tensor
  std::unordered_map<std::string, const ValueInfoProto*> declared;
  std::shared_ptr<const Names> read;
  const FunctionProto* function = nullptr;                            // none: the graph
  std::unordered_map<std::string, const AttributeProto*> attributes;  // set by a function's call, or its defaults
  Names absent;                                                       // optional inputs that a function's call leaves out
  std::string path;                                                   // path of calls, put before the names of nodes: "encoder/"
  int opset = 0;                                                      // 0: it declares none of ONNX's own operators
  int position = 0;                                                   // position of the node being read
  int branches = 0;                                                   // depth of nested bodies of If and Loop
  std::vector<std::string> made;                                      // names that cease to exist with the body that makes them
};

// The result of translating one ONNX node. One of the alternatives is set.
struct Translated {
  std::vector<ValueId> values;                             // one per output, from the first on
  std::optional<KnownTensor> known;                        // or: its only output, folded
  std::optional<TensorType> param;                         // or: the type of its only output, random or constant data
  const TensorProto* data = nullptr;                       // with param: its numbers in the file, where it has them
  std::shared_ptr<const GeneratedNumbers> generated = {};  // with param, or: how its numbers are made
  bool is_random = false;                                  // with param, or: it holds random numbers
  bool first_operand = false;                              // or: its only output is another name for its first operand
  std::string opaque_because;                              // or: why it is not understood
  std::optional<TensorType> result;  // with opaque_because: its first output's type where ONNX determines it and the file need not

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

// Translates one node; the translators of single operators are called through it.
using Translate = Result<Translated> (*)(NodeImport& node);

class ModelImport {
 public:
  // `folder` holds the model's other files. `extents` are those of symbols that are numbers from the
  // beginning, `numbers` what small inputs of whole numbers will hold.
  ModelImport(const ModelProto& model, Translate translate, ModelFolder folder, Bindings extents = {},
              Weights weights = Weights::kShapesAlone, InputNumbers numbers = {})
      : model_(model),
        translate_(translate),
        files_(std::move(folder)),
        extents_(std::move(extents)),
        numbers_(std::move(numbers)),
        weights_(weights) {}
  Result<ImportedModel> run();

  // These are for the translators of single operators. Opset 0 means that the file declares none of ONNX's own.
  int opset() const { return scope_.opset; }
  Graph& graph() { return result_.graph; }
  ExternalFiles& files() { return files_; }
  const Tensor* find(const std::string& name) const;
  // Returns true when a node or an output of the body reads a name.
  bool is_read(const std::string& name) const { return scope_.read->count(name) != 0; }
  // Returns true when a name of the body that is being read may be an output; in a function or a branch any name may.
  bool is_output(const std::string& name) const;
  // Returns the value of a name in the graph: computed, an input, a param or a Constant.
  ValueId materialize(const std::string& name);
  // Returns a Constant for one number.
  ValueId constant(double number, DType dtype);

  void note(std::string text);  // for people; of many, the later ones are counted

 private:
  using Nodes = google::protobuf::RepeatedPtrField<NodeProto>;
  using Opsets = google::protobuf::RepeatedPtrField<OperatorSetIdProto>;

  // model_declarations.cpp: declarations that come before the first node.
  Result<int> opset_of(const Opsets& opsets);
  Status declare_inputs();
  // Returns what is known of an input beforehand; nothing where no number was given for it, or none that it can hold.
  std::optional<KnownTensor> known_input(const std::string& name, const TensorType& type) const;
  Status declare_initializers(const GraphProto& body);
  Status declare_sparse_initializers(const GraphProto& body);
  Status declare(const std::string& name, Tensor tensor);
  void declare_types();
  void keep_symbols();
  Result<TensorType> declared_type(const ValueInfoProto& info);
  Dim bound(const Dim& symbol) const;
  // Fails when a declared type contradicts the type that was found for the name.
  Status check_declared(const ValueInfoProto& info, const std::string& role);
  Status check_all_declared();

  // model_import.cpp: reading node by node.
  enum class Which { kAll, kConstants, kOthers };  // constants of a Loop's body are read once for all of its trips
  Status import_nodes(const Nodes& nodes, Which which = Which::kAll);
  Status import_node(const NodeProto& node);
  Status read_node(const NodeProto& node);
  Status define_results(const NodeProto& node, Translated translated);
  ValueId value_of(Tensor& tensor, const std::string& name);
  // Returns the name, or where another param or input has it, one that none has.
  std::string unique_param_name(const std::string& name);
  // Reads the numbers of a param that has just become an input of the graph.
  void read_weights(const Tensor& tensor);
  // Counts a constant that is to be made of few numbers of the file.
  Status spend_generated(const TensorType& type);
  Status define(const NodeProto& node, int output, Tensor tensor);
  // Makes a name stand for a tensor, which may have other names as well.
  Status adopt(const std::string& name, std::shared_ptr<Tensor> tensor);
  // `result` is the type of the first output, where the file says nothing.
  Status keep_opaque(const NodeProto& node, const std::string& because, const std::optional<TensorType>& result = std::nullopt);
  // Returns the types that the file declares for what a node makes.
  std::vector<std::optional<TensorType>> declared_results(const NodeProto& node);
  Status add_barrier(const NodeProto& node, const std::string& because, std::vector<ValueId> inputs,
                     std::vector<std::optional<TensorType>> known_results);
  // `named`: the outputs so far, since the first name that the file gives a value is its own.
  void add_output(const std::string& name, std::set<ValueId>& named);
  Status finish();
  // Replaces operators that the file writes out as several nodes by single nodes, where fusion could not make one kernel of them.
  void recompose_written_out();
  // Leaves out the operators that no output needs: what runs a graph has no use for them.
  void leave_out_dead();
  void replace_graph(Graph now, const std::vector<std::optional<NodeId>>& moved);
  // Notes what leaves the types of its results unknown, and returns its place in causes_.
  std::size_t note_cause(std::string text);
  std::string label(const NodeProto& node) const;  // "node 'x'", or "node 17 (Add)" where it has no name
  std::string own_name(const std::string& name) const { return shown(scope_.path + name); }

  // model_attempts.cpp: what is read on trial, and taken back where it turns out not to be understood.
  struct Attempt {
    Graph::Mark graph;
    int nodes = 0, opaque_nodes = 0;
    int written_out = 0, trips = 0, folded = 0;
    std::size_t either = 0;
    std::size_t notes = 0, types = 0, causes = 0, notes_left_out = 0, names = 0, made = 0, calls = 0, materialized = 0, taken = 0;
    int position = 0, branches = 0, loops = 0;
    std::int64_t trips_around = 1;
    std::string path;
  };
  Attempt begin_attempt();
  void keep(const Attempt& attempt);
  // Requires that the scope is the one in which the attempt began.
  void take_back(const Attempt& attempt);
  // Ends the names that a body made.
  void forget_names(std::size_t made_before);

  // model_loops.cpp: loops whose trips are known, written out.
  struct KnownLoop {
    const GraphProto* body = nullptr;
    std::int64_t trips = 0;             // at most: its body may end it earlier
    bool has_count = false;             // else only its condition ends it
    std::shared_ptr<Tensor> condition;  // none: its body's conditions are ignored
    std::string because;                // why it is not written out; empty: it is
  };
  // Returns the body of a Loop that ONNX knows in this form.
  const GraphProto* loop_to_write_out(const NodeProto& node) const;
  Status check_loop(const NodeProto& node, const GraphProto& body) const;
  KnownLoop known_loop(const NodeProto& node, const GraphProto& body) const;
  Status import_loop(const NodeProto& node, const GraphProto& body);
  // Returns "", or why the loop is a barrier after all.
  Result<std::string> unroll(const NodeProto& node, const KnownLoop& loop);
  using Collected = std::vector<std::shared_ptr<Tensor>>;  // what each trip made, from the first on
  Status enter_trip(const KnownLoop& loop, std::int64_t trip, const std::shared_ptr<Tensor>& condition,
                    const std::vector<std::shared_ptr<Tensor>>& carried);
  Status leave_trip(const KnownLoop& loop, std::shared_ptr<Tensor>& condition, std::vector<std::shared_ptr<Tensor>>& carried,
                    std::vector<Collected>& collected);
  Result<std::string> define_loop(const NodeProto& node, std::vector<std::shared_ptr<Tensor>> carried,
                                  const std::vector<Collected>& collected, std::size_t first_value);
  // Returns the tensors of all trips as one with a new first axis; nothing where they do not fit together.
  std::shared_ptr<Tensor> stacked(const Collected& parts);
  // Returns why a loop is too large to be written out with those around it, or "".
  std::string too_large(const KnownLoop& loop) const;
  // Gives up the outermost of the loops that are being written out.
  Error give_up_loops();

  // model_branches.cpp: If.
  bool is_known_if(const NodeProto& node) const;
  static const GraphProto* branch_of(const NodeProto& node, bool taken);
  // Returns the branch that an If takes, when its condition is known.
  const GraphProto* known_branch(const NodeProto& node) const;
  Status import_branch(const NodeProto& node, const GraphProto& branch);
  Result<std::vector<std::shared_ptr<Tensor>>> read_branch(const NodeProto& node, const GraphProto& branch);
  // One of the branches of an If whose condition is computed.
  struct Side {
    std::vector<std::shared_ptr<Tensor>> results;
    BranchCounts counts;
  };
  bool may_take_either(const NodeProto& node) const;
  Status import_either(const NodeProto& node);
  Result<Side> read_side(const NodeProto& node, bool taken);
  Status define_either(const NodeProto& node, const Side& yes, const Side& no);
  // Returns false where no operator of ours chooses between such tensors.
  Result<bool> choose_between(const NodeProto& node, ValueId condition, const std::vector<ValueId>& of_yes,
                              const std::vector<ValueId>& of_no);

  // model_bodies.cpp: functions, read in place of the node.
  Status index_functions();
  const FunctionProto* function_of(const NodeProto& node) const;
  Status import_call(const NodeProto& node, const FunctionProto& function);
  Result<Scope> scope_of_call(const NodeProto& node, const FunctionProto& function);
  bool needs_resolving(const NodeProto& node) const;
  NodeProto resolved(const NodeProto& node) const;
  Status spend(std::size_t size);

  const ModelProto& model_;
  Translate translate_;
  ExternalFiles files_;
  Bindings extents_;
  InputNumbers numbers_;
  Weights weights_;
  Scope scope_;
  Names output_names_;  // outputs of the graph, whose number is only bounded by the file's size
  SymbolNames symbols_;
  ImportedModel result_;
  std::map<std::array<std::string, 3>, const FunctionProto*> functions_;  // by domain, name and overload
  std::unordered_map<const FunctionProto*, std::shared_ptr<const Names>> read_by_;
  std::vector<const FunctionProto*> calls_;            // calls that are being read, outermost first
  int branches_read_ = 0;                              // of If whose condition is computed
  std::size_t spent_ = 0;                              // budget spent on bodies
  int nodes_ = 0;                                      // nodes read, those of functions once for each call
  int attempts_ = 0;                                   // that have neither been kept nor taken back
  std::vector<std::shared_ptr<Tensor>> materialized_;  // since the first of these attempts
  std::vector<std::size_t> taken_along_;               // causes that took an operator along since then
  std::unordered_map<std::string, int> param_names_;   // with the last number that was put behind each
  std::unordered_map<const TensorProto*, std::shared_ptr<Tensor>> body_weights_;  // of bodies that are read more than once
  int loops_ = 0;                                                                 // that are being written out, within each other
  std::int64_t trips_around_ = 1;                                                 // product of their trips
  std::int64_t unrolled_ = 0;         // nodes read in trips of loops, those of what was taken back included
  std::int64_t unrolled_bytes_ = 0;   // of these nodes in the file
  std::int64_t unrolled_before_ = 0;  // the outermost of them began
  std::int64_t generated_bytes_ = 0;  // of constants that are made, where weights are read
  Names undefined_;                   // params whose numbers neither the file nor its description gives
  std::string refused_;               // why the outermost of these loops is a barrier after all
  std::size_t notes_left_out_ = 0;
  // What leaves types unknown, so that the operators behind it become barriers as well.
  struct Cause {
    std::optional<std::size_t> note;  // of result_.notes, while there was room
    int taken_along = 0;              // operators
  };
  std::vector<Cause> causes_;
  bool located_ = false;  // an error is being returned that names its place already
};

// Appends the names that a body's nodes read, including those of bodies within them.
void append_read_names(const google::protobuf::RepeatedPtrField<NodeProto>& nodes, std::vector<std::string>& names);
void append_body_names(const NodeProto& node, std::vector<std::string>& names);

}  // namespace fuselab::onnx
