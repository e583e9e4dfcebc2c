// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/import/constants/named_tensor.h"
#include "core/import/reader/import_notes.h"
#include "core/import/reader/import_scope.h"
#include "core/import/wire/external_data.h"
#include "core/import/wire/imported_model.h"

namespace fuselab::onnx {

// The graph that a model becomes: its values and the weights behind them, and what is counted and noted meanwhile.
class ImportedGraph {
 public:
  struct Counts {
    int nodes = 0, opaque_nodes = 0;
    int loops = 0, trips = 0;  // written out
    int folded_constants = 0;
    int passed_on = 0;  // to their readers, under another name
  };

  // Borrows the scope, by which values are named.
  ImportedGraph(const ImportScope& scope, Weights weights, ModelFolder folder)
      : scope_(scope), weights_(weights), files_(std::move(folder)) {}

  Graph& graph() { return model_.graph; }
  ImportNotes& notes() { return notes_; }
  ExternalFiles& files() { return files_; }
  Counts& counts() { return counts_; }
  bool reads_weights() const { return weights_ == Weights::kRead; }
  void set_name(std::string name) { model_.name = std::move(name); }

  // Returns a Constant for one number.
  ValueId constant(double number, DType dtype);
  // Returns the value of a tensor: computed, an input, a param or a Constant.
  // It joins the graph when it is first read.
  ValueId value_of(const SharedTensor& tensor, const std::string& name);
  ValueId add_input(const std::string& name, const TensorType& type, ValueOrigin origin);
  // Adds an operator that was not understood.
  NodeId add_opaque(const NodeProto& node, const std::string& because, std::vector<ValueId> inputs, std::vector<TensorType> types);
  void add_either(EitherBranch either);
  // Notes an operator that is none any more: "Shape 's' folded: …".
  void note_fold(std::string text);
  // Counts a constant that is to be made of few numbers of the file.
  Status spend_generated(const TensorType& type);

  // Leaves out what no output needs, and returns the model.
  Result<ImportedModel> finish();

  // What is read on trial, and taken back unless it is kept.
  class Trial {
   public:
    explicit Trial(ImportedGraph& imported);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    void keep();
    void take_back();

   private:
    ImportedGraph& imported_;
    bool is_over_ = false;
    // What reading adds lies at the end of something: taking back is cutting off.
    Graph::Mark graph_;
    Counts counts_;
    ImportNotes::Mark notes_;
    std::size_t either_, folds_, opaque_types_, joined_;
  };

 private:
  void add_value(Tensor& tensor, const std::string& name);
  // Returns the name, or where another param or input has it, one that none has.
  std::string unique_param_name(const std::string& name);
  // Reads the numbers of a param that has just become an input of the graph.
  void read_weights(const Tensor& tensor);

  const ImportScope& scope_;
  Weights weights_;
  ExternalFiles files_;
  ImportedModel model_;
  Counts counts_;
  ImportNotes notes_;
  std::unordered_map<std::string, int> param_names_;  // with the last number that was put behind each
  Names undefined_;                                   // params whose numbers neither the file nor its description gives
  std::int64_t generated_bytes_ = 0;                  // of constants that are made, where weights are read
  int trials_ = 0;                                    // that have neither been kept nor taken back
  std::vector<SharedTensor> joined_;                  // tensors that joined the graph since the first of these trials
};

}  // namespace fuselab::onnx
