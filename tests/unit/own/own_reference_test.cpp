// SPDX-License-Identifier: Apache-2.0
#include "core/reference/own_reference.h"

#include <gmock/gmock.h>

#include "core/cost/cost.h"
#include "core/graph/graph_text.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"
#include "core/reference/tolerance.h"
#include "tests/unit/own/own_folder.h"

namespace fuselab {
namespace {

Graph twice(engine::OwnFolder& folder) {
  const auto own = folder.read();
  EXPECT_TRUE(own.ok()) << own.error().message;
  return engine::graph_of(own.value().kernel).value();
}

TEST(OwnReference, IsJudgedByItsGraph) {
  engine::OwnFolder folder;
  const Graph graph = twice(folder);
  const std::vector<RealTensor> inputs = make_inputs(graph, {});
  const auto expected = expected_outputs(graph, inputs, 1).value();
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(expected[0].values[5], 2 * inputs[0].data[5]);
  std::vector<RealTensor> actual = evaluate_reference(graph, inputs).value();
  EXPECT_TRUE(compare_outputs(graph, expected, actual).passed);
  actual[0].data[7] += 0.01;
  EXPECT_FALSE(compare_outputs(graph, expected, actual).passed);
}

// ((a + b) + c) + d in the kernel, (a + b) + (c + d) in the reference: where the reference's sums are small, the kernel's are not.
TEST(OwnReference, AllowsForAnotherOrderOfSums) {
  engine::OwnFolder folder;
  folder.change("Add(x, x)", "Mul(x, x)");
  const Graph graph = twice(folder);
  ExpectedOutput expected;
  expected.type = graph.type(graph.outputs()[0]);
  expected.values.assign(64, 1.0);
  expected.values[5] = 0.02;
  expected.magnitude = expected.values;
  RealTensor actual{expected.type, expected.values};
  actual.data[5] += 1e-7;
  EXPECT_TRUE(compare_outputs(graph, std::vector{expected}, std::vector{actual}).passed);
  actual.data[5] += 1e-4;
  EXPECT_FALSE(compare_outputs(graph, std::vector{expected}, std::vector{actual}).passed);
}

TEST(OwnReference, TakesTheToleranceThatIsStated) {
  engine::OwnFolder folder;
  folder.change("[parameters]", "[tolerance]\nabsolute = 0.1\n[parameters]");
  const Graph graph = twice(folder);
  const std::vector<RealTensor> inputs = make_inputs(graph, {});
  const auto expected = expected_outputs(graph, inputs, 1).value();
  std::vector<RealTensor> actual = evaluate_reference(graph, inputs).value();
  actual[0].data[7] += 0.05;
  EXPECT_TRUE(compare_outputs(graph, expected, actual).passed);
  actual[0].data[7] += 0.1;
  EXPECT_FALSE(compare_outputs(graph, expected, actual).passed);
}

TEST(OwnReference, FillsAnInputWithOneNumber) {
  engine::OwnFolder folder;
  folder.change("type = \"f32\"\nshape = [\"n\"]\n[[argument]]\nname = \"y\"",
                "type = \"f32\"\nfill = 0.5\nshape = [\"n\"]\n[[argument]]\nname = \"y\"");
  const Graph graph = twice(folder);
  EXPECT_THAT(make_inputs(graph, {})[0].data, ::testing::Each(0.5));
  EXPECT_FALSE(depends_on_pattern(graph, graph.inputs()[0]));
}

TEST(OwnReference, AnotherTextAsksTheSame) {
  engine::OwnFolder folder;
  const Graph before = twice(folder);
  folder.write("twice.c", "void twice(const float* x, float* y, long task) { (void)each; }\n");
  const Graph slower = twice(folder);
  EXPECT_NE(graph_key(before).hex(), graph_key(slower).hex());
  EXPECT_TRUE(ask_the_same(before, slower));
  folder.change("Add(x, x)", "Mul(x, x)");
  EXPECT_FALSE(ask_the_same(before, twice(folder)));
}

TEST(OwnReference, MayBeTheDefaultConfiguration) {
  engine::OwnFolder folder;
  folder.change("\"graph(x: f32[n]) { y = Add(x, x); return y }\"", "\"default\"");
  const Graph graph = twice(folder);
  EXPECT_FALSE(own_reference(graph).value()->graph.has_value());
  ExpectedOutput expected;
  expected.type = graph.type(graph.outputs()[0]);
  expected.values.assign(64, 1000.0);
  expected.magnitude = expected.values;
  RealTensor actual{expected.type, expected.values};
  actual.data[3] += 0.1;  // 2^-13 of the largest
  EXPECT_TRUE(compare_outputs(graph, std::vector{expected}, std::vector{actual}).passed);
  actual.data[3] += 0.1;
  EXPECT_FALSE(compare_outputs(graph, std::vector{expected}, std::vector{actual}).passed);
}

TEST(OwnReference, CountsTheBytesThatAreStated) {
  engine::OwnFolder folder;
  EXPECT_EQ(cost_of(twice(folder)).value().read.count, 256);
  folder.change("[parameters]", "[cost]\nbytes = \"n * 6\"\nflops = 7\n[parameters]");
  const Cost cost = cost_of(twice(folder)).value();
  EXPECT_EQ(cost.read.count + cost.written.count, 384);
  EXPECT_EQ(cost.flops, 7);
}

}  // namespace
}  // namespace fuselab
