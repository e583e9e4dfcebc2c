// SPDX-License-Identifier: Apache-2.0
// Files that are evaluated node by node give what ONNX expects: its own node cases, and those with control flow and constants.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>

#include "core/import/evaluation/file_evaluation.h"
#include "model_maker.h"
#include "tests/support/onnx_case.h"

namespace fuselab {
namespace {

using testing::has;
using testing::ModelMaker;

std::map<std::string, RealTensor> inputs_of(const test::OnnxCase& test) {
  std::map<std::string, RealTensor> inputs;
  for (const auto& [name, tensor] : test.inputs) {
    const std::string bytes = tensor.SerializeAsString();
    const auto read = import_tensor(std::as_bytes(std::span(bytes)));
    if (!read.ok()) continue;
    const auto numbers = unpack(read.value().type, read.value().bytes);
    if (numbers.ok()) inputs[name] = numbers.value();
  }
  return inputs;
}

// Evaluates the cases of these folders, and returns how many were; each that is must be right.
int evaluated(const std::vector<std::filesystem::path>& folders) {
  int count = 0;
  for (const auto& folder : folders) {
    const std::string name = folder.filename().string();
    SCOPED_TRACE(name);
    const auto read = test::read_onnx_case(folder);
    // The files of bf16 hold its bits as whole numbers.
    if (!read || !read->skipped.empty() || name.find("BFLOAT16") != std::string::npos) continue;
    const auto outputs = onnx::evaluate_graph(read->model, {}, inputs_of(*read));
    if (!outputs.ok()) {
      EXPECT_EQ(outputs.error().code, ErrorCode::kUnsupported) << outputs.error().message;
      continue;
    }
    ++count;
    EXPECT_EQ(outputs.value().size(), read->outputs.size());
    for (std::size_t i = 0; i < std::min(outputs.value().size(), read->outputs.size()); ++i)
      EXPECT_EQ(test::difference(*read, i, outputs.value()[i]), "");
  }
  return count;
}

TEST(Evaluation, GivesWhatOnnxsOwnCasesExpect) {
  const auto folders = test::onnx_cases();
  if (folders.empty()) GTEST_SKIP() << "libonnx-testdata is not installed";
  const int count = evaluated(folders);
  std::cout << count << " of " << folders.size() << " node cases are evaluated\n";
  if (std::getenv("FUSELAB_ONNX_CASES") == nullptr) {
    EXPECT_GE(count, 680);
  }
}

TEST(Evaluation, FollowsControlFlow) {
  EXPECT_EQ(evaluated(test::control_flow_cases()), static_cast<int>(test::control_flow_cases().size()));
}

TEST(Evaluation, MakesConstantsOfAnyCount) {
  EXPECT_EQ(evaluated(test::constant_cases()), 96);
}

Result<std::vector<RealTensor>> outputs_of(ModelMaker& maker) {
  return onnx::evaluate_graph(maker.model(), {}, {{"x", {{DType::kF32, {2, 3}}, {1, 2, 3, 4, 5, 6}}}});
}

TEST(Evaluation, NamesWhatItDoesNotKnow) {
  ModelMaker unknown;
  unknown.input("x", {"2", "3"}).node("GridSample", {"x", "x"}, {"y"}).output("y");
  const auto refused = outputs_of(unknown);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message, "node 'n_y' (GridSample): the operator is not known to the evaluation");
}

TEST(Evaluation, SaysWhatDoesNotFit) {
  ModelMaker outside;
  outside.input("x", {"2", "3"}).integers("i", {7}).node("Gather", {"x", "i"}, {"y"}).output("y");
  const auto wrong = outputs_of(outside);
  ASSERT_FALSE(wrong.ok());
  EXPECT_TRUE(has(wrong.error().message, "has the index 7 where there are 2 entries")) << wrong.error().message;
  ModelMaker misfit;
  misfit.input("x", {"2", "3"}).node("MatMul", {"x", "x"}, {"y"}).output("y");
  EXPECT_TRUE(has(outputs_of(misfit).error().message, "multiplies matrices that do not fit"));
  ModelMaker large;
  large.input("x", {"2", "3"}).integers("n", {1 << 20, 1 << 20}).node("ConstantOfShape", {"n"}, {"y"}).output("y");
  EXPECT_TRUE(has(outputs_of(large).error().message, "more than 1 GiB"));
}

TEST(Evaluation, LeavesWhatNoOutputNeedsAlone) {
  ModelMaker maker;
  maker.input("x", {"2", "3"}).node("GridSample", {"x", "x"}, {"unread"}).node("Neg", {"x"}, {"y"}).output("y");
  EXPECT_EQ(outputs_of(maker).value()[0].data, (std::vector<double>{-1, -2, -3, -4, -5, -6}));
}

// Each of these once read beyond its operand, or never ended.
TEST(Evaluation, RefusesWhatWouldLeaveItsBounds) {
  ModelMaker slice;
  slice.input("x", {"2", "3"}).integers("from", {2, 2, 2}).integers("to", {3, 3, 3}).integers("axes", {1, 1, 1});
  slice.node("Slice", {"x", "from", "to", "axes"}, {"y"}).output("y");
  EXPECT_TRUE(has(outputs_of(slice).error().message, "names an axis twice"));
  ModelMaker perm;
  perm.input("x", {"2", "3"}).node("Transpose", {"x"}, {"y"}).with_list("perm", {}).output("y");
  EXPECT_TRUE(has(outputs_of(perm).error().message, "a perm of another rank"));
  ModelMaker axis(6);
  axis.input("x", {"2", "3"})
      .node("Add", {"x", "x"}, {"y"})
      .with("broadcast", 1)
      .with("axis", -(std::int64_t{1} << 62))
      .output("y");
  EXPECT_TRUE(has(outputs_of(axis).error().message, "has no such axis"));
  ModelMaker product;
  product.integers("n", {1024, 1024}).integers("m", {20000, 1024, 1}).node("ConstantOfShape", {"n"}, {"a"});
  product.node("ConstantOfShape", {"m"}, {"b"}).node("MatMul", {"a", "b"}, {"y"}).output("y");
  EXPECT_TRUE(has(outputs_of(product).error().message, "more than 20 GFLOP"));
}

TEST(Evaluation, TakesWhatIsGivenInPlaceOfAWeight) {
  ModelMaker maker;
  maker.input("x", {"2", "3"}).reals("w", {3}, {1, 2, 3}).node("Add", {"x", "w"}, {"y"}).output("y");
  const auto given = onnx::evaluate_graph(
      maker.model(), {}, {{"x", {{DType::kF32, {2, 3}}, {1, 2, 3, 4, 5, 6}}}, {"w", {{DType::kF32, {3}}, {10, 20, 30}}}});
  ASSERT_TRUE(given.ok()) << given.error().message;
  EXPECT_EQ(given.value()[0].data, (std::vector<double>{11, 22, 33, 14, 25, 36}));
}

TEST(Evaluation, TakesAWeightThatTheFileLacksOnlyWhereItIsGiven) {
  ModelMaker maker;
  maker.input("x", {"2", "3"}).weight("w", {3}).node("Add", {"x", "w"}, {"y"}).output("y");
  EXPECT_TRUE(has(outputs_of(maker).error().message, "weight 'w'")) << outputs_of(maker).error().message;
  const auto given = onnx::evaluate_graph(
      maker.model(), {}, {{"x", {{DType::kF32, {2, 3}}, {1, 2, 3, 4, 5, 6}}}, {"w", {{DType::kF32, {3}}, {10, 20, 30}}}});
  ASSERT_TRUE(given.ok()) << given.error().message;
  EXPECT_EQ(given.value()[0].data, (std::vector<double>{11, 22, 33, 14, 25, 36}));
}

}  // namespace
}  // namespace fuselab
