// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/standing/backend_decision.h"

#include <gtest/gtest.h>

#include "app/engine/compare/table/best_unfused.h"
#include "app/engine/compare/table/model_totals.h"

namespace fuselab::engine {
namespace {

Cell timed(double ns, const std::string& trial, std::int64_t at) {
  Cell cell;
  cell.state = CellState::kMeasured;
  cell.figure = Figure{ns, {0.9 * ns, 1.1 * ns}, trial, "threads=1", true, 0, 0, ""};
  cell.figure->measured_unix_ms = at;
  return cell;
}

CompareCell cell_of(const std::string& device, double fused, double unfused, std::int64_t at = 1000) {
  CompareCell cell;
  cell.device_id = device;
  cell.backend = device.substr(0, device.find(':'));
  cell.fused = timed(fused, device + " fused", at);
  cell.unfused = timed(unfused, device + " unfused", at);
  return cell;
}

CompareCell failed(const std::string& device, const std::string& reason) {
  CompareCell cell;
  cell.device_id = device;
  cell.backend = device.substr(0, device.find(':'));
  cell.fused.state = cell.unfused.state = CellState::kFailed;
  cell.fused.reason = cell.unfused.reason = reason;
  return cell;
}

std::shared_ptr<const CompareTable> table_of(const std::string& model, std::vector<std::vector<CompareCell>> pieces,
                                             const std::vector<std::string>& ids = {"a:0", "b:0"}) {
  auto table = std::make_shared<CompareTable>();
  table->model = model;
  table->binding = "batch=1";
  for (auto& cells : pieces) {
    CompareRow& row = table->rows.emplace_back();
    row.name = "piece" + std::to_string(table->rows.size());
    row.cells = std::move(cells);
    row.cost.read = Bytes{4096};  // what would have to be handed over
    row.best_unfused = best_unfused(row, {});
  }
  std::vector<ComparedDevice> devices;
  for (const std::string& id : ids) {
    ComparedDevice& device = devices.emplace_back();
    device.info.id = id;
    device.info.backend = id.substr(0, 1);
    device.info.type = id == "gpu:0" ? "gpu" : "cpu";
  }
  table->totals = model_totals(*table, devices);
  return table;
}

TEST(BackendDecision, EachDeviceStandsBesideTheBestMixWithItsFasterPlans) {
  // The mix: 10 + 4 = 14. On a: 10 + 8 (its unfused plan is the faster one). On b: 20 + 4.
  const auto decision = decide_backend(
      {table_of("m", {{cell_of("a:0", 10, 15), cell_of("b:0", 20, 30)}, {cell_of("a:0", 12, 8), cell_of("b:0", 4, 6)}})});
  ASSERT_EQ(decision.devices.size(), 2U);
  EXPECT_EQ(decision.models[0].name, "m batch=1");
  EXPECT_DOUBLE_EQ(decision.models[0].best_ns, 14);
  const DeviceOnModel& first = decision.devices[0].models[0];
  EXPECT_EQ(decision.devices[0].device_id, "a:0");
  EXPECT_DOUBLE_EQ(first.slow_down->value, 18.0 / 14);
  EXPECT_DOUBLE_EQ(first.slow_down->interval.low, 0.9 * 18 / (1.1 * 14));
  EXPECT_DOUBLE_EQ(first.slow_down->interval.high, 1.1 * 18 / (0.9 * 14));
  EXPECT_DOUBLE_EQ(decision.devices[1].models[0].slow_down->value, 24.0 / 14);
  EXPECT_EQ(decision.sentence(),
            "a:0 is the best single default here: 1.29x the best mix [1.05, 1.57] over 1 model, and it runs all pieces. b:0 is "
            "next: 1.71x "
            "the best mix [1.4, 2.1], and it runs all pieces.");
}

TEST(BackendDecision, WhatADeviceCannotRunIsCountedAndNamed) {
  const auto decision = decide_backend(
      {table_of("m", {{cell_of("a:0", 10, 10), failed("b:0", "no Attention")}, {cell_of("a:0", 20, 20), cell_of("b:0", 5, 5)}})});
  EXPECT_EQ(decision.devices[0].device_id, "a:0") << "it runs everything itself";
  const DeviceStanding& other = decision.devices[1];
  EXPECT_DOUBLE_EQ(other.models[0].ns, 15) << "with what the first piece costs on a";
  EXPECT_EQ(other.models[0].elsewhere, 1);
  EXPECT_EQ(other.own, 1);
  EXPECT_EQ(other.pieces, 2);
  ASSERT_EQ(other.missing.size(), 1U);
  EXPECT_EQ(other.missing[0].reason, "no Attention");
  EXPECT_EQ(other.missing[0].first, "m: piece1");
  EXPECT_NE(decision.sentence().find("b:0 is next: 1x the best mix [0.818, 1.22], and it runs 1 of 2 pieces"), std::string::npos)
      << decision.sentence();
}

TEST(BackendDecision, APieceWhosePlansMayNotBeChosenIsTakenFromElsewhere) {
  CompareCell lossy = cell_of("b:0", 2, 2);
  lossy.fused.figure->drawbacks = lossy.unfused.figure->drawbacks = withheld_for(Drawback::kPrecisionLoss);
  const auto decision =
      decide_backend({table_of("m", {{cell_of("a:0", 10, 10), lossy}, {cell_of("a:0", 20, 20), cell_of("b:0", 5, 5)}})});
  const auto b =
      std::find_if(decision.devices.begin(), decision.devices.end(), [](const auto& each) { return each.backend == "b"; });
  ASSERT_NE(b, decision.devices.end());
  EXPECT_DOUBLE_EQ(b->models[0].ns, 15);
  EXPECT_EQ(b->models[0].elsewhere, 1);
  EXPECT_EQ(b->own, 1);
  ASSERT_EQ(b->missing.size(), 1U);
  EXPECT_EQ(b->missing[0].reason, "all plans have a drawback that is not accepted");
}

TEST(BackendDecision, ADeviceWithFewerModelsComesLater) {
  const auto decision = decide_backend(
      {table_of("m", {{cell_of("a:0", 30, 30), cell_of("b:0", 10, 10)}}), table_of("n", {{cell_of("a:0", 10, 10)}})});
  ASSERT_EQ(decision.devices.size(), 2U);
  EXPECT_EQ(decision.devices[0].device_id, "a:0");
  EXPECT_EQ(decision.devices[0].whole_models, 2);
  EXPECT_EQ(decision.devices[1].whole_models, 1) << "b has no piece of n";
  EXPECT_FALSE(decision.devices[1].models[1].why_not.empty());
  const auto none = decide_backend({table_of("m", {{failed("a:0", "broken"), failed("b:0", "broken")}})});
  EXPECT_TRUE(none.models.empty());
  EXPECT_EQ(none.sentence(), "Nothing decides yet: no device has run a whole model.");
}

TEST(BackendDecision, AModelWithAPieceThatNoDeviceRunsIsComparedOverTheOthers) {
  const auto decision = decide_backend(
      {table_of("m", {{cell_of("a:0", 10, 10), cell_of("b:0", 20, 20)}, {failed("a:0", "barrier"), failed("b:0", "barrier")}})});
  EXPECT_EQ(decision.models[0].covered, 1);
  EXPECT_EQ(decision.models[0].pieces, 2);
  EXPECT_DOUBLE_EQ(decision.devices[1].models[0].slow_down->value, 2);
}

TEST(BackendDecision, AFusedFigureWithoutItsPairCounts) {
  CompareCell lone = cell_of("a:0", 5, 5);
  lone.unfused = Cell();
  const auto decision =
      decide_backend({table_of("m", {{lone, cell_of("b:0", 20, 30)}, {cell_of("a:0", 7, 9), cell_of("b:0", 8, 9)}})});
  EXPECT_EQ(decision.devices[0].device_id, "a:0");
  EXPECT_DOUBLE_EQ(decision.devices[0].models[0].ns, 12);
  EXPECT_EQ(decision.devices[0].models[0].elsewhere, 0);
}

TEST(BackendDecision, DevicesAreEqualByTheirOwnIntervals) {
  const auto decision = decide_backend({table_of("m", {{cell_of("a:0", 10, 12), cell_of("b:0", 11, 12)}})});
  EXPECT_NE(decision.sentence().find("b:0 is next, equal within what their intervals allow"), std::string::npos)
      << decision.sentence();
}

TEST(BackendDecision, ADeviceThatIsLeftOutIsNamed) {
  const auto decision = decide_backend(
      {table_of("m", {{cell_of("a:0", 10, 10), cell_of("gpu:0", 1, 1)}, {cell_of("a:0", 20, 20), failed("gpu:0", "no Attention")}},
                {"a:0", "gpu:0"})});
  EXPECT_NE(decision.sentence().find("gpu:0 is not compared: it runs 1 of 2 pieces, and what it lacks cannot be handed over"),
            std::string::npos)
      << decision.sentence();
}

TEST(BackendDecision, TablesOfOneModelAreToldApart) {
  auto half = std::make_shared<CompareTable>(*table_of("m", {{cell_of("a:0", 10, 12)}}));
  half->dtype = "f16";
  const auto decision = decide_backend({table_of("m", {{cell_of("a:0", 20, 24)}}), half});
  EXPECT_NE(decision.models[0].name, decision.models[1].name);
}

TEST(BackendDecision, NoiseAndAgeOfTheEvidenceAreSaid) {
  auto cell = cell_of("a:0", 10, 12, 2000);
  cell.fused.figure->disturbance = "disturbed while timing";
  const auto decision = decide_backend({table_of("m", {{cell, cell_of("b:0", 30, 40, 5000)}})});
  EXPECT_EQ(decision.models[0].oldest_unix_ms, 2000);
  EXPECT_EQ(decision.models[0].newest_unix_ms, 5000);
  EXPECT_EQ(decision.models[0].disturbed, 1);
  EXPECT_DOUBLE_EQ(decision.disturbed_share(), 0.25);
  EXPECT_NE(decision.sentence().find("25% of the figures were disturbed by other load: measure again before you decide."),
            std::string::npos);
}

}  // namespace
}  // namespace fuselab::engine
