// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/standing/backend_standing.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

CompareCell standing_cell(const std::string& backend, double ns) {
  CompareCell cell;
  cell.device_id = backend + ":0";
  cell.backend = backend;
  if (ns > 0) {
    cell.fused.state = CellState::kMeasured;
    Figure& figure = cell.fused.figure.emplace();
    figure.median_ns = ns;
    figure.interval = {ns, ns};
    figure.trial_id = "trial";
  }
  return cell;
}

CompareRow standing_row(const std::string& key, double cpu, double onednn) {
  CompareRow row;
  row.piece_key = key;
  row.cells = {standing_cell("cpu", cpu), standing_cell("onednn", onednn)};
  row.recommended_device = onednn > 0 && onednn < cpu ? "onednn:0" : "cpu:0";
  return row;
}

TEST(BackendStanding, CountsWhatEachIsFastestForAndHowMuchSlowerItIsElsewhere) {
  CompareTable first, second;
  first.rows = {standing_row("a", 100, 400), standing_row("b", 100, 0), standing_row("c", 200, 100)};
  second.rows = {standing_row("a", 100, 400), standing_row("d", 50, 50)};  // "a" again counts once
  const BackendStandings standings =
      backend_standings({std::make_shared<const CompareTable>(first), std::make_shared<const CompareTable>(second)});
  EXPECT_EQ(standings.pieces, 4);
  ASSERT_EQ(standings.backends.size(), 2U);
  EXPECT_EQ(standings.backends[0].backend, "cpu");
  EXPECT_EQ(standings.backends[0].fastest, 3);
  EXPECT_EQ(standings.backends[0].measured, 4);
  EXPECT_NEAR(standings.backends[0].slow_down, 1.1892, 1e-4);  // fourth root of 2
  EXPECT_EQ(standings.backends[1].fastest, 1);
  EXPECT_EQ(standings.backends[1].measured, 3);
  EXPECT_NEAR(standings.backends[1].slow_down, 1.5874, 1e-4);  // third root of 4
  EXPECT_EQ(standings.find("cuda"), nullptr);
}

}  // namespace
}  // namespace fuselab::engine
