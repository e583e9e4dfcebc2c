// SPDX-License-Identifier: Apache-2.0
// ONNX's own node cases on every backend that names how many it writes: imported, fused as the product does, every piece generated,
// compiled and run, and the results compared with those that ONNX expects. Which cases are generated is asked for all; without
// --full a sample that rotates with the seed is run.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "core/fusion/partition/fusion_engine.h"
#include "tests/conformance/backend_case.h"
#include "tests/support/onnx_case.h"
#include "tests/support/rotation.h"

namespace fuselab::conformance {
namespace {

// One case in pieces that the backend says it generates, or why not.
struct Pieces {
  test::OnnxCase expected;
  test::ReadyCase ready;
  std::vector<FusedOperation> operations;
  std::string skipped;
};

bool computes(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) { return node.op != Op::kConstant; });
}

Pieces cut(const std::filesystem::path& folder, CodeGenerator& generator, const Target& target) {
  Pieces pieces;
  auto read = test::read_onnx_case(folder);
  if (!read) {
    pieces.skipped = "not imported: has operands that are no tensors";
    return pieces;
  }
  pieces.expected = std::move(*read);
  pieces.ready = test::ready(pieces.expected);
  if (!pieces.ready.skipped.empty()) {
    pieces.skipped = "not imported: " + pieces.ready.skipped;
    return pieces;
  }
  if (!computes(pieces.ready.graph)) {
    pieces.skipped = "is folded altogether: nothing is left to run";
    return pieces;
  }
  auto fused = fuse(pieces.ready.graph, options_for(OptimizationLevel::kO2));
  if (!fused.ok()) {
    pieces.skipped = "not fused: " + fused.error().message;
    return pieces;
  }
  pieces.operations = std::move(fused.value().operations);
  for (const FusedOperation& piece : pieces.operations) {
    const Support support = generator.supports(piece.graph, target);
    if (support.yes) continue;
    pieces.skipped = support.why_not;
    break;
  }
  return pieces;
}

// One piece on the device: its outputs in order.
Result<std::vector<RealTensor>> run(FusionBackend& backend, DeviceRuntime& runtime, const Graph& graph,
                                    const std::vector<RealTensor>& inputs) {
  const Target& target = runtime.info().target;
  const LaunchConfig config = backend.generator()->default_config(graph, target);
  FL_TRY(const CompiledKernel kernel, compile_kernel(backend, graph, config, target, OptimizationLevel::kO2, {}));
  FL_TRY(const std::unique_ptr<Executable> executable, runtime.load(kernel));
  std::vector<Buffer> arguments;
  for (const KernelArgument& argument : kernel.abi.arguments) {
    FL_TRY(const Bytes size, size_of(argument.type));
    FL_TRY(const Buffer buffer, runtime.allocate(size, argument.role));
    const std::size_t position = arguments.size();
    const auto bytes = position < inputs.size() ? pack(inputs[position])
                                                : std::vector<std::byte>(static_cast<std::size_t>(size.count), std::byte{0xff});
    FL_TRY_VOID(runtime.upload(buffer, bytes));
    arguments.push_back(buffer);
  }
  FL_TRY_VOID(executable->enqueue(arguments));
  FL_TRY_VOID(runtime.synchronize());
  std::vector<RealTensor> outputs;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const Buffer& buffer = arguments[inputs.size() + i];
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.size.count));
    FL_TRY_VOID(runtime.download(bytes, buffer));
    FL_TRY(RealTensor tensor, unpack(graph.type(graph.outputs()[i]), bytes));
    outputs.push_back(std::move(tensor));
  }
  for (const Buffer& buffer : arguments) FL_TRY_VOID(runtime.release(buffer));
  return outputs;
}

// "" when the pieces, one after the other, make what ONNX expects.
std::string difference(FusionBackend& backend, DeviceRuntime& runtime, const Pieces& pieces) {
  const Graph& whole = pieces.ready.graph;
  std::map<std::string, RealTensor> known;
  for (std::size_t i = 0; i < whole.inputs().size(); ++i) known[whole.value(whole.inputs()[i]).name] = pieces.ready.inputs[i];
  for (const FusedOperation& piece : pieces.operations) {
    std::vector<RealTensor> inputs;
    for (const ValueId input : piece.graph.inputs()) inputs.push_back(known.at(piece.graph.value(input).name));
    const auto outputs = run(backend, runtime, piece.graph, inputs);
    if (!outputs.ok()) return piece.name + ": " + outputs.error().message;
    for (std::size_t i = 0; i < outputs.value().size(); ++i) {
      known[piece.graph.value(piece.graph.outputs()[i]).name] = outputs.value()[i];
    }
  }
  for (std::size_t i = 0; i < whole.outputs().size(); ++i) {
    const std::string text = test::difference(pieces.expected, i, known.at(whole.value(whole.outputs()[i]).name));
    if (!text.empty()) return text;
  }
  return "";
}

