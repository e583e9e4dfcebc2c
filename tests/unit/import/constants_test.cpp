// SPDX-License-Identifier: Apache-2.0
// Operators that make a constant of few numbers give what ONNX's reference evaluator gives, at 1, 64, 65 and 1,000 numbers
// (tests/models/make_constants.py): as the importer reads them, and as a file is evaluated.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/import/evaluation/file_evaluation.h"
#include "core/reference/reference.h"
#include "model_maker.h"
#include "tests/support/onnx_case.h"

namespace fuselab {
namespace {

using testing::error_of;
using testing::has;
using testing::ModelMaker;

TEST(Constants, HoldWhatOnnxSaysAtAnyCount) {
  const auto folders = test::constant_cases();
  EXPECT_EQ(folders.size(), 96u);
  for (const auto& folder : folders) {
    SCOPED_TRACE(folder.filename().string());
    const auto read = test::read_onnx_case(folder);
    ASSERT_TRUE(read);
    const std::string bytes = read->model.SerializeAsString();
    const auto model = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, Weights::kRead);
    ASSERT_TRUE(model.ok()) << model.error().message;
    ASSERT_EQ(model.value().opaque_nodes, 0) << model.value().notes.front();
    std::vector<RealTensor> inputs;
    for (const ValueId input : model.value().graph.inputs()) {
      const Value& value = model.value().graph.value(input);
      const auto held = model.value().weights.find(value.name);
      const bool is_weight = value.origin == ValueOrigin::kParam;
      ASSERT_EQ(is_weight, held != model.value().weights.end()) << value.name << " would be invented";
      const std::string& raw = read->inputs.begin()->second.raw_data();
      const auto numbers = unpack(value.type, is_weight ? std::span<const std::byte>(held->second) : std::as_bytes(std::span(raw)));
      ASSERT_TRUE(numbers.ok()) << numbers.error().message;
      inputs.push_back(numbers.value());
    }
    const auto actual = evaluate_reference(model.value().graph, inputs);
    ASSERT_TRUE(actual.ok()) << actual.error().message;
    EXPECT_EQ(test::difference(*read, 0, actual.value().front()), "");
  }
}

TEST(Constants, WholeNumbersBeyondWhatADoubleHoldsAreKept) {
  constexpr std::int64_t kOdd = (std::int64_t{1} << 53) + 1;
  for (const std::size_t count : {std::size_t{1}, std::size_t{64}, std::size_t{65}}) {
    ModelMaker maker;
    maker.input("x", {std::to_string(count)}, 7).integers("w", std::vector<std::int64_t>(count, kOdd));
    const std::string bytes = maker.node("Equal", {"x", "w"}, {"y"}).output("y").bytes();
    const auto model = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, Weights::kRead);
    ASSERT_TRUE(model.ok()) << model.error().message;
    std::int64_t last = 0;
    const auto& held = model.value().weights.at("w");
    ASSERT_EQ(held.size(), count * sizeof last);
    std::memcpy(&last, held.data() + held.size() - sizeof last, sizeof last);
    EXPECT_EQ(last, kOdd) << count;
  }
}

TEST(Constants, MoreThanAFileMayHoldIsOneError) {
  const auto too_many = [](Weights weights) {
    const std::string bytes = ModelMaker().input("x", {"65536", "65536"}).node("EyeLike", {"x"}, {"y"}).output("y").bytes();
    const auto model = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, weights);
    return model.ok() ? "" : model.error().message;
  };
  EXPECT_EQ(too_many(Weights::kShapesAlone), "");
  EXPECT_TRUE(has(too_many(Weights::kRead), "take more than 2 GiB")) << too_many(Weights::kRead);
}

TEST(Constants, OneNumberEverywhereTakesNoMemory) {
  const std::string bytes =
      ModelMaker().integers("n", {1 << 20, 1 << 20}).node("ConstantOfShape", {"n"}, {"y"}).output("y").bytes();
  const auto model = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, Weights::kRead);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(testing::operators_of(model.value().graph), "Expand");
}

}  // namespace
}  // namespace fuselab
