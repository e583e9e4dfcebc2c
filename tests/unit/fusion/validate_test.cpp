// SPDX-License-Identifier: Apache-2.0
#include "fusion_test_support.h"

namespace fuselab {
namespace {

FusedOperation piece(std::string_view text) {
  FusedOperation operation;
  operation.graph = testing::graph_of(text);
  return operation;
}

bool mentions(const std::vector<std::string>& list, std::string_view part) {
  for (const auto& text : list) {
    if (text.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(FusionValidator, AcceptsAWholeGroup) {
  const auto found = validate(piece("graph(a: f32[8], b: f32[8]) { s = Add(a, b); r = Relu(s); return r }"));
  EXPECT_TRUE(found.valid());
  EXPECT_TRUE(found.warnings.empty());
}

TEST(FusionValidator, ShapeThatDoesNotFollowFromTheOperatorsIsInvalid) {
  auto operation = piece("graph(a: f32[8,4]) { s = ReduceSum(a, axes=[1]); return s }");
  operation.graph.node(NodeId(0)).attributes.set("axes", std::vector<std::int64_t>{0});
  const auto found = validate(operation);
  ASSERT_FALSE(found.valid());
  EXPECT_TRUE(mentions(found.errors, "is recorded")) << found.errors.front();
}

TEST(FusionValidator, ReadingBeforeComputingIsACycle) {
  auto operation = piece("graph(a: f32[8]) { s = Exp(a); r = Relu(s); return r }");
  operation.graph.node(NodeId(0)).inputs = {operation.graph.node(NodeId(1)).outputs.front()};
  EXPECT_TRUE(mentions(validate(operation).errors, "cycle"));
}

TEST(FusionValidator, EmptyPieceIsInvalid) {
  EXPECT_FALSE(validate(FusedOperation()).valid());
}

TEST(FusionValidator, WarnsAboutDivisionLogarithmAndHalfSums) {
  EXPECT_TRUE(mentions(validate(piece("graph(a: f32[8], b: f32[8]) { s = Div(a, b); return s }")).warnings, "divide by zero"));
  EXPECT_TRUE(mentions(validate(piece("graph(a: f32[8]) { s = Log(a); return s }")).warnings, "not positive"));
  EXPECT_TRUE(
      mentions(validate(piece("graph(a: f16[8,64]) { s = ReduceSum(a, axes=[1]); return s }")).warnings, "accumulate in f32"));
  EXPECT_TRUE(
      mentions(validate(piece("graph(a: f16[8,64]) { s = ReduceMean(a, axes=[1]); return s }")).warnings, "accumulate in f32"));
  EXPECT_FALSE(
      mentions(validate(piece("graph(a: f32[8,64]) { s = ReduceSum(a, axes=[1]); return s }")).warnings, "accumulate in f32"));
}

TEST(FusionValidator, SumsOfWholeNumbersLoseNothingToHalfPrecision) {
  for (const char* const text : {"graph(a: i8[8,64]) { s = ReduceSum(a, axes=[1]); return s }",
                                 "graph(a: u8[8,64]) { s = ReduceSum(a, axes=[1]); return s }"}) {
    EXPECT_TRUE(validate(piece(text)).warnings.empty()) << text;
  }
}

TEST(FusionValidator, DividingByWhatCannotBeZeroIsNoFinding) {
  for (const char* const text :
       {"graph(a: f32[8]) { two = Constant(value=2.0); s = Div(a, two); return s }",
        "graph(a: f32[4,8]) { e = Exp(a); t = ReduceSum(e, axes=[1], keepdims=1); s = Div(e, t); return s }"}) {
    EXPECT_TRUE(validate(piece(text)).warnings.empty()) << text;
  }
  EXPECT_TRUE(mentions(validate(piece("graph(a: f32[8]) { z = Constant(value=0.0); s = Div(a, z); return s }")).warnings,
                       "divide by zero"));
  EXPECT_TRUE(
      mentions(validate(piece("graph(a: f32[4,8]) { t = ReduceSum(a, axes=[1], keepdims=1); s = Div(a, t); return s }")).warnings,
               "divide by zero"));
}

TEST(FusionValidator, FindingsSayWhichConstraintTheyAreAbout) {
  const auto found = validate(piece("graph(a: f16[8,64], b: f16[8,64]) { d = Div(a, b); s = ReduceSum(d, axes=[1]); return s }"));
  ASSERT_EQ(found.findings.size(), 2U);
  for (const auto& finding : found.findings) {
    EXPECT_FALSE(finding.is_error);
    EXPECT_EQ(name_of(finding.constraint), "NumericalPrecision");
  }
  EXPECT_EQ(found.warnings.size(), 2U);
  const auto empty = validate(FusedOperation());
  ASSERT_EQ(empty.findings.size(), 1U);
  EXPECT_TRUE(empty.findings.front().is_error);
  EXPECT_EQ(name_of(empty.findings.front().constraint), "DataFlow");
}

TEST(FusionValidator, WhatADeviceKeepsOnChipIsAskedOfIt) {
  const auto rows = piece("graph(a: f32[8,16384]) { s = Softmax(a); return s }");  // 64 KiB a row
  EXPECT_EQ(validate(rows).findings.size(), 1U);
  EXPECT_EQ(name_of(validate(rows).findings.front().constraint), "OnChipMemory");
  EXPECT_TRUE(validate(rows, {227 * 1024}).findings.empty());
  EXPECT_TRUE(validate(rows, {0}).findings.empty());
}

TEST(FusionValidator, WarnsAboutGathers) {
  EXPECT_TRUE(mentions(validate(piece("graph(a: f32[8,4], i: i64[3]) { s = Gather(a, i, axis=0); return s }")).warnings,
                       "scattered positions"));
}

TEST(FusionValidator, WarnsAboutRowsBeyondSharedMemory) {
  EXPECT_TRUE(mentions(validate(piece("graph(a: f32[8,65536]) { s = Softmax(a); return s }")).warnings, "shared memory"));
  EXPECT_FALSE(mentions(validate(piece("graph(a: f32[8,4096]) { s = Softmax(a); return s }")).warnings, "shared memory"));
}

TEST(FusionValidator, BarriersMayNotShareAGroupAndSideEffectsWarn) {
  const auto found = validate(piece("graph(a: f32[8]) { o: f32[8] = Opaque:Print(a); r = Relu(o); return r }"));
  EXPECT_TRUE(mentions(found.errors, "barrier"));
  EXPECT_TRUE(mentions(found.warnings, "side effect"));
  EXPECT_TRUE(mentions(validate(piece("graph(a: f32[8]) { o: f32[8] = Opaque:Loop(a); return o }")).warnings, "control flow"));
}

}  // namespace
}  // namespace fuselab
