// SPDX-License-Identifier: Apache-2.0
// A mistake of the importer, or of the folding of weights, that kernels and reference share shows in the check against the file.
#include "app/engine/subject/file_check.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "app/engine/subject/piece.h"
#include "core/fusion/fold/fold_weights.h"
#include "core/graph/graph_text.h"
#include "core/platform/files/temporary_folder.h"
#include "tests/unit/import/model_maker.h"

namespace fuselab::engine {
namespace {

using fuselab::testing::ModelMaker;

// A convolution, two normalisations, a softmax and a constant: attributes, constants and weights to be wrong about.
ModelMaker sample() {
  ModelMaker maker;
  const auto numbers = [](std::size_t count, float step) {
    std::vector<float> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(step * static_cast<float>(static_cast<int>(i * 7 % 11) - 5) + 0.05f);
    return all;
  };
  maker.input("x", {"1", "3", "8", "8"}).reals("w", {4, 3, 3, 3}, numbers(108, 0.1f));
  maker.reals("scale", {4}, {1.5f, 0.5f, 2, 1}).reals("shift", {4}, {0.1f, 0.2f, 0.3f, 0.4f});
  maker.reals("mean", {4}, {0.5f, -0.5f, 0, 1}).reals("variance", {4}, {2, 1, 0.5f, 3});
  maker.node("Conv", {"x", "w"}, {"c"}).with_list("pads", {1, 0, 1, 2});
  maker.node("BatchNormalization", {"c", "scale", "shift", "mean", "variance"}, {"n"}).with_real("epsilon", 0.5f);
  maker.node("LeakyRelu", {"n"}, {"r"}).with_real("alpha", 0.3f);
  maker.node("Transpose", {"r"}, {"t"}).with_list("perm", {0, 1, 3, 2});
  maker.node("Softmax", {"t"}, {"s"}).with("axis", 2);
  maker.node("HannWindow", {"length"}, {"window"});
  auto& length = *maker.graph().add_initializer();
  length.set_name("length");
  length.set_data_type(7);
  length.add_int64_data(64);
  maker.integers("rows", {8, 8}).node("Reshape", {"window", "rows"}, {"weights"});
  maker.node("Mul", {"s", "weights"}, {"y"}).output("y");
  return maker;
}

class FileCheckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = platform::TemporaryFolder::create("fuselab-file-check");
    ASSERT_TRUE(folder.ok());
    folder_.emplace(std::move(folder).value());
    std::ofstream(folder_->path() / "model.onnx", std::ios::binary) << sample().bytes();
  }

  // Cuts the model as `exec` does, has it spoiled, and checks the reference of what is left against the file.
  FileCheck checked(const std::function<void(Graph& graph, PackedNumbers& weights)>& spoil, bool before_folding = false) {
    auto subjects =
        resolve_subject({}, (folder_->path() / "model.onnx").string(), "", DType::kF32, Extents::kAllBound, Weights::kRead);
    EXPECT_TRUE(subjects.ok()) << (subjects.ok() ? "" : subjects.error().message);
    Subject subject = std::move(subjects).value().front();
    PackedNumbers weights = *subject.weights;
    if (before_folding) spoil(subject.graph, weights);
    subject.weights = std::make_shared<PackedNumbers>(weights);
    auto cut_model = cut(std::move(subject), OptimizationLevel::kO2);
    EXPECT_TRUE(cut_model.ok());
    subject = std::move(cut_model).value().subject;
    weights = *subject.weights;
    if (!before_folding) spoil(subject.graph, weights);
    std::vector<RealTensor> inputs;
    std::map<std::string, RealTensor> given;
    for (std::size_t i = 0; i < subject.graph.inputs().size(); ++i) {
      const Value& value = subject.graph.value(subject.graph.inputs()[i]);
      const auto held = weights.find(value.name);
      inputs.push_back(held == weights.end() ? make_inputs(subject.graph, {})[i] : unpack(value.type, held->second).value());
      if (held == weights.end()) given[value.name] = inputs.back();
    }
    EXPECT_EQ(given.size(), 1u) << "only the input is not the file's";
    const auto expected = expected_outputs(subject.graph, inputs, 1);
    EXPECT_TRUE(expected.ok()) << (expected.ok() ? "" : expected.error().message);
    return check_against_file(subject, platform::Links::kRefused, given, expected.value());
  }

  std::optional<platform::TemporaryFolder> folder_;
};

Node& node_of(Graph& graph, Op op) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    Node& node = graph.node(static_cast<NodeId>(i));
    if (node.op == op) return node;
  }
  ADD_FAILURE() << "there is no " << name_of(op);
  return graph.node(NodeId{0});
}

