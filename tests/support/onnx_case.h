// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/import/onnx_import.h"
#include "core/tensor/tensor.h"
#include "onnx_subset.pb.h"

namespace fuselab::test {

// Where Debian's libonnx-testdata puts the cases that ONNX itself is tested with: 932 of them in version 1.12.
inline constexpr const char* kOnnxCases = "/usr/share/libonnx-testdata/data/node";

// The cases' folders, by name; none where the package is not installed. FUSELAB_ONNX_CASES names another folder of such cases, of a
// later version of ONNX for instance: what holds of version 1.12 alone may then fail.
std::vector<std::filesystem::path> onnx_cases();

// Small models with Loop, If and BatchNormalization in the same form, which tests/models/make_control_flow.py made.
std::vector<std::filesystem::path> control_flow_cases();
// The same of operators that make constants, which tests/models/make_constants.py made.
std::vector<std::filesystem::path> constant_cases();

// One case: a model, its first data set, and what ONNX expects of it.
struct OnnxCase {
  onnx::ModelProto model;
  std::map<std::string, onnx::TensorProto> inputs;
  std::vector<onnx::TensorProto> outputs;
  std::string skipped;  // why it says nothing of us; empty: it does
};
// Nothing where operands are no tensors.
std::optional<OnnxCase> read_onnx_case(const std::filesystem::path& folder);

// A case as a graph with the numbers of its inputs, or why there is none.
struct ReadyCase {
  Graph graph;
  std::vector<RealTensor> inputs;
  std::set<std::string> constants = {};  // params of the graph whose numbers are the model's
  std::string skipped = {};              // empty when ready
};
// Imports the case as its file has it, or else in a form that is understood: axes, shapes and bounds as constants, only the
// first result.
ReadyCase ready(const OnnxCase& test);

// "" when an output agrees with what ONNX expects of it, by the tolerance of ONNX's own test runner; else the first difference.
std::string difference(const OnnxCase& test, std::size_t output, RealTensor actual);

}  // namespace fuselab::test
