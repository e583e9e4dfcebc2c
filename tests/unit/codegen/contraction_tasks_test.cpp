// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/contraction_tasks.h"

#include <gtest/gtest.h>

#include "backends/codegen/cpu/contraction_family.h"
#include "core/graph/graph_text.h"

namespace fuselab::codegen {
namespace {

LaunchConfig default_of(const std::string& graph, std::int64_t cores) {
  const Target target{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", cores}, {"l3_bytes", 32 << 20}}};
  return contraction_family().default_config(parse_graph(graph).value(), target);
}

std::string of_scaled_weights(int rows, int columns) {
  const std::string n = std::to_string(columns);
  return "graph(x: f32[" + std::to_string(rows) + ",1024], w: f32[1024," + n + "], s: f32[" + n +
         "]) { q = Mul(w, s); y = MatMul(x, q); return y }";
}

std::string of_gelu(int rows, int columns) {
  return "graph(x: f32[" + std::to_string(rows) + ",3072], w: f32[3072," + std::to_string(columns) +
         "]) { q = Gelu(x); y = MatMul(q, w); return y }";
}

TEST(ContractionTasks, ComputeTheRightOperandAsSeldomAsThreadsAreBusy) {
  EXPECT_EQ(default_of(of_scaled_weights(512, 1024), 2).integer("rows_per_task", 0), 512);
  EXPECT_EQ(default_of(of_scaled_weights(128, 1024), 2).integer("rows_per_task", 0), 128) << "all rows at once";
  EXPECT_EQ(default_of(of_scaled_weights(512, 8), 2).integer("rows_per_task", 0), 64)
      << "one strip of columns: rows are shared out";
  EXPECT_EQ(default_of(of_scaled_weights(512, 8), 1).integer("rows_per_task", 0), 512) << "and nobody waits";
}

TEST(ContractionTasks, ComputeTheLeftOperandOnceWhereRowsKeepAllThreadsBusy) {
  const LaunchConfig many = default_of(of_gelu(2048, 768), 2);
  EXPECT_EQ(many.integer("rows_per_task", 0), 512);
  EXPECT_EQ(many.integer("column_parts", 0), 1);
  const LaunchConfig few = default_of(of_gelu(192, 2048), 2);
  EXPECT_EQ(few.integer("rows_per_task", 0), 192) << "each brings half of the right operand together, once";
  EXPECT_EQ(few.integer("column_parts", 0), 2);
  EXPECT_EQ(default_of(of_gelu(192, 2048), 1).integer("column_parts", 0), 1);
  EXPECT_GT(default_of(of_gelu(1, 2048), 8).integer("column_parts", 0), 1) << "one row";
}

TEST(ContractionTasks, TakeAllRowsWhereStripsKeepAllThreadsBusy) {
  const LaunchConfig config = default_of("graph(x: f32[128,64], w: f32[64,64]) { y = MatMul(x, w); return y }", 2);
  EXPECT_EQ(config.integer("rows_per_task", 0), 128) << "each strip of the right operand is copied once";
  EXPECT_FALSE(config.has("column_parts"));
  const LaunchConfig narrow = default_of("graph(x: f32[128,64], w: f32[64,8]) { y = MatMul(x, w); return y }", 2);
  EXPECT_EQ(narrow.integer("rows_per_task", 0), 64) << "one strip: rows are shared out";
}

}  // namespace
}  // namespace fuselab::codegen