TEST_F(FileCheckTest, PassesWhereTheFileWasReadRight) {
  const FileCheck check = checked([](Graph&, PackedNumbers&) {});
  EXPECT_EQ(check.not_evaluated, "");
  EXPECT_TRUE(check.verification.passed) << check.verification.detail;
  EXPECT_EQ(check.verification.checked, 1 * 4 * 8 * 8);
  EXPECT_FALSE(check.failed());
}

TEST_F(FileCheckTest, FindsAttributesThatTheImporterMisread) {
  const std::map<std::string, std::function<void(Graph&)>> faults = {
      {"pads",
       [](Graph& graph) {
         node_of(graph, Op::kConv).attributes.set("pads", std::vector<std::int64_t>{0, 1, 2, 1});
       }},
      {"epsilon", [](Graph& graph) { node_of(graph, Op::kBatchNormalization).attributes.set("epsilon", 1e-5); }},
      {"alpha", [](Graph& graph) { node_of(graph, Op::kLeakyRelu).attributes.set("alpha", 0.01); }},
      {"perm",
       [](Graph& graph) {
         node_of(graph, Op::kTranspose).attributes.set("perm", std::vector<std::int64_t>{0, 1, 2, 3});
       }},
      {"axis", [](Graph& graph) { node_of(graph, Op::kSoftmax).attributes.set("axis", std::int64_t{-1}); }},
  };
  for (const auto& [name, fault] : faults) {
    const FileCheck check = checked([&, apply = fault](Graph& graph, PackedNumbers&) { apply(graph); }, true);
    EXPECT_TRUE(check.failed()) << name << ": " << check.not_evaluated;
    EXPECT_TRUE(file_check_text(check).starts_with("The graph that ran is NOT what the file says: output 0 at "))
        << file_check_text(check);
  }
}

TEST_F(FileCheckTest, FindsAShapeThatHoldsTheSameNumbers) {
  ModelMaker maker;
  maker.input("x", {"2", "3"}).integers("s", {3, 2}).node("Reshape", {"x", "s"}, {"y"}).output("y");
  Subject subject;
  subject.file = folder_->path() / "reshape.onnx";
  std::ofstream(subject.file, std::ios::binary) << maker.bytes();
  subject.graph = parse_graph("graph(x: f32[2,3]) { y = Reshape(x, shape=[2,3]); return y }").value();
  const std::vector<RealTensor> inputs = make_inputs(subject.graph, {});
  const auto expected = expected_outputs(subject.graph, inputs, 1);
  const FileCheck check = check_against_file(subject, platform::Links::kRefused, {{"x", inputs.front()}}, expected.value());
  EXPECT_EQ(file_check_text(check), "The graph that ran is NOT what the file says: output 0 is f32[2,3], and by the file f32[3,2]");
}

// Each weight once, with one number wrong, before and after folding.
TEST_F(FileCheckTest, FindsWeightsAndConstantsThatAreNotTheFiles) {
  for (const bool before_folding : {true, false}) {
    std::set<std::string> names;
    checked(
        [&](Graph&, PackedNumbers& weights) {
          for (const auto& [name, bytes] : weights) names.insert(name);
        },
        before_folding);
    EXPECT_GE(names.size(), before_folding ? 6u : 3u);
    for (const std::string& name : names) {
      const FileCheck check = checked(
          [&](Graph&, PackedNumbers& weights) {
            std::vector<std::byte>& bytes = weights.at(name);
            RealTensor numbers = unpack({DType::kF32, {static_cast<std::int64_t>(bytes.size() / 4)}}, bytes).value();
            numbers.data[numbers.data.size() / 2] += 0.25;
            bytes = pack(numbers);
          },
          before_folding);
      EXPECT_TRUE(check.failed()) << name << (before_folding ? " before folding" : " after folding");
    }
  }
}

TEST_F(FileCheckTest, SaysWhyAFileWasNotEvaluated) {
  ModelMaker maker = sample();
  maker.graph().mutable_node(0)->set_domain("com.example");
  Subject subject;
  subject.file = folder_->path() / "other.onnx";
  std::ofstream(subject.file, std::ios::binary) << maker.bytes();
  const FileCheck check = check_against_file(subject, platform::Links::kRefused, {}, {});
  EXPECT_FALSE(check.failed());
  EXPECT_TRUE(file_check_text(check).starts_with("The file itself was not evaluated")) << file_check_text(check);
}

}  // namespace
}  // namespace fuselab::engine
