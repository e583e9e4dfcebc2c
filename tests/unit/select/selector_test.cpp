// SPDX-License-Identifier: Apache-2.0
#include "core/select/selector.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/select/regret.h"
#include "tests/unit/select/selector_world.h"

namespace fuselab {
namespace {

using namespace fuselab::world;
using testing::HasSubstr;

const DeviceEstimate& chosen(const Selection& selection) {
  return selection.estimates.at(selection.chosen.value());
}

std::vector<MeasuredPiece> sweep() {
  std::vector<MeasuredPiece> pieces;
  for (std::int64_t elements = 1 << 10; elements <= 1 << 22; elements *= 4)
    pieces.push_back(map_piece(elements, {slow_start(), quick_start()}));
  return pieces;
}

std::vector<SelectableDevice> both() {
  return {device_of(slow_start()), device_of(quick_start())};
}

TEST(Selector, TakesWhatWasMeasuredOfThePieceAndNamesTheNumbers) {
  const Selector selector(both(), sweep());
  const Selection small = selector.select(query_of(selector.pieces().front()));
  EXPECT_EQ(chosen(small).device_id, "cpu:0");
  EXPECT_EQ(chosen(small).source, EstimateSource::kMeasured);
  EXPECT_THAT(small.reason,
              HasSubstr("cpu:0 " + format_duration({quick_start().ns(selector.pieces().front().work)}) + " (measured: ["));
  EXPECT_THAT(small.reason, HasSubstr("x faster than cuda:0"));
  EXPECT_EQ(chosen(selector.select(query_of(selector.pieces().back()))).device_id, "cuda:0");
}

TEST(Selector, DrawsALineBetweenMeasuredSizesAndSaysBetweenWhich) {
  const Selector selector(both(), sweep());
  const Selection between = selector.select({"another", "map", map_workload(40'000, DType::kF32, 1)});
  EXPECT_EQ(chosen(between).source, EstimateSource::kInterpolated);
  EXPECT_EQ(chosen(between).device_id, "cuda:0");
  EXPECT_THAT(between.reason, HasSubstr("between measured sizes: "));
  EXPECT_THAT(between.reason, HasSubstr("at " + format_bytes({8 * 16384}) + " and "));
}

TEST(Selector, TakesTheRuleOutsideTheMeasuredSizesAndSaysSo) {
  const Selector selector(both(), sweep());
  const Selection larger = selector.select({"another", "map", map_workload(100'000'000, DType::kF32, 1)});
  EXPECT_EQ(chosen(larger).device_id, "cuda:0");
  EXPECT_EQ(chosen(larger).source, EstimateSource::kRule);
  EXPECT_THAT(larger.reason, HasSubstr("(rule: launch "));
  const Selection other_kind = selector.select({"another", "filter", filter_workload(100, DType::kF32, 1)});
  EXPECT_EQ(chosen(other_kind).device_id, "cpu:0") << "R173: the floor of a launch, not a number of elements";
  const Selection large_filter = selector.select({"another", "filter", filter_workload(100'000'000, DType::kF32, 0.1)});
  EXPECT_EQ(chosen(large_filter).device_id, "cuda:0") << "R176: a filter reaches the GPU where that is faster";
}

TEST(Selector, CountsCopiesInSeconds) {
  std::vector<SelectableDevice> devices = both();
  devices[0].ceilings.rows = {ceiling("host-to-device", 1e9), ceiling("device-to-host", 1e9)};
  const Selector selector(devices, sweep());
  const SelectionQuery query = query_of(selector.pieces().back());
  EXPECT_EQ(chosen(selector.select(query, {true, true})).device_id, "cuda:0");
  const Selection copied = selector.select(query, {false, false});
  EXPECT_EQ(chosen(copied).device_id, "cpu:0") << "32 MiB at 1 GB/s take longer than working on them here";
  EXPECT_THAT(copied.reason, HasSubstr("for copying"));
}

TEST(Selector, SaysWhichDeviceIsLeftOutSinceItsCopiesWereNotMeasured) {
  const Selector selector(both(), sweep());
  const Selection copied = selector.select(query_of(selector.pieces().back()), {false, false});
  EXPECT_EQ(chosen(copied).device_id, "cpu:0");
  EXPECT_THAT(copied.reason, HasSubstr("left out, since copying there was not measured: cuda:0"));
}

TEST(Selector, AnEstimateIsNoEvidenceAgainstAMeasurementThatItMayBeWrongAbout) {
  std::vector<MeasuredPiece> pieces = sweep();
  const Law noisy{"cuda:0", 10'000, 60};
  for (std::size_t i = 0; i < pieces.size(); i += 2) pieces[i].times[0] = time_of(noisy, pieces[i].work);
  MeasuredPiece only_cpu = map_piece(100'000, {quick_start()}, "other");
  const double cpu_ns = only_cpu.times[0].ns;
  pieces.push_back(only_cpu);
  const Selector selector(both(), pieces);
  const Selection far_better = selector.select(query_of(only_cpu));
  EXPECT_EQ(chosen(far_better).device_id, "cuda:0") << far_better.reason;
  pieces.back().times[0].ns = 0.6 * cpu_ns * 0.4;
  pieces.back().times[0].interval = {0.2 * cpu_ns, 0.26 * cpu_ns};
  const Selector close(both(), pieces);
  EXPECT_EQ(chosen(close.select(query_of(only_cpu))).device_id, "cpu:0") << close.select(query_of(only_cpu)).reason;
}

TEST(Selector, WhatNoPieceWasMeasuredOnIsNoEvidenceAgainstALearnedRule) {
  std::vector<SelectableDevice> devices = both();
  devices[0].ceilings.rows = {ceiling("stream", 15e9), ceiling("flops", 1e13), ceiling("launch", 1e5)};
  std::vector<MeasuredPiece> pieces;
  for (std::int64_t elements = 1 << 14; elements <= 1 << 22; elements *= 4) pieces.push_back(map_piece(elements, {quick_start()}));
  const Selector selector(devices, pieces);
  const SelectionQuery large{"another", "other", map_workload(100'000'000, DType::kF32, 1)};
  const Selection close = selector.select(large);
  EXPECT_EQ(chosen(close).device_id, "cpu:0") << "half as fast again at its bound, and nobody saw a kernel there";
  EXPECT_THAT(close.reason, HasSubstr("took elsewhere"));
  EXPECT_THAT(close.reason, HasSubstr("is no evidence"));
  devices[0].ceilings.rows[0] = ceiling("stream", 4e12);
  const Selector far(devices, pieces);
  EXPECT_EQ(chosen(far.select(large)).device_id, "cuda:0");
}

TEST(Selector, NamesNoLaunchCostThatWasNotMeasured) {
  std::vector<SelectableDevice> devices = both();
  devices[1].ceilings.rows = {ceiling("launch", 1e7)};
  const Selector selector(devices, sweep());
  EXPECT_EQ(selector.launch_ns("cuda:0"), std::nullopt);
  EXPECT_DOUBLE_EQ(selector.launch_ns("cpu:0").value(), 100);
}

TEST(Selector, BreaksTiesOfMeasurementsByTheAutomaticOrder) {
  MeasuredPiece piece = map_piece(1000, {quick_start()});
  piece.times.push_back({"opencl:0", piece.times[0].ns * 0.99, {piece.times[0].interval.low, piece.times[0].interval.high}});
  SelectableDevice again = device_of({"opencl:0"});
  again.is_host_cpu_again = true;
  const Selector selector({again, device_of(quick_start())}, {piece});
  const Selection tied = selector.select(query_of(piece));
  EXPECT_EQ(chosen(tied).device_id, "cpu:0");
  EXPECT_THAT(tied.reason, HasSubstr("within noise of opencl:0"));
}

TEST(Selector, SaysWhenNothingIsKnown) {
  const Selector selector(both(), {});
  const Selection none = selector.select({"key", "map", map_workload(1000, DType::kF32, 1)});
  EXPECT_FALSE(none.chosen);
  EXPECT_THAT(none.reason, HasSubstr("nothing was measured"));
}

TEST(Regret, IsNothingWhereTheDevicesFollowTheirLaws) {
  const Selector selector(both(), sweep());
  const RegretReport report = leave_one_out(selector);
  EXPECT_EQ(report.selector.keys, 7);
  EXPECT_EQ(report.selector.fastest, 7) << report.selector.worst_piece;
  EXPECT_EQ(report.selector.mean, 0);
  EXPECT_EQ(report.by_source[0].keys, 5) << "the ends of the sweep have neighbours on one side alone";
  EXPECT_EQ(report.by_source[1].keys, 2);
  ASSERT_EQ(report.always.size(), 2U);
  EXPECT_GT(report.always[0].worst, 9) << "a slow start costs most where there is little to do";
  EXPECT_EQ(report.always[0].worst_chosen, "cuda:0");
}

TEST(Regret, NeverPeeksAtThePieceThatItJudges) {
  std::vector<MeasuredPiece> pieces = sweep();
  std::swap(pieces[0].times[0].ns, pieces[0].times[1].ns);  // an exception that only its own measurement tells
  const Selector selector(both(), pieces);
  const SelectionQuery query = query_of(pieces[0]);
  EXPECT_EQ(chosen(selector.select(query)).device_id, "cuda:0");
  EXPECT_EQ(chosen(selector.select_without(query)).device_id, "cpu:0");
  const RegretReport report = leave_one_out(selector);
  EXPECT_LT(report.selector.fastest, 7);
  EXPECT_NEAR(report.selector.worst, pieces[0].times[1].ns / pieces[0].times[0].ns - 1, 1e-9);
}

// What is decided and on what grounds.
void expect_same(const Selection& left_out, const Selection& never_measured, const std::string& key) {
  SCOPED_TRACE(key);
  ASSERT_EQ(left_out.estimates.size(), never_measured.estimates.size());
  for (std::size_t i = 0; i < left_out.estimates.size(); ++i) {
    EXPECT_EQ(left_out.estimates[i].device_id, never_measured.estimates[i].device_id);
    EXPECT_EQ(left_out.estimates[i].source, never_measured.estimates[i].source);
    EXPECT_NEAR(left_out.estimates[i].ns / never_measured.estimates[i].ns, 1, 1e-9);
    EXPECT_NEAR(left_out.estimates[i].low / never_measured.estimates[i].low, 1, 1e-9);
    EXPECT_NEAR(left_out.estimates[i].high / never_measured.estimates[i].high, 1, 1e-9);
  }
  EXPECT_EQ(left_out.chosen, never_measured.chosen);
  EXPECT_EQ(left_out.withheld.has_value(), never_measured.withheld.has_value());
  EXPECT_EQ(left_out.reason, never_measured.reason);
}

TEST(Regret, LearnsNothingFromThePieceThatItJudges) {
  std::vector<MeasuredPiece> pieces = sweep();
  pieces[3].times[0].ns *= 5;  // far off the line between its neighbours: alone it widens what lines are wrong by
  for (std::int64_t elements : {3'000, 50'000, 700'000})
    pieces.push_back(map_piece(elements, {slow_start(), quick_start()}, "other"));
  pieces.push_back(map_piece(20'000, {slow_start(), quick_start()}, "alone"));
  pieces.back().times[0].drawbacks = withheld_for(Drawback::kNanLoss);  // nobody else tells that this signature loses NaN there
  for (std::int64_t elements : {5'000, 60'000}) {
    pieces.push_back(map_piece(elements, {slow_start(), quick_start()}, "loses"));
    pieces.back().times[0].drawbacks = withheld_for(Drawback::kNanLoss);
  }
  const Selector selector(both(), pieces);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::vector<MeasuredPiece> others = pieces;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const Selector without(both(), others);
    expect_same(selector.select_without(query_of(pieces[i])), without.select(query_of(pieces[i])), pieces[i].key);
  }
  const auto wrong_by = [](const Selection& selection) {
    const auto cuda = std::find_if(selection.estimates.begin(), selection.estimates.end(),
                                   [](const DeviceEstimate& estimate) { return estimate.device_id == "cuda:0"; });
    return cuda == selection.estimates.end() ? 0 : cuda->high / cuda->ns;
  };
  const SelectionQuery outlier = query_of(pieces[3]);
  EXPECT_GT(wrong_by(selector.select_without(outlier)), 1);
  EXPECT_GT(wrong_by(selector.select({"another", outlier.signature, outlier.work})), wrong_by(selector.select_without(outlier)));
}

TEST(Regret, CountsNoChoiceThatLosesNaNAndWouldNotStay) {
  const Law slow{"opencl:0", 50'000, 1};
  std::vector<MeasuredPiece> pieces = {map_piece(1 << 22, {slow_start(), quick_start(), slow})};
  pieces[0].times[0].drawbacks = withheld_for(Drawback::kNanLoss);
  for (std::int64_t elements : {1 << 16, 1 << 18, 1 << 20})
    pieces.push_back(map_piece(elements, {slow_start(), quick_start(), slow}, "other"));
  const Selector selector({device_of(slow_start()), device_of(quick_start()), device_of(slow)}, pieces);
  const Selection judged = selector.select_without(query_of(pieces[0]));
  EXPECT_EQ(chosen(judged).device_id, "cuda:0") << "nothing else tells that it loses NaN";
  EXPECT_FALSE(judged.withheld);
  EXPECT_TRUE(selector.select(query_of(pieces[0])).withheld);
  const RegretReport report = leave_one_out(selector);
  EXPECT_EQ(report.selector.keys, 4);
  EXPECT_GE(report.selector.mean, 0) << "what may not be chosen is nothing to gain";
  EXPECT_EQ(report.selector.fastest, 4) << report.selector.worst_piece;
}

TEST(Regret, JudgesOnlyWhatWasMeasuredTwice) {
  const Selector selector(both(), {map_piece(1000, {quick_start()})});
  EXPECT_EQ(leave_one_out(selector).selector.keys, 0);
}

// The faster device loses NaN at one of the sizes: it does at all of them.
std::vector<MeasuredPiece> sweep_with(PlanDrawbacks loss) {
  std::vector<MeasuredPiece> pieces = sweep();
  for (MeasuredPiece& piece : pieces) piece.times[0].drawbacks = loss;
  return pieces;
}

TEST(Selector, ChoosesNothingThatLosesNaNWhateverItIsKnownFrom) {
  const Selector selector(both(), sweep_with(withheld_for(Drawback::kNanLoss)));
  for (const SelectionQuery& query :
       {query_of(selector.pieces().back()), SelectionQuery{"between", "map", map_workload(3'000'000, DType::kF32, 1)},
        SelectionQuery{"outside", "map", map_workload(100'000'000, DType::kF32, 1)}}) {
    const Selection selection = selector.select(query);
    EXPECT_EQ(chosen(selection).device_id, "cpu:0") << query.key;
    EXPECT_EQ(selection.estimates.size(), 1U) << query.key;
    ASSERT_TRUE(selection.withheld) << query.key;
    EXPECT_EQ(selection.withheld->device_id, "cuda:0");
    EXPECT_THAT(selection.reason, HasSubstr("x faster, but loses NaN (--accept nan-loss takes it)"));
  }
  const Selection other = selector.select({"another", "filter", filter_workload(100'000'000, DType::kF32, 0.1)});
  EXPECT_EQ(chosen(other).device_id, "cuda:0") << "of other operators nothing is held against it";
  const Selector accepting(both(), sweep_with(accepted_with(Drawback::kNanLoss)));
  EXPECT_EQ(chosen(accepting.select(query_of(accepting.pieces().back()))).device_id, "cuda:0");
}

TEST(Selector, JudgesItsRegretAmongWhatMayBeChosen) {
  const Selector selector(both(), sweep_with(withheld_for(Drawback::kNanLoss)));
  const RegretReport report = leave_one_out(selector);
  EXPECT_EQ(report.selector.keys, 0) << "with one device left there is nothing to regret";
  for (const Regret& always : report.always) EXPECT_EQ(always.keys, 0) << always.of;
}

}  // namespace
}  // namespace fuselab
