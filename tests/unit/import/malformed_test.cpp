// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::error_of;
using testing::has;
using testing::ModelMaker;

ModelMaker good() {
  ModelMaker maker;
  maker.input("x", {"4", "8"})
      .weight("w", {8, 8})
      .node("MatMul", {"x", "w"}, {"m"})
      .node("Relu", {"m"}, {"y"})
      .output("y", {"4", "8"});
  return maker;
}

TEST(MalformedModels, EveryTruncationIsAnErrorOrAnotherWholeModel) {
  const std::string bytes = good().bytes();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto model = ModelMaker::import_text(bytes.substr(0, length));
    if (model.ok()) continue;
    EXPECT_FALSE(model.error().message.empty());
  }
  EXPECT_FALSE(ModelMaker::import_text(bytes.substr(0, bytes.size() / 2)).ok());
}

TEST(MalformedModels, DamagedBytesNeverBringTheImporterDown) {
  const std::string bytes = good().bytes();
  SeededRandom random(7);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = bytes;
    const auto changes = 1 + random.below(4);
    for (std::uint64_t i = 0; i < changes; ++i) damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    refused += ModelMaker::import_text(damaged).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

TEST(MalformedModels, EmptyOrForeignFilesSaySo) {
  EXPECT_TRUE(has(ModelMaker::import_text("").error().message, "no graph"));
  EXPECT_TRUE(has(ModelMaker::import_text("\x7f"
                                          "ELF not a model")
                      .error()
                      .message,
                  "not a valid ONNX file"));
}

TEST(MalformedModels, ReadingWhatNothingMakesNamesNodeAndTensor) {
  const std::string error = error_of(ModelMaker().input("x", {"8"}).node("Add", {"x", "ghost"}, {"y"}).output("y"));
  EXPECT_TRUE(has(error, "node 'n_y'")) << error;
  EXPECT_TRUE(has(error, "'ghost'")) << error;
}

TEST(MalformedModels, CyclesAreRefused) {
  const std::string error =
      error_of(ModelMaker().input("x", {"8"}).node("Add", {"x", "b"}, {"a"}).node("Relu", {"a"}, {"b"}).output("b"));
  EXPECT_TRUE(has(error, "node 'n_a'")) << error;
  EXPECT_TRUE(has(error, "in a circle")) << error;
}

// Converters of half precision write their nodes in an order that cannot run.
ModelMaker in_order(bool sorted) {
  ModelMaker maker;
  maker.input("x", {"4", "8"}).weight("w", {8, 8});
  if (sorted) maker.node("MatMul", {"x", "w"}, {"m"}).node("Relu", {"m"}, {"r"});
  maker.node("Add", {"r", "m"}, {"y"});
  if (!sorted) maker.node("Relu", {"m"}, {"r"}).node("MatMul", {"x", "w"}, {"m"});
  maker.output("y", {"4", "8"});
  return maker;
}

TEST(MalformedModels, UnsortedNodesAreSorted) {
  const auto sorted = ModelMaker::import_text(in_order(true).bytes());
  const auto unsorted = ModelMaker::import_text(in_order(false).bytes());
  ASSERT_TRUE(unsorted.ok()) << unsorted.error().message;
  EXPECT_EQ(canonical_text(unsorted.value().graph), canonical_text(sorted.value().graph));
  ASSERT_FALSE(unsorted.value().notes.empty());
  EXPECT_TRUE(has(unsorted.value().notes.front(), "they were sorted")) << unsorted.value().notes.front();
  for (const std::string& note : sorted.value().notes) EXPECT_FALSE(has(note, "sorted")) << note;
}

TEST(MalformedModels, TensorsAreMadeOnce) {
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"8"}).node("Relu", {"x"}, {"y"}).node("Exp", {"x"}, {"y"}).output("y")),
                  "exists already"));
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"8"}).input("x", {"8"}).node("Relu", {"x"}, {"y"}).output("y")), "twice"));
  EXPECT_TRUE(has(error_of(ModelMaker().weight("w", {1}).weight("w", {1}).node("Relu", {"w"}, {"y"}).output("y")), "twice"));
}

TEST(MalformedModels, ExtentsBeyondEverythingAreRefused) {
  EXPECT_TRUE(
      has(error_of(ModelMaker().input("x", {"9223372036854775807", "4"}).node("Relu", {"x"}, {"y"}).output("y")), "input 'x'"));
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"-2"}).node("Relu", {"x"}, {"y"}).output("y")), "extent -2"));
  EXPECT_TRUE(
      has(error_of(ModelMaker().input("x", {"8"}).weight("w", {INT64_MAX, INT64_MAX}).node("Relu", {"w"}, {"y"}).output("y")),
          "initializer 'w'"));
  const std::vector<std::string> nine(9, "2");
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", nine).node("Relu", {"x"}, {"y"}).output("y")), "8 dimensions"));
}

TEST(MalformedModels, HugeNamesAreCutInMessages) {
  const std::string name(10'000'000, 'n');
  const std::string error = error_of(ModelMaker().input("x", {"8"}).node("Add", {"x", name}, {"y"}).output("y"));
  EXPECT_LT(error.size(), 1000u);
  ModelMaker maker;
  maker.input("x", {"8"}).node("Relu", {"x"}, {name}).output(name);
  const auto model = maker.import();
  ASSERT_TRUE(model.ok());
  EXPECT_LT(model.value().graph.nodes().back().name.size(), 1000u);
}

TEST(MalformedModels, ShapesThatDoNotFitNameTheNode) {
  const std::string error =
      error_of(ModelMaker().input("x", {"4", "8"}).weight("w", {9, 2}).node("MatMul", {"x", "w"}, {"y"}).output("y"));
  EXPECT_TRUE(has(error, "node 'n_y'")) << error;
  EXPECT_TRUE(has(error, "8 against 9")) << error;
}

TEST(MalformedModels, MissingOperandsAndOutputsAreRefused) {
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"8"}).node("Add", {"x"}, {"y"}).output("y")), "lacks operand 1"));
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"8"}).node("Add", {"", "x"}, {"y"}).output("y")), "lacks operand 0"));
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"8"}).node("Relu", {"x"}, {"y"}).output("z")), "output 'z'"));
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"8"}).node("Relu", {"x"}, {"y"})), "no output"));
}

TEST(MalformedModels, OpsetMustBeDeclared) {
  ModelMaker maker = good();
  maker.model().clear_opset_import();
  EXPECT_TRUE(has(error_of(maker), "opset"));
}

TEST(MalformedModels, FilesThatAreNotThereSayWhich) {
  const auto model = import_onnx("/nonexistent/model.onnx");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(has(model.error().message, "/nonexistent/model.onnx"));
}

}  // namespace
}  // namespace fuselab
