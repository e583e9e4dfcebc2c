// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/model_import.h"

namespace fuselab::onnx {

Result<ImportedModel> ModelImport::run() {
  if (!model_.has_graph()) return invalid_argument("holds no graph: is it an ONNX model?");
  const GraphProto& main = model_.graph();
  if (main.node_size() > NodeReader::kMostNodes) {
    return invalid_argument("has " + std::to_string(main.node_size()) + " nodes, more than the " +
                            std::to_string(NodeReader::kMostNodes) + " that a model may have");
  }
  FL_TRY(const int opset, declarations_.opset_of(model_.opset_import()));
  imported_.set_name(shown(main.name()));
  FL_TRY_VOID(reader_.index_functions());
  scope_ = ImportScope(main, opset);
  declarations_.keep_symbols();
  FL_TRY_VOID(weights_.declare(main, false));
  FL_TRY_VOID(declarations_.declare_inputs());
  FL_TRY_VOID(reader_.read(main.node()));
  FL_TRY_VOID(read_outputs());
  return imported_.finish();
}

Status ModelImport::read_outputs() {
  if (model_.graph().output_size() == 0) return invalid_argument("its graph has no output");
  std::set<ValueId> named;
  for (const auto& output : model_.graph().output()) {
    if (scope_.find(output.name()) == nullptr) return invalid_argument("output '" + shown(output.name()) + "' is made by nothing");
    FL_TRY_VOID(declarations_.check(output, "output"));
    add_output(output.name(), named);
  }
  return declarations_.check_all();
}

// A reader of an output knows it by the file's name for it, which is another than that of its value where a branch, a function or
// an Identity hands it on.
void ModelImport::add_output(const std::string& name, std::set<ValueId>& named) {
  Graph& graph = imported_.graph();
  const ValueId value = imported_.value_of(scope_.tensor(name), name);
  const bool is_first = named.insert(value).second;
  if (graph.value(value).origin == ValueOrigin::kNode && is_first) graph.set_value_name(value, shown(name));
  graph.add_output(value);
}

}  // namespace fuselab::onnx
