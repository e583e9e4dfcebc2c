// SPDX-License-Identifier: Apache-2.0
#include "core/select/workload_characteristics.h"

#include <gmock/gmock.h>

#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

WorkloadCharacteristics characterized(std::string_view text) {
  const auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  const auto workload = characterize(graph.value());
  EXPECT_TRUE(workload.ok()) << workload.error().message;
  return workload.value();
}

CeilingTable ceilings(double bandwidth, double flops) {
  CeilingTable table;
  Ceiling stream;
  stream.kind = "stream";
  stream.footprint = {1 << 20};
  stream.per_second = bandwidth;
  Ceiling peak;
  peak.kind = "flops";
  peak.per_second = flops;
  table.rows = {stream, peak};
  return table;
}

TEST(WorkloadCharacteristics, CountsFlopsPerByteOfAMap) {
  const auto workload = characterized("graph(i0: f32[1000], i1: f32[1000]) { v0 = Add(i0, i1); v1 = Relu(v0); return v1 }");
  EXPECT_EQ(workload.primary, OperationType::kMap);
  EXPECT_EQ(workload.traffic().count, 12000);
  EXPECT_EQ(workload.elements, 1000);
  EXPECT_EQ(workload.operators, 2);
  EXPECT_TRUE(workload.is_fusible());
  EXPECT_DOUBLE_EQ(workload.intensity(), workload.flops / 12000);
  EXPECT_TRUE(workload.is_memory_bound(10));
  EXPECT_FALSE(workload.has_random_access);
}

TEST(WorkloadCharacteristics, TellsContractionsAndReductions) {
  const auto product =
      characterized("graph(i0: f32[64,64], p0: param f32[64,64]) { v0 = MatMul(i0, p0); v1 = Relu(v0); return v1 }");
  EXPECT_EQ(product.primary, OperationType::kContraction);
  EXPECT_GE(product.flops, 2.0 * 64 * 64 * 64);
  EXPECT_FALSE(product.is_memory_bound(5));
  EXPECT_EQ(characterized("graph(i0: f32[8,64]) { v0 = Softmax(i0); return v0 }").primary, OperationType::kReduce);
}

TEST(WorkloadCharacteristics, DescribesArraysWithoutAGraph) {
  const auto map = map_workload(1'000'000, DType::kF32, 10);
  EXPECT_EQ(map.traffic().count, 8'000'000);
  EXPECT_DOUBLE_EQ(map.flops, 1e7);
  EXPECT_DOUBLE_EQ(map.operations_per_element(), 10);
  const auto reduce = reduce_workload(1'000'000, DType::kF16, 1);
  EXPECT_EQ(reduce.traffic().count, 2'000'002);
  EXPECT_EQ(reduce.primary, OperationType::kReduce);
  EXPECT_EQ(filter_workload(100, DType::kF32, 1).primary, OperationType::kFilter);
}

TEST(WorkloadCharacteristics, EstimateTheLeastTimeTheCeilingsAllow) {
  const auto map = map_workload(1'000'000, DType::kF32, 10);  // 8 MB, 10 MFLOP
  EXPECT_NEAR(estimate_cost(map, ceilings(8e9, 1e12)).value().count, 1e6, 1);
  EXPECT_NEAR(estimate_cost(map, ceilings(8e12, 1e9)).value().count, 1e7, 1);
  EXPECT_EQ(estimate_cost(map, CeilingTable()), std::nullopt);
}

}  // namespace
}  // namespace fuselab
