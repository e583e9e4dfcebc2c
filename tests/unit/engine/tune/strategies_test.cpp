// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/strategies.h"

#include <gmock/gmock.h>

namespace fuselab::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CompareRow row_of(const std::string& name, const std::string& pattern, double gain) {
  CompareRow row;
  row.name = name;
  row.pattern = pattern;
  row.recommended_device = "cpu:0";
  row.recommended_plan = gain < 1 ? PlanKind::kUnfused : PlanKind::kFused;
  CompareCell cell;
  cell.device_id = "cpu:0";
  cell.gain = Ratio{gain, {0.99 * gain, 1.01 * gain}};
  row.cells = {cell};
  return row;
}

ModelTotal total_of(const std::string& device, double unfused, double fused) {
  ModelTotal total;
  total.device_id = device;
  total.unfused_ns = unfused;
  total.fused_ns = fused;
  total.pieces = total.measured_pieces = 3;
  return total;
}

CompareTable table() {
  CompareTable table;
  table.model = "model";
  table.level = "O2";
  table.rows = {row_of("norm", "ResidualNorm", 2), row_of("other norm", "ResidualNorm", 8), row_of("attention", "Attention", 0.5)};
  table.totals = {total_of("cpu:0", 300, 200), total_of("opencl:0", 900, 800), total_of(kBestMix, 240, 160)};
  return table;
}

TEST(Strategies, GainWhatWasMeasuredAndNothingElse) {
  const auto strategies = measured_strategies({table()});
  ASSERT_EQ(strategies.size(), 4U);
  EXPECT_EQ(strategies[0].name, "fuse ResidualNorm");
  EXPECT_NEAR(strategies[0].gain, 4, 1e-9) << "the geometric mean";
  EXPECT_EQ(strategies[0].least, 2);
  EXPECT_EQ(strategies[0].most, 8);
  EXPECT_THAT(strategies[0].levels, ElementsAre("O2"));
  EXPECT_EQ(strategies[1].name, "level O2");
  EXPECT_NEAR(strategies[1].gain, 240.0 / 160, 1e-9) << "the mix over every operator where it is fastest";
  EXPECT_NEAR(strategies[2].gain, 200.0 / 160, 1e-9) << "the mix over the fastest device alone";
  EXPECT_EQ(strategies[3].name, "fuse Attention");
  EXPECT_EQ(strategies[3].losing, 1) << "losing is said as plainly as gaining";
  EXPECT_EQ(measured_strategies({}).at(0).measured, 0);
}

TEST(Strategies, EachLevelGainsWhatItWasMeasuredTo) {
  CompareTable less = table(), nothing = table(), unknown = table(), partly = table();
  less.level = "O1";
  less.totals.back() = total_of(kBestMix, 240, 480);
  nothing.level = "O0";
  unknown.level = "";
  partly.level = "O3";
  partly.totals.back().measured_pieces = 2;
  std::map<std::string, Strategy> levels;
  for (const Strategy& each : measured_strategies({less, table(), table(), nothing, unknown, partly})) {
    if (each.name.starts_with("level ")) levels[each.name] = each;
  }
  ASSERT_EQ(levels.size(), 2U) << "O0 fuses nothing, and of half a model nothing is known";
  EXPECT_NEAR(levels["level O1"].gain, 0.5, 1e-9);
  EXPECT_EQ(levels["level O1"].losing, 1);
  EXPECT_THAT(levels["level O1"].levels, ElementsAre("O1"));
  EXPECT_NEAR(levels["level O2"].gain, 1.5, 1e-9);
  EXPECT_EQ(levels["level O2"].measured, 2);
}

TEST(Strategies, AResultSaysWhatWasAppliedAndWarnsOfWhatWasNot) {
  const OptimizationResult result = optimization_result(table());
  EXPECT_TRUE(result.success);
  EXPECT_THAT(result.applied, ElementsAre("fused 2 pieces as ResidualNorm: 4.00x"));
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("attention is left unfused: fusing takes 2.00x as long")));
  EXPECT_EQ(result.metrics.at("fused_ns"), 200);
  EXPECT_EQ(result.metrics.at("best_mix_ns"), 160);
  EXPECT_EQ(result.metrics.at("unfused_ns"), 300) << "of the fastest device";
  EXPECT_EQ(result.metrics.at("best_unfused_ns"), 240);
  EXPECT_EQ(result.metrics.at("gain"), 240.0 / 160) << "of the two figures that stand beside it";
  CompareTable unmeasured = table();
  unmeasured.rows[0].recommended_device.clear();
  unmeasured.rows[0].reason = "not measured yet";
  const OptimizationResult partly = optimization_result(unmeasured);
  EXPECT_FALSE(partly.success);
  EXPECT_THAT(partly.warnings.at(0), HasSubstr("norm has no figure: not measured yet"));
}

TEST(Strategies, HoldNoMixAgainstADeviceThatLosesNaN) {
  CompareTable with_library = table();
  with_library.totals.insert(with_library.totals.begin(), total_of("onednn:0", 100, 80));
  with_library.totals[0].drawbacks = withheld_for(Drawback::kNanLoss);
  EXPECT_EQ(optimization_result(with_library).metrics.at("fused_ns"), 200) << "of cpu:0";
  with_library.totals[0].drawbacks = accepted_with(Drawback::kNanLoss);
  EXPECT_EQ(optimization_result(with_library).metrics.at("fused_ns"), 80);
}

}  // namespace
}  // namespace fuselab::engine
