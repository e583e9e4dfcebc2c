// SPDX-License-Identifier: Apache-2.0
// Valid models that use more of ONNX than is measured here: what is not taken is a barrier, and the rest is measured.
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::error_of;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

constexpr int kF32 = 1, kI32 = 6, kI64 = 7, kBool = 9, kF16 = 10;

// Beside what the maker holds stands a Relu, which is measured; the note says why the other operator is not.
void expect_barrier_beside_relu(ModelMaker maker, const std::string& op, const std::string& because) {
  maker.input("beside", {"4", "8"}).node("Relu", {"beside"}, {"r"}).output("r", {"4", "8"});
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "?" + op + " Relu");
  EXPECT_EQ(model.opaque_types, std::vector<std::string>{op});
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_TRUE(has(model.notes[0], op + " is a barrier: ") && has(model.notes[0], because)) << model.notes[0];
}

TEST(NotTaken, TypesThatOnnxAllowsAndFuselabDoesNotMakeABarrier) {
  expect_barrier_beside_relu(ModelMaker(23)
                                 .input("x", {"4", "8"}, kF16)
                                 .input("s", {"8"}, kF32)
                                 .node("RMSNormalization", {"x", "s"}, {"y"})
                                 .output("y", {"4", "8"}, kF32),
                             "RMSNormalization", "operand 1 is f32, not f16");
  expect_barrier_beside_relu(
      ModelMaker(20).input("x", {"4", "8"}, kBool).node("ReduceMax", {"x"}, {"y"}).output("y", {"1", "1"}, kBool), "ReduceMax",
      "needs numbers, got bool");
  expect_barrier_beside_relu(ModelMaker(17).input("x", {"4", "8"}, kI32).node("Erf", {"x"}, {"y"}).output("y", {"4", "8"}, kI32),
                             "Erf", "needs a floating-point type, got i32");
  expect_barrier_beside_relu(ModelMaker(23)
                                 .input("q", {"1", "2", "4", "8"}, kF16)
                                 .input("k", {"1", "2", "4", "8"}, kF16)
                                 .input("v", {"1", "2", "4", "8"}, kF32)
                                 .node("Attention", {"q", "k", "v"}, {"y"})
                                 .output("y", {"1", "2", "4", "8"}, kF16),
                             "Attention", "Q, K and V must have one element type");
}

TEST(NotTaken, ABarrierHasItsDeclaredTypeForWhatFollows) {
  const auto model = imported(ModelMaker(17)
                                  .input("x", {"4", "8"}, kI32)
                                  .node("Erf", {"x"}, {"y"})
                                  .node("Neg", {"y"}, {"z"})
                                  .output("y", {"4", "8"}, kI32)
                                  .output("z"));
  EXPECT_EQ(operators_of(model.graph), "?Erf Neg");
  EXPECT_EQ(output_type(model.graph, 1), "i32[4,8]");
}

TEST(NotTaken, ABarrierOfOtherTypesHasItsTypeAlsoWhereTheFileSaysNothing) {
  const auto normal = imported(ModelMaker(23)
                                   .input("x", {"4", "8"}, kF16)
                                   .input("s", {"8"}, kF32)
                                   .node("RMSNormalization", {"x", "s"}, {"n"})
                                   .node("Relu", {"n"}, {"y"})
                                   .output("y"));
  EXPECT_EQ(operators_of(normal.graph), "?RMSNormalization Relu");
  EXPECT_EQ(output_type(normal.graph), "f32[4,8]") << "ONNX: of the scale's type";
  const auto reduced = imported(ModelMaker(20).input("x", {"4", "8"}, kBool).node("ReduceMax", {"x"}, {"y"}).output("y"));
  EXPECT_EQ(output_type(reduced.graph), "bool[1,1]");
}

