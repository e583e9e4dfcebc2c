// SPDX-License-Identifier: Apache-2.0
#include "app/engine/survey.h"

#include <gtest/gtest.h>

#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

FusionResult fused() {
  const auto graph = parse_graph(
      "graph(x: f32[8,16], w: param f32[16,4]) { a = Relu(x); e = Exp(a); m: f32[8,16] = Opaque:Mystery(e); n: f32[8,16] = "
      "Opaque:Mystery(m); "
      "p = MatMul(n, w); r = Reshape(x, shape=[128]); return p, r }");
  return fuse(graph.value(), {}).value();
}

CompareCell cell(bool measured, const std::string& reason) {
  CompareCell cell;
  cell.device_id = "cpu:0";
  if (measured) cell.fused.figure = Figure();
  cell.fused.reason = reason;
  return cell;
}

// Every piece as a row: those of operators that are in `ran` have a figure.
CompareTable table_of(const FusionResult& fusion, const std::string& ran) {
  CompareTable table;
  table.model = "model.onnx";
  for (const FusedOperation& piece : deduplicate(fusion.operations)) {
    CompareRow row;
    row.piece_key = graph_key(piece.graph).hex();
    const bool barrier = piece.pattern == FusionPatternType::kOpaque;
    row.runs_nothing = fusion.graph.node(piece.nodes.front()).op == Op::kReshape;
    row.cells.push_back(
        cell(ran.find(piece.name) != std::string::npos, barrier ? "a barrier: it is a mystery" : "fused skipped: too large"));
    table.rows.push_back(row);
  }
  return table;
}

TEST(Survey, CountsWhatRanAndNamesWhatDidNot) {
  const FusionResult fusion = fused();
  ASSERT_EQ(fusion.operations.size(), 5U);
  const Survey survey = survey_of(fusion, table_of(fusion, fusion.operations.front().name));
  EXPECT_EQ(survey.operators, 6);
  EXPECT_EQ(survey.understood, 4);
  EXPECT_EQ(survey.run, 3) << "Relu and Exp were measured, the view runs nothing";
  EXPECT_EQ(survey.groups, 5);
  EXPECT_EQ(survey.distinct, 4) << "the two mysteries are one piece";
  EXPECT_DOUBLE_EQ(survey.run_share(), 0.5);
  ASSERT_EQ(survey.not_run.size(), 2U);
  EXPECT_EQ(survey.not_run[0].op, "Mystery");
  EXPECT_EQ(survey.not_run[0].count, 2);
  EXPECT_EQ(survey.not_run[0].first, "m");
  EXPECT_EQ(survey.not_run[0].reason, "a barrier: it is a mystery");
  EXPECT_EQ(survey.not_run[1].op, "MatMul");
  EXPECT_EQ(survey.not_run[1].reason, "fused skipped: too large");
}

TEST(Survey, SaysOfEachDeviceWhatItDidNotRunThoughAnotherDid) {
  const FusionResult fusion = fused();
  CompareTable table = table_of(fusion, fusion.operations.front().name);
  for (CompareRow& row : table.rows) {
    CompareCell& other = row.cells.emplace_back(cell(false, "fused unsupported: no such primitive"));
    other.device_id = "onednn:0";
  }
  const Survey survey = survey_of(fusion, table);
  ASSERT_EQ(survey.not_run_there.size(), 2U) << "Relu and Exp; the view runs nothing, and of the rest nothing ran at all";
  EXPECT_EQ(survey.not_run_there[0].device, "onednn:0");
  EXPECT_EQ(survey.not_run_there[0].op, "Relu");
  EXPECT_EQ(survey.not_run_there[1].op, "Exp");
  EXPECT_EQ(survey.not_run_there[1].reason, "fused unsupported: no such primitive");
}

TEST(Survey, OfATableWithoutThePieceSaysSo) {
  const FusionResult fusion = fused();
  const Survey survey = survey_of(fusion, CompareTable());
  EXPECT_EQ(survey.run, 0);
  EXPECT_EQ(survey.not_run.front().reason, "it is in none of the pieces that were to be measured");
}

}  // namespace
}  // namespace fuselab::engine