class OnnxCases : public testing::TestWithParam<BackendCase> {};

INSTANTIATE_TEST_SUITE_P(Node, OnnxCases, testing::ValuesIn(all_cases()), [](const auto& given) { return given.param.id; });

TEST_P(OnnxCases, RunAsTheProductCutsThem) {
  const BackendCase& each = GetParam();
  if (each.onnx_cases == 0) GTEST_SKIP() << each.id << " does not say how many it generates";
  const auto folders = test::onnx_cases();
  if (folders.empty()) GTEST_SKIP() << test::kOnnxCases << " is not there: install libonnx-testdata";
  Opened opened = open_first_device(each);
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  int generated = 0, ran = 0;
  std::map<std::string, std::set<std::string>> reasons;
  for (const auto& folder : folders) {
    const std::string name = folder.filename().string();
    const Pieces pieces = cut(folder, *opened.backend->generator(), opened.device.target);
    if (!pieces.skipped.empty()) {
      reasons[pieces.skipped].insert(name);
      continue;
    }
    const auto turn = static_cast<unsigned>(generated++);
    if (!test::run_everything() && turn % each.onnx_one_in != test::sample_seed() % each.onnx_one_in) continue;
    ++ran;
    EXPECT_EQ(difference(*opened.backend, *opened.runtime, pieces), "") << name;
  }
  std::cout << generated << " of " << folders.size() << " cases are generated, " << ran << " were run (seed " << test::sample_seed()
            << ")\n";
  for (const auto& [reason, names] : reasons) {
    std::cout << "  " << names.size() << " skipped (" << *names.begin() << "): " << reason << '\n';
  }
  EXPECT_GE(generated, each.onnx_cases);
}

// Small models with loops that are written out and with both branches of an If, and ONNX's own cases of these and of recurrences.
std::vector<std::filesystem::path> stateful_cases() {
  std::vector<std::filesystem::path> folders = test::control_flow_cases();
  for (const auto& folder : test::onnx_cases()) {
    const std::string name = folder.filename().string();
    for (const char* const begin : {"test_gru_", "test_if", "test_loop", "test_lstm_", "test_rnn_", "test_simple_rnn_"}) {
      if (name.starts_with(begin)) folders.push_back(folder);
    }
  }
  return folders;
}

TEST_P(OnnxCases, ControlFlowAndRecurrencesRunAsTheProductCutsThem) {
  const BackendCase& each = GetParam();
  if (each.onnx_cases == 0) GTEST_SKIP() << each.id << " does not say how many it generates";
  Opened opened = open_first_device(each);
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  std::set<std::string> ran;
  for (const auto& folder : stateful_cases()) {
    const std::string name = folder.filename().string();
    const Pieces pieces = cut(folder, *opened.backend->generator(), opened.device.target);
    if (!pieces.skipped.empty()) {
      std::cout << name << ": " << pieces.skipped << '\n';
      continue;
    }
    ran.insert(name);
    EXPECT_EQ(difference(*opened.backend, *opened.runtime, pieces), "") << name;
  }
  if (each.id != "cpu") return;
  for (const auto& folder : test::control_flow_cases()) EXPECT_TRUE(ran.contains(folder.filename().string())) << folder;
  if (test::onnx_cases().empty()) return;
  // What is missing takes or gives sequences.
  for (const char* const name :
       {"test_if", "test_loop11", "test_lstm_defaults", "test_lstm_with_initial_bias", "test_lstm_with_peepholes",
        "test_lstm_batchwise", "test_gru_defaults", "test_gru_seq_length", "test_gru_with_initial_bias", "test_gru_batchwise",
        "test_rnn_seq_length", "test_simple_rnn_defaults", "test_simple_rnn_with_initial_bias", "test_simple_rnn_batchwise"})
    EXPECT_TRUE(ran.contains(name)) << name;
}

}  // namespace
}  // namespace fuselab::conformance