TEST(NotTaken, TypesThatOnnxForbidsStayAnError) {
  EXPECT_TRUE(has(error_of(ModelMaker().input("a", {"4"}, kF32).input("b", {"4"}, kI64).node("Add", {"a", "b"}, {"y"}).output("y")),
                  "operand 1 is i64, not f32"));
  EXPECT_TRUE(has(error_of(ModelMaker(17).input("x", {"4", "8"}, kI32).node("Softmax", {"x"}, {"y"}).with("axis", 5).output("y")),
                  "axis 5"));
  EXPECT_TRUE(has(error_of(ModelMaker(23)
                               .input("x", {"4", "8"}, kF16)
                               .input("s", {"9"}, kF32)
                               .node("RMSNormalization", {"x", "s"}, {"y"})
                               .output("y")),
                  "RMSNormalization"))
      << "its scale does not fit, whatever its type";
}

TEST(NotTaken, AMaskShorterThanTheKeysIsOne) {
  const auto masked = [](const std::string& mask) {
    return ModelMaker(24)
        .input("q", {"1", "2", "4", "8"})
        .input("k", {"1", "2", "6", "8"})
        .input("v", {"1", "2", "6", "8"})
        .input("m", {"4", mask})
        .node("Attention", {"q", "k", "v", "m"}, {"y"})
        .output("y", {"1", "2", "4", "8"});
  };
  expect_barrier_beside_relu(masked("5"), "Attention", "its mask covers 5 of 6 keys");
  EXPECT_EQ(operators_of(imported(masked("6")).graph), "Attention");
  EXPECT_TRUE(has(error_of(masked("7")), "the mask [4,7] does not broadcast"));
}

TEST(NotTaken, ConcatOfMoreThanAThousandOperandsIsOne) {
  ModelMaker maker;
  std::vector<std::string> names;
  for (int i = 0; i < 1100; ++i) names.push_back("x" + std::to_string(i));
  for (const auto& name : names) maker.input(name, {"2", "4"});
  maker.node("Concat", names, {"y"}).with("axis", 0).output("y", {"2200", "4"});
  expect_barrier_beside_relu(maker, "Concat", "it has 1100 operands");
}

TEST(NotTaken, MoreOperandsThanAGraphTakesAreOneErrorThatNamesTheNode) {
  const std::string error = error_of(
      ModelMaker().input("x", {"2"}).node("Concat", std::vector<std::string>(70'000, "x"), {"y"}).with("axis", 0).output("y"));
  EXPECT_EQ(error, "node 'n_y': has 70000 operands, more than the 65536 that a graph takes");
}

TEST(NotTaken, SparseInitializersAreDenseWeights) {
  ModelMaker maker;
  auto& sparse = *maker.graph().add_sparse_initializer();
  sparse.mutable_values()->set_name("w");
  sparse.mutable_values()->set_data_type(kF32);
  sparse.mutable_values()->add_dims(1);
  sparse.mutable_values()->add_float_data(1.5f);
  sparse.mutable_indices()->set_data_type(7);
  sparse.mutable_indices()->add_dims(1);
  sparse.mutable_indices()->add_int64_data(9);
  sparse.add_dims(4);
  sparse.add_dims(8);
  maker.input("x", {"4", "8"}).node("Add", {"x", "w"}, {"y"}).output("y", {"4", "8"});
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Add");
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_EQ(model.notes[0], "initializer 'w' is sparse: it is read as a dense tensor of its shape");
  const std::string bytes = maker.bytes();
  const auto read = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, Weights::kRead);
  ASSERT_TRUE(read.ok()) << read.error().message;
  std::vector<double> numbers(32);
  numbers[9] = 1.5;
  EXPECT_EQ(unpack({DType::kF32, {4, 8}}, read.value().weights.at("w")).value().data, numbers);
  sparse.mutable_indices()->set_int64_data(0, 32);
  EXPECT_TRUE(has(error_of(maker), "initializer 'w': has a place outside of its extents"));
  sparse.set_dims(1, -8);
  EXPECT_TRUE(has(error_of(maker), "initializer 'w': has the extent -8"));
}

}  // namespace
}  // namespace fuselab
