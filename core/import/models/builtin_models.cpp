// SPDX-License-Identifier: Apache-2.0
#include "core/import/models/builtin_models.h"

#include "core/import/models/builtin_graphs.h"

namespace fuselab {
namespace {

struct Entry {
  BuiltinModel model;
  onnx::OnnxWriter (*build)();
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> kEntries = {
      {{"resnet50", "ResNet-50, 224×224 images", {{{"batch", 1}}}}, onnx::resnet50},
      {{"bert-layer", "one encoder layer of BERT-base", {{{"batch", 1}, {"seq", 128}}}}, onnx::bert_layer},
      {{"llama-layer", "one decoder layer in the manner of Llama, hidden 2048, whole prompt", {{{"seq", 128}}}}, onnx::llama_layer},
      {{"llama-decode", "the same decoder layer for one new token beside 127 cached ones", {{}}}, onnx::llama_decode},
  };
  return kEntries;
}

}  // namespace

std::span<const BuiltinModel> builtin_models() {
  static const std::vector<BuiltinModel> kModels = [] {
    std::vector<BuiltinModel> models;
    for (const Entry& entry : entries()) models.push_back(entry.model);
    return models;
  }();
  return kModels;
}

Status write_builtin_model(const std::string& id, const std::filesystem::path& file) {
  std::string known;
  for (const Entry& entry : entries()) {
    if (entry.model.id == id) return entry.build().write(file);
    known += (known.empty() ? "" : ", ") + entry.model.id;
  }
  return Error{ErrorCode::kNotFound, "there is no built-in model '" + id + "'; there are " + known};
}

}  // namespace fuselab
