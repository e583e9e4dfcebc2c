// SPDX-License-Identifier: Apache-2.0
// What ONNX itself says its operators compute, against the reference that judges our kernels: ONNX's node tests come with inputs
// and expected outputs.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "core/graph/reference.h"
#include "core/graph/tensor.h"
#include "core/import/model_import.h"
#include "onnx_subset.pb.h"

namespace fuselab {
namespace {

namespace fs = std::filesystem;

// Where Debian's libonnx-testdata puts the models that ONNX itself is tested with.
constexpr const char* kFolder = "/usr/share/libonnx-testdata/data/node";
// Of the 932 cases of version 1.12.
constexpr int kLeastCompared = 743;

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::optional<onnx::TensorProto> read_tensor(const fs::path& file) {
  onnx::TensorProto tensor;
  if (!fs::exists(file) || !tensor.ParseFromString(read_file(file))) return std::nullopt;
  return tensor;
}

// The numbers of a tensor in a file that our own types hold.
std::optional<RealTensor> numbers_of(const onnx::TensorProto& tensor, DType dtype) {
  TensorType type{dtype, {}};
  for (const std::int64_t extent : tensor.dims()) type.shape.emplace_back(extent);
  Result<RealTensor> numbers = unpack(type, std::as_bytes(std::span(tensor.raw_data())));
  return numbers.ok() ? std::optional<RealTensor>(std::move(numbers).value()) : std::nullopt;
}

// One case: a model and its first data set.
struct NodeCase {
  onnx::ModelProto model;
  std::map<std::string, onnx::TensorProto> inputs;
  std::vector<onnx::TensorProto> outputs;
};

std::optional<NodeCase> read_case(const fs::path& folder) {
  NodeCase test;
  if (!test.model.ParseFromString(read_file(folder / "model.onnx"))) return std::nullopt;
  const fs::path data = folder / "test_data_set_0";
  for (int i = 0; i < test.model.graph().input_size(); ++i) {
    auto tensor = read_tensor(data / ("input_" + std::to_string(i) + ".pb"));
    if (!tensor) return std::nullopt;
    test.inputs.emplace(test.model.graph().input(i).name(), std::move(*tensor));
  }
  for (int i = 0; i < test.model.graph().output_size(); ++i) {
    auto tensor = read_tensor(data / ("output_" + std::to_string(i) + ".pb"));
    if (!tensor) return std::nullopt;
    test.outputs.push_back(std::move(*tensor));
  }
  return test;
}

Result<ImportedModel> import_model(const onnx::ModelProto& model) {
  const std::string bytes = model.SerializeAsString();
  return import_onnx_bytes(std::as_bytes(std::span(bytes)), {});
}

// Axes, shapes and bounds are inputs in these files, constants in models. Those before `first` stay what they are.
onnx::ModelProto with_constant_operands(const NodeCase& test, onnx::ModelProto model, int first = 1) {
  for (int i = first; i < model.graph().input_size(); ++i) {
    const std::string& name = model.graph().input(i).name();
    onnx::TensorProto& constant = *model.mutable_graph()->add_initializer();
    constant = test.inputs.at(name);
    constant.set_name(name);
  }
  return model;
}

// Second results (masks, statistics, indices) are for training: operators that have them are understood without.
onnx::ModelProto with_first_result(onnx::ModelProto model) {
  auto& outputs = *model.mutable_graph()->mutable_output();
  outputs.DeleteSubrange(1, outputs.size() - 1);
  return model;
}

// A model in the form in which it was imported.
struct ImportedCase {
  onnx::ModelProto form;
  Result<ImportedModel> model;
};

// As the file has it, or else in a form that is understood. Steps towards what models look like; at last operators that make
// tensors of numbers, which are known altogether.
ImportedCase import_case(const NodeCase& test) {
  const onnx::ModelProto only_first = with_first_result(test.model);
  ImportedCase imported = {test.model, import_model(test.model)};
  for (const onnx::ModelProto& form : {with_constant_operands(test, test.model), only_first,
                                       with_constant_operands(test, only_first), with_constant_operands(test, test.model, 0)}) {
    if (imported.model.ok() && imported.model.value().opaque_nodes == 0) break;
    Result<ImportedModel> other = import_model(form);
    if (other.ok() && (!imported.model.ok() || other.value().opaque_nodes == 0)) imported = {form, std::move(other)};
  }
  return imported;
}

// What the importer folded, where it did.
std::optional<RealTensor> folded(const onnx::ModelProto& form, const std::string& name, const TensorType& type) {
  onnx::ModelImport import(form);
  if (!import.run().ok()) return std::nullopt;
  const onnx::Tensor* tensor = import.find(name);
  if (tensor == nullptr || !tensor->known) return std::nullopt;
  RealTensor numbers{type, tensor->known->reals};
  if (is_floating(type.dtype)) return numbers;
  const auto integers = tensor->known->plain_integers();
  if (!integers) return std::nullopt;
  numbers.data.assign(integers->begin(), integers->end());
  return numbers;
}

// ONNX's own test runner asks for as much. Version 1.12 cut what does not fit into bf16 off; we round to the nearest, as later ones
// do.
double relative_of(DType dtype) {
  return dtype == DType::kBF16 ? 0x1p-7 : 1e-3;
}

// "" when all values agree, else the first difference.
std::string difference(const RealTensor& expected, const RealTensor& actual) {
  if (expected.type != actual.type) return "is " + type_text(actual.type) + ", expected " + type_text(expected.type);
  for (std::size_t i = 0; i < expected.data.size(); ++i) {
    const double a = actual.data[i], e = expected.data[i];
    const bool same_special = (std::isnan(a) && std::isnan(e)) || a == e;
    if (same_special || std::fabs(a - e) <= 1e-5 + relative_of(expected.type.dtype) * std::fabs(e)) continue;
    return "at " + std::to_string(i) + ": " + std::to_string(a) + ", expected " + std::to_string(e);
  }
  return "";
}

struct Outcome {
  bool compared = false;
  std::string text;  // what differs; or why nothing was compared
};

Outcome skipped(std::string why) {
  return {false, std::move(why)};
}

// The first note without the name that it begins with.
std::string barrier_of(const ImportedModel& model) {
  const std::string& note = model.notes.front();
  const auto because = note.find(" is a barrier: ");
  return because == std::string::npos ? note.substr(note.rfind("' ") + 2) : note.substr(because + 4);
}

Outcome compare(const Graph& graph, const onnx::ModelProto& form, const NodeCase& test) {
  if (!graph.is_concrete()) return skipped("has symbols");
  std::vector<RealTensor> inputs;
  for (const ValueId input : graph.inputs()) {
    const auto given = test.inputs.find(graph.value(input).name);
    const bool is_folded = given == test.inputs.end();
    auto numbers =
        is_folded ? folded(form, graph.value(input).name, graph.type(input)) : numbers_of(given->second, graph.type(input).dtype);
    if (!numbers) return skipped(is_folded ? "is constant data of its own" : "has inputs that are not raw data");
    if (numbers->type != graph.type(input)) return skipped("has inputs of other shapes than its model says");
    inputs.push_back(std::move(*numbers));
  }
  const auto actual = evaluate_reference(graph, inputs);
  if (!actual.ok()) return {true, "is not computed: " + actual.error().message};
  for (std::size_t i = 0; i < actual.value().size(); ++i) {
    RealTensor result = actual.value()[i];
    const auto expected = numbers_of(test.outputs[i], result.type.dtype);
    if (!expected) return {true, "output " + std::to_string(i) + " is of another type or shape: " + type_text(result.type)};
    round_to_dtype(result);
    if (std::string text = difference(*expected, result); !text.empty()) return {true, "output " + std::to_string(i) + " " + text};
  }
  return {true, ""};
}

Outcome run(const fs::path& folder) {
  const auto test = read_case(folder);
  if (!test) return skipped("has operands that are no tensors");
  const auto [form, model] = import_case(*test);
  if (!model.ok()) return skipped("is refused: " + model.error().message);
  if (model.value().opaque_nodes > 0) {
    return skipped(barrier_of(model.value()));
  }
  return compare(model.value().graph, form, *test);
}

TEST(OnnxSemantics, TheReferenceComputesWhatOnnxSays) {
  if (!fs::is_directory(kFolder)) GTEST_SKIP() << kFolder << " is not there: install libonnx-testdata";
  int compared = 0;
  std::map<std::string, int> reasons;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (!fs::exists(entry.path() / "model.onnx")) continue;
    const std::string name = entry.path().filename().string();
    const Outcome outcome = run(entry.path());
    if (!outcome.compared) {
      ++reasons[outcome.text];
      continue;
    }
    ++compared;
    EXPECT_EQ(outcome.text, "") << name;
  }
  std::cout << compared << " cases compared\n";
  for (const auto& [reason, count] : reasons) std::cout << "  " << count << " skipped: " << reason << '\n';
  EXPECT_GE(compared, kLeastCompared);
}

}  // namespace
}  // namespace fuselab
