// SPDX-License-Identifier: Apache-2.0
#include "core/cost/cost.h"

#include <gtest/gtest.h>

#include "tests/support/graph_builder.h"

namespace fuselab {
namespace {

using testing::graph_from;
using testing::workload_graph;

Cost cost(std::string_view text) {
  return cost_of(graph_from(text)).value();
}

// Bytes of a workload in units of its main tensor, so that the table of ideal and eager traffic can be read off. Rows of
// 4096 elements make the vectors of a norm and the results per row vanish to below 1/1000.
struct Traffic {
  double ideal;
  double eager;
};

Traffic traffic(std::string_view workload, double main_elements) {
  const Cost found = cost_of(workload_graph(workload)).value();
  const double main = 4 * main_elements;
  return {static_cast<double>(found.ideal().count) / main, static_cast<double>(found.eager().count) / main};
}

constexpr double kSquare = 4096.0 * 4096.0;
constexpr double kClose = 0.003;

TEST(WorkloadTraffic, BiasGeluMovesTwiceTheIdeal) {
  const Traffic found = traffic("w1", kSquare);
  EXPECT_NEAR(found.ideal, 2, kClose);
  EXPECT_NEAR(found.eager, 4, kClose);
}

TEST(WorkloadTraffic, GeluWrittenOutMovesElevenTensors) {
  const Traffic found = traffic("w2", kSquare);
  EXPECT_NEAR(found.ideal, 2, kClose);
  EXPECT_NEAR(found.eager, 11, kClose);
}

// With the norm as one operator, so two kernels: the lower end of the published 1.25 to 3.
TEST(WorkloadTraffic, ResidualNormMovesFiveForFour) {
  const Traffic found = traffic("w3", kSquare);
  EXPECT_NEAR(found.ideal, 4, kClose);
  EXPECT_NEAR(found.eager, 5, kClose);
}

// A norm that is one operator is one kernel already: nothing to gain. Written out in nine operators it moves 12 tensors,
// above the published 6 to 10, which count frameworks whose mean and variance come from one kernel.
TEST(WorkloadTraffic, NormsGainOnlyWhereTheyAreWrittenOut) {
  for (const char* workload : {"w4-layernorm", "w4-rmsnorm"}) {
    EXPECT_NEAR(traffic(workload, kSquare).ideal, 2, kClose);
    EXPECT_NEAR(traffic(workload, kSquare).eager, 2, kClose);
  }
  EXPECT_NEAR(traffic("w4-layernorm-written-out", kSquare).ideal, 2, kClose);
  EXPECT_NEAR(traffic("w4-layernorm-written-out", kSquare).eager, 12, kClose);
}

// Triton's count, exactly: 5MN+2M read, 3MN+2M written.
TEST(WorkloadTraffic, SoftmaxMovesFourTimesTheIdeal) {
  const Cost found = cost_of(workload_graph("w5")).value();
  const std::int64_t rows = 4096;
  EXPECT_EQ(found.eager_read.count, 4 * (5 * rows * rows + 2 * rows));
  EXPECT_EQ(found.eager_written.count, 4 * (3 * rows * rows + 2 * rows));
  EXPECT_EQ(found.ideal().count, 4 * 2 * rows * rows);
  EXPECT_NEAR(found.traffic_bound(), 4.0, kClose);
  EXPECT_NEAR(traffic("w5-softmax-op", kSquare).eager, 2, kClose);
}

TEST(WorkloadTraffic, SwiGluMovesFiveForThree) {
  const Traffic found = traffic("w6", kSquare);
  EXPECT_NEAR(found.ideal, 3, kClose);
  EXPECT_NEAR(found.eager, 5, kClose);
  EXPECT_NEAR(found.eager / found.ideal, 1.67, 0.01);
}

// Published 13 N. Here: two slices 1 N each, Neg of a half 1 N, Concat 2 N, two Mul 2 N each, Add 3 N = 12 N; the
// remaining N is cos and sin read at full size, which broadcast over the 32 heads here: 2/32 N.
TEST(WorkloadTraffic, RopeMovesTwelveForTwo) {
  const Traffic found = traffic("w7", 2 * 32.0 * 4096 * 128);
  EXPECT_NEAR(found.ideal, 2 + 1.0 / 32, kClose);
  EXPECT_NEAR(found.eager, 12 + 2.0 / 32, kClose);
}

// Scores once, plus 12 bytes a row: an 8-byte label and a 4-byte loss. Published eager counts of 2 to 3 N are those of a
// log-softmax kept in memory; here the loss is one operator.
TEST(WorkloadTraffic, CrossEntropyReadsItsScoresOnce) {
  const Cost found = cost_of(workload_graph("w8")).value();
  EXPECT_EQ(found.ideal().count, 4LL * 512 * 32768 + 12 * 512);
  EXPECT_EQ(found.eager().count, found.ideal().count);
}

TEST(WorkloadTraffic, EpiloguesAddFourPassesOverTheProduct) {
  const Cost found = cost_of(workload_graph("w10")).value();
  const std::int64_t gemm = 4 * (256 * 768 + 768 * 3072 + 256 * 3072);
  const std::int64_t bias = 4 * 3072;
  EXPECT_EQ(found.ideal().count, gemm + bias);
  EXPECT_EQ(found.eager().count, gemm + bias + 4 * (4 * 256 * 3072));
}

TEST(WorkloadTraffic, ConvolutionBatchNormReluAddsFourPasses) {
  const Cost found = cost_of(workload_graph("w11")).value();
  const std::int64_t image = 4 * 64 * 56 * 56;
  const std::int64_t weights = 4 * (64 * 64 * 9 + 4 * 64);
  EXPECT_EQ(found.ideal().count, 2 * image + weights);
  EXPECT_EQ(found.eager().count, 6 * image + weights);
}

// Published N to 3 N count re-reading kernels; written out, the centred values and their squares are stored as well.
TEST(WorkloadTraffic, MeanVarianceReadsItsInputOnce) {
  const Traffic found = traffic("w13", kSquare);
  EXPECT_NEAR(found.ideal, 1, kClose);
  EXPECT_NEAR(found.eager, 6, kClose);
}

TEST(WorkloadTraffic, ReductionsReadTheirTensorOnce) {
  EXPECT_NEAR(traffic("w13-row-sum", kSquare).ideal, 1, kClose);
  EXPECT_NEAR(traffic("w13-full-sum", kSquare).ideal, 1, kClose);
  EXPECT_NEAR(traffic("w13-full-mean-variance", kSquare).ideal, 1, kClose);
  EXPECT_NEAR(traffic("w13-full-mean-variance", kSquare).eager, 6, kClose);
}

// Written out, the scores and what is made of them go through memory; as one operator or one kernel only Q, K, V and the result do.
TEST(WorkloadTraffic, AttentionWrittenOutMovesItsScores) {
  const double main = 8.0 * 1024 * 128, scores = 8.0 * 1024 * 1024;
  const Traffic found = traffic("w12-attention-written-out", main);
  EXPECT_NEAR(found.ideal, 4, kClose);
  EXPECT_NEAR(found.eager, 6 + 6 * scores / main, kClose);  // the turned K is written and read; six passes over the scores
  EXPECT_NEAR(traffic("w12-attention", main).ideal, 4, kClose);
}

// Ideal 28 bytes a parameter. Published eager 80 bytes are 8 kernels of frameworks that own lerp and addcmul; in plain
// operators, 13 kernels, it is 120.
TEST(WorkloadTraffic, AdamMovesTwentyEightBytesAParameter) {
  const Cost found = cost_of(workload_graph("w14")).value();
  EXPECT_EQ(found.read.count, 16LL * 4194304);
  EXPECT_EQ(found.written.count, 12LL * 4194304);
  EXPECT_EQ(found.eager().count, 120LL * 4194304);
  EXPECT_NEAR(found.read_share(), 16.0 / 28, 1e-12);
}

TEST(Cost, ViewsAndConstantsAreFree) {
  const Cost found = cost(
      "graph(x: f32[2,3,4]) { c = Constant(value=2.0); u = Unsqueeze(c, axes=[0]); r = Reshape(x, shape=[6,4]); f = Flatten(r); "
      "y = Mul(f, u); z = Squeeze(y); i = Identity(z); return i }");
  EXPECT_EQ(found.read.count, 96);
  EXPECT_EQ(found.written.count, 96);
  EXPECT_EQ(found.eager().count, 192);
}

TEST(Cost, AViewAloneCostsNothing) {
  const Cost found = cost("graph(x: f32[6]) { y = Reshape(x, shape=[2,3]); return y }");
  EXPECT_EQ(found.ideal().count, 0);
  EXPECT_EQ(found.eager().count, 0);
  EXPECT_EQ(found.traffic_bound(), 1.0);
  EXPECT_EQ(found.intensity(), 0.0);
}

TEST(Cost, MovementMovesBytes) {
  EXPECT_EQ(cost("graph(x: f32[2,3]) { y = Transpose(x); return y }").eager().count, 48);
  EXPECT_EQ(cost("graph(x: f32[2,3], z: f32[2,5]) { y = Concat(x, z, axis=1); return y }").eager().count, 2 * 64);
  EXPECT_EQ(cost("graph(x: f32[100]) { y = Slice(x, starts=[0], ends=[10]); return y }").eager().count, 80);
  EXPECT_EQ(cost("graph(x: f32[3,1]) { y = Expand(x, shape=[3,4]); return y }").eager().count, 12 + 48);
}

TEST(Cost, AnOperandReadTwiceIsReadOnce) {
  EXPECT_EQ(cost("graph(x: f32[10]) { y = Mul(x, x); return y }").eager().count, 80);
}

TEST(Cost, SliceReadsThePartItKeeps) {
  const Cost found = cost("graph(x: f32[1000,8]) { y = Slice(x, starts=[0], ends=[10], axes=[0]); return y }");
  EXPECT_EQ(found.ideal().count, 2 * 320);
  EXPECT_EQ(found.eager().count, 2 * 320);
  const Cost halves = cost(
      "graph(x: f32[100]) { a = Slice(x, starts=[0], ends=[60]); b = Slice(x, starts=[0], ends=[60]); y = Add(a, b); return y }");
  EXPECT_EQ(halves.read.count, 400) << "no more than there is";
}

TEST(Cost, RotaryEmbeddingReadsARowOfItsTablesPerPosition) {
  const Cost found = cost(
      "graph(x: f32[1,2,16,64], c: param f32[4096,32], s: param f32[4096,32], p: i64[1,16]) "
      "{ y = RotaryEmbedding(x, c, s, p); return y }");
  EXPECT_EQ(found.read.count, 8192 + 2 * 16 * 128 + 128);
  EXPECT_EQ(found.eager().count, found.ideal().count);
}

TEST(Cost, ReadsOfEachInputAddUpToAllReads) {
  const Graph graph = graph_from("graph(t: param f32[1000,8], i: i64[2], b: f32[8]) { g = Gather(t, i); y = Add(g, b); return y }");
  const auto reads = compulsory_reads(graph);
  ASSERT_TRUE(reads.ok());
  ASSERT_EQ(reads.value().size(), 3U);
  EXPECT_EQ(reads.value()[0].count, 64);
  EXPECT_EQ(reads.value()[0].count + reads.value()[1].count + reads.value()[2].count, cost_of(graph).value().read.count);
}

TEST(Cost, GatherReadsWhatItGathers) {
  const Cost found = cost("graph(t: param f32[1000,8], i: i64[2]) { y = Gather(t, i); return y }");
  EXPECT_EQ(found.read.count, 2 * 8 * 4 + 2 * 8);
  EXPECT_EQ(found.written.count, 2 * 8 * 4);
  EXPECT_EQ(found.eager_read.count, found.read.count);
  const Cost also_read = cost("graph(t: param f32[1000,8], i: i64[2]) { y = Gather(t, i); z = Exp(t); return y, z }");
  EXPECT_EQ(also_read.read.count, 1000 * 8 * 4 + 2 * 8) << "another reader takes all of the table";
}

TEST(Cost, UnusedInputsAndInputsHandedBackCostNothing) {
  const Cost found = cost("graph(x: f32[4], unused: f32[1000]) { y = Exp(x); z = Identity(y); return y, z, x }");
  EXPECT_EQ(found.read.count, 16);
  EXPECT_EQ(found.written.count, 32) << "y and z are two buffers";
}

TEST(Cost, AnOutputBesideWhatItViewsIsWrittenToo) {
  const Cost found = cost("graph(x: f32[8,8]) { y = Relu(x); z = Identity(y); r = Reshape(z, shape=[64]); return y, r }");
  EXPECT_EQ(found.ideal().count, 3 * 256);
  EXPECT_EQ(found.eager().count, 4 * 256) << "the kernel of Relu, and a copy";
  EXPECT_EQ(cost("graph(x: f32[8,8]) { y = Relu(x); z = Identity(y); return z }").ideal().count, 2 * 256) << "one buffer";
  EXPECT_EQ(cost("graph(x: f32[8,8]) { y = Relu(x); return y, y }").ideal().count, 2 * 256) << "one value";
}

TEST(Cost, FourBitTypesCountHalfBytes) {
  EXPECT_EQ(cost("graph(x: u4[10]) { y = Transpose(x); return y }").eager().count, 10);
}

TEST(Cost, NeedsAConcreteGraph) {
  EXPECT_FALSE(cost_of(graph_from("graph(x: f32[n]) { y = Exp(x); return y }")).ok());
}

}  // namespace
}  // namespace fuselab
