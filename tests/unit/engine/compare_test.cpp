// SPDX-License-Identifier: Apache-2.0
// What the table says of figures that are given: totals, mixes, choices. Nothing is measured here.
#include <gtest/gtest.h>

#include "app/engine/compare/table/best_unfused.h"
#include "app/engine/compare/table/compare_builder.h"
#include "app/engine/compare/table/model_totals.h"
#include "app/engine/measure/figures.h"
#include "app/views/choice.h"
#include "app/views/whole_model_words.h"
#include "core/backend/last_cache.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

Cell measured(double median_ns, const std::string& trial) {
  Cell cell;
  cell.state = CellState::kMeasured;
  cell.figure = Figure{median_ns, {0.99 * median_ns, 1.01 * median_ns}, trial, "threads=1", true, 0, 0, ""};
  return cell;
}

CompareCell cell_on(const std::string& device, double fused_ns, double unfused_ns) {
  CompareCell cell;
  cell.device_id = device;
  cell.backend = device.substr(0, device.find(':'));
  cell.fused = measured(fused_ns, device + " fused");
  cell.unfused = measured(unfused_ns, device + " unfused");
  cell.gain = Ratio{unfused_ns / fused_ns, {0.99 * unfused_ns / fused_ns, 1.01 * unfused_ns / fused_ns}};
  cell.ideal_ns = 1;
  return cell;
}

ComparedDevice device(const std::string& id, const std::string& type) {
  ComparedDevice compared;
  compared.info.id = id;
  compared.info.backend = id.substr(0, id.find(':'));
  compared.info.type = type;
  return compared;
}

CompareRow row_of(const std::string& name, int count, std::vector<CompareCell> cells) {
  CompareRow row;
  row.name = name;
  row.count = count;
  row.cells = std::move(cells);
  row.best_unfused = best_unfused(row, {});
  return row;
}

TEST(ModelTotals, CountEveryUseOfAPiece) {
  CompareTable table;
  table.rows.push_back(row_of("a", 3, {cell_on("cpu:0", 10, 20)}));
  table.rows.push_back(row_of("b", 1, {cell_on("cpu:0", 5, 4)}));
  const auto totals = model_totals(table, {device("cpu:0", "cpu")});
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_DOUBLE_EQ(totals[0].fused_ns, 35);
  EXPECT_DOUBLE_EQ(totals[0].unfused_ns, 64);
  EXPECT_DOUBLE_EQ(totals[0].ideal_ns, 4);
  EXPECT_EQ(totals[1].device_id, kBestMix);
  EXPECT_DOUBLE_EQ(totals[1].fused_ns, 34) << "where fusing loses, the mix does not fuse";
}

TEST(ModelTotals, HaveNoIdealWhereAMeasuredPieceHasNone) {
  CompareTable table;
  table.rows.push_back(row_of("a", 1, {cell_on("cpu:0", 10, 20)}));
  table.rows.push_back(row_of("b", 1, {cell_on("cpu:0", 5, 8)}));
  table.rows[1].cells[0].ideal_ns.reset();
  for (const ModelTotal& total : model_totals(table, {device("cpu:0", "cpu")})) EXPECT_EQ(total.ideal_ns, 0) << total.device_id;
}

TEST(ModelTotals, SayHowManyPiecesTheyCover) {
  CompareTable table;
  table.rows.push_back(row_of("a", 1, {cell_on("cpu:0", 10, 20)}));
  CompareCell failed;
  failed.device_id = "cpu:0";
  failed.fused.state = CellState::kFailed;
  table.rows.push_back(row_of("b", 1, {failed}));
  for (const ModelTotal& total : model_totals(table, {device("cpu:0", "cpu")})) {
    EXPECT_EQ(total.measured_pieces, 1);
    EXPECT_EQ(total.pieces, 2);
  }
}

// As a device without a convolution once looked half as slow as the best mix.
TEST(ModelTotals, AreOverTheSamePiecesOnEveryDevice) {
  CompareTable table;
  CompareCell failed;
  failed.device_id = "null:0";
  failed.fused.state = failed.unfused.state = CellState::kFailed;
  table.rows.push_back(row_of("a", 1, {failed, cell_on("cpu:0", 10, 20)}));
  table.rows.push_back(row_of("b", 2, {cell_on("null:0", 3, 9), cell_on("cpu:0", 4, 4)}));
  const auto totals = model_totals(table, {device("null:0", "synthetic"), device("cpu:0", "cpu")});
  ASSERT_EQ(totals.size(), 3U);
  EXPECT_EQ(totals[0].device_id, "cpu:0") << "what is whole by itself comes first";
  EXPECT_EQ(totals[0].completed_pieces, 0);
  EXPECT_EQ(totals[1].device_id, "null:0");
  EXPECT_DOUBLE_EQ(totals[1].fused_ns, 16);
  EXPECT_DOUBLE_EQ(totals[1].unfused_ns, 38);
  EXPECT_DOUBLE_EQ(totals[1].completed_ns, 10);
  EXPECT_EQ(totals[1].completed_pieces, 1);
  EXPECT_EQ(totals[1].measured_pieces, 1);
  EXPECT_TRUE(totals[1].is_whole());
  EXPECT_LE(totals.back().fused_ns, totals[1].fused_ns) << "the best mix";
}

TEST(ModelTotals, HaveNoSumsWhereAPieceIsMissingThatOthersHave) {
  CompareTable table;
  CompareCell failed;
  failed.device_id = "cuda:0";
  failed.fused.state = failed.unfused.state = CellState::kFailed;
  table.rows.push_back(row_of("a", 1, {cell_on("cpu:0", 10, 20), failed}));
  table.rows.push_back(row_of("b", 1, {cell_on("cpu:0", 4, 4), cell_on("cuda:0", 1, 2)}));
  for (CompareRow& row : table.rows) row.cost.read = Bytes{4096};
  const auto totals = model_totals(table, {device("cuda:0", "gpu"), device("cpu:0", "cpu")});
  EXPECT_EQ(totals[0].device_id, "cpu:0");
  EXPECT_EQ(totals[1].device_id, "cuda:0");
  EXPECT_EQ(totals[1].fused_ns, 0) << "what it costs to hand the piece over was never measured";
  EXPECT_EQ(totals[1].covers(), 1);
}

TEST(ModelTotals, MixDevicesThatShareTheHostsMemory) {
  CompareTable table;
  table.rows.push_back(row_of("a", 1, {cell_on("cpu:0", 10, 20), cell_on("null:0", 2, 30)}));
  table.rows.push_back(row_of("b", 1, {cell_on("cpu:0", 1, 3), cell_on("null:0", 9, 9)}));
  const auto totals = model_totals(table, {device("cpu:0", "cpu"), device("null:0", "synthetic")});
  EXPECT_DOUBLE_EQ(totals.back().fused_ns, 3);
  EXPECT_DOUBLE_EQ(totals.back().switching_ns, 0);
}

TEST(ModelTotals, MissNothingOfAPieceThatRunsNothing) {
  CompareTable table;
  table.rows.push_back(row_of("a", 1, {cell_on("cpu:0", 10, 20)}));
  CompareCell nothing;
  nothing.device_id = "cpu:0";
  nothing.fused.state = nothing.unfused.state = CellState::kExcluded;
  table.rows.push_back(row_of("view", 1, {nothing}));
  table.rows.push_back(row_of("barrier", 1, {nothing}));
  table.rows[1].runs_nothing = true;
  for (const ModelTotal& total : model_totals(table, {device("cpu:0", "cpu")})) {
    EXPECT_EQ(total.pieces, 3);
    EXPECT_EQ(total.measured_pieces, 2) << "what a barrier takes is not known";
    EXPECT_DOUBLE_EQ(total.fused_ns, 10);
  }
}

TEST(ModelTotals, DoNotMixDevicesWhoseTransferWasNeverMeasured) {
  EXPECT_FALSE(switching_ns(device("cpu:0", "cpu").info, device("cuda:0", "gpu").info, Bytes{4096}));
  CompareTable table;
  table.rows.push_back(row_of("a", 1, {cell_on("cpu:0", 10, 20), cell_on("cuda:0", 2, 30)}));
  table.rows.push_back(row_of("b", 1, {cell_on("cpu:0", 1, 3), cell_on("cuda:0", 12, 12)}));
  for (CompareRow& row : table.rows) row.cost.read = Bytes{4096};
  const auto totals = model_totals(table, {device("cpu:0", "cpu"), device("cuda:0", "gpu")});
  EXPECT_DOUBLE_EQ(totals.back().fused_ns, 11);
}

TEST(WholeModels, AreHeldAgainstTheMixOfAllPiecesOnly) {
  CompareTable table;
  table.rows.push_back(row_of("a", 3, {cell_on("cpu:0", 10, 20)}));
  table.rows.push_back(row_of("b", 1, {cell_on("cpu:0", 5, 4)}));
  table.totals = model_totals(table, {device("cpu:0", "cpu")});
  EXPECT_EQ(table.totals.back().pieces_on, (std::map<std::string, int>{{"cpu:0", 2}}));
  const auto ratio = ratio_to_best_mix(17, {0.99 * 17, 1.01 * 17}, table.totals);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->value, 0.5);
  EXPECT_DOUBLE_EQ(ratio->interval.low, 0.99 * 17 / (1.01 * 34));
  EXPECT_DOUBLE_EQ(ratio->interval.high, 1.01 * 17 / (0.99 * 34));
  EXPECT_FALSE(ratio_to_best_mix(0, {}, table.totals));
  table.rows.push_back(row_of("c", 1, {CompareCell()}));
  table.totals = model_totals(table, {device("cpu:0", "cpu")});
  EXPECT_FALSE(ratio_to_best_mix(17, {0.99 * 17, 1.01 * 17}, table.totals)) << "a sum over some of the pieces is no model";
}

TEST(WholeModels, SayPlainlyWhatTheyAreBesideTheMix) {
  WholeModel whole{"key", cell_on("openvino:0", 10, 10), Ratio{0.87, {0.84, 0.9}}};
  EXPECT_EQ(whole_model_words(whole), "0.87x the time of the best mix [0.84, 0.90]: faster");
  whole.of_best_mix = Ratio{1.08, {1.03, 1.12}};
  EXPECT_EQ(whole_model_words(whole), "1.08x the time of the best mix [1.03, 1.12]: slower");
  whole.of_best_mix = Ratio{1.01, {0.97, 1.05}};
  EXPECT_EQ(whole_model_words(whole), "1.01x the time of the best mix [0.97, 1.05]: within noise of it");
  whole.of_best_mix.reset();
  EXPECT_EQ(whole_model_words(whole), "");
  whole.cell.fused = Cell{CellState::kFailed, std::nullopt, "single unsupported: Swish: it leaves the tolerance of f32", ""};
  EXPECT_EQ(whole_model_words(whole), "unsupported: Swish: it leaves the tolerance of f32");
  whole.cell.fused = Cell{CellState::kExcluded, std::nullopt, "its float64 reference takes 8.2 GFLOP", ""};
  EXPECT_EQ(whole_model_words(whole), "not measured: its float64 reference takes 8.2 GFLOP");
}

TEST(BestUnfusedPlan, IsTheFastestMeasuredOne) {
  const CompareRow row = row_of("a", 1, {cell_on("cpu:0", 10, 20), cell_on("null:0", 2, 30)});
  EXPECT_EQ(row.best_unfused.devices, std::vector<std::string>{"cpu:0"});
  EXPECT_FALSE(row.best_unfused.composed);
  EXPECT_DOUBLE_EQ(row.best_unfused.cell.figure->median_ns, 20);
}

TEST(BestUnfusedPlan, AddsUpOperatorsOnTheirBestBackendsAndSaysSo) {
  const CompareRow row = row_of("a", 1, {cell_on("cpu:0", 10, 20), cell_on("null:0", 2, 30)});
  const std::vector<std::vector<OperatorFigure>> operators{
      {{"cpu:0", *measured(15, "1").figure}, {"null:0", *measured(3, "2").figure}},
      {{"cpu:0", *measured(5, "3").figure}, {"null:0", *measured(27, "4").figure}}};
  const BestUnfused best = best_unfused(row, operators);
  EXPECT_TRUE(best.composed);
  EXPECT_EQ(best.devices, (std::vector<std::string>{"null:0", "cpu:0"}));
  EXPECT_DOUBLE_EQ(best.cell.figure->median_ns, 8);
}

TEST(BestUnfusedPlan, KeepsTheMeasuredPlanWhenAnOperatorIsUnknown) {
  const CompareRow row = row_of("a", 1, {cell_on("cpu:0", 10, 20), cell_on("null:0", 2, 30)});
  const BestUnfused best = best_unfused(row, {{{"null:0", *measured(1, "1").figure}}, {}});
  EXPECT_FALSE(best.composed);
}

// A piece of 4 KiB in and 4 KiB out, and a device that streams 8 bytes a nanosecond: 1024 ns at best.
Piece copied_piece() {
  Piece piece;
  piece.operation.graph = parse_graph("graph(x: f32[1024]) { y = Relu(x); return y }").value();
  piece.operation.cost = cost_of(piece.operation.graph).value();
  return piece;
}

CeilingTable eight_bytes_a_nanosecond() {
  Ceiling ceiling;
  ceiling.kind = "stream";
  ceiling.footprint = Bytes{8192};
  ceiling.per_second = 8e9;
  return {{ceiling}};
}

TEST(CeilingOfACell, GivesTheShareOfWhatIsPossible) {
  CompareCell cell = cell_on("cpu:0", 2048, 4096);
  judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond());
  EXPECT_DOUBLE_EQ(cell.ideal_ns.value(), 1024);
  EXPECT_DOUBLE_EQ(cell.share_of_ceiling.value(), 0.5);
  EXPECT_FALSE(cell.is_withheld());
  EXPECT_TRUE(cell.gain);
}

TEST(CeilingOfACell, IsOfMemoryOnlyWhereTheWorkingSetExceedsTheLastCache) {
  DeviceInfo device;
  EXPECT_EQ(last_cache_bytes(device), 0) << "not known";
  device.target.limits = {{"l1_bytes", 4096}, {"l2_bytes", 8192}, {"vector_bytes", 32}};
  CompareCell cell = cell_on("cpu:0", 2048, 4096);
  judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond(), last_cache_bytes(device));
  EXPECT_STREQ(cell.bound(), "cache");
  device.target.limits["l2_bytes"] = 4096;
  judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond(), last_cache_bytes(device));
  EXPECT_STREQ(cell.bound(), "memory");
  judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond());
  EXPECT_STREQ(cell.bound(), "memory") << "nothing is known of its caches";
  cell.memory_bound = false;
  EXPECT_STREQ(cell.bound(), "arithmetic");
}

// A stream that is measured over and over comes from the cache, which such a piece finds empty.
TEST(CeilingOfACell, IsNoCachesWhereCachesAreEmptied) {
  for (const CacheMode mode : {CacheMode::kCold, CacheMode::kFirstLaunch}) {
    CompareCell cell = cell_on("cpu:0", 2048, 4096);
    cell.ideal_ns.reset();
    judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond(), /*last_cache=*/65536, mode);
    EXPECT_FALSE(cell.ideal_ns || cell.share_of_ceiling);
    judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond(), /*last_cache=*/4096, mode);
    EXPECT_DOUBLE_EQ(cell.ideal_ns.value(), 1024) << "of memory";
    CompareCell impossible = cell_on("cpu:0", 512, 4096);
    judge_against_ceiling(impossible, copied_piece(), eight_bytes_a_nanosecond(), /*last_cache=*/65536, mode);
    EXPECT_TRUE(impossible.is_withheld());
  }
}

// What its sets together move among is judged by the stream of that size, however small one set is.
TEST(CeilingOfACell, IsMemorysWhereBuffersRotate) {
  CompareCell cell = cell_on("cpu:0", 2048, 4096);
  cell.ideal_ns.reset();
  judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond(), /*last_cache=*/65536, CacheMode::kRotating);
  EXPECT_FALSE(cell.ideal_ns || cell.is_withheld()) << "a stream of 128 KiB was not measured";
  CeilingTable table = eight_bytes_a_nanosecond();
  table.rows.push_back(table.rows.front());
  table.rows.back().footprint = Bytes{131072};
  table.rows.back().per_second = 4e9;
  judge_against_ceiling(cell, copied_piece(), table, /*last_cache=*/65536, CacheMode::kRotating);
  EXPECT_DOUBLE_EQ(cell.ideal_ns.value(), 2048);
  EXPECT_STREQ(cell.bound(), "memory");
  CompareCell warm = cell_on("cpu:0", 1500, 4096);
  judge_against_ceiling(warm, copied_piece(), table, /*last_cache=*/65536, CacheMode::kRotating);
  EXPECT_TRUE(warm.is_withheld()) << "no memory is that fast";
  CompareCell unjudged = cell_on("cpu:0", 1500, 4096);
  unjudged.ideal_ns.reset();
  table.rows.back().footprint = Bytes{1 << 28};
  judge_against_ceiling(unjudged, copied_piece(), table, /*last_cache=*/1 << 29, CacheMode::kRotating);
  EXPECT_FALSE(unjudged.ideal_ns || unjudged.is_withheld()) << "that stream lies in such a cache";
}

// A library's device cannot measure ceilings: those of its processor say how far it is from the ideal.
TEST(CeilingOfACell, IsThatOfItsProcessorWhereADeviceHasNone) {
  CompareCell cell = cell_on("onednn:0", 2048, 4096);
  cell.ideal_ns.reset();
  judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond(), 0, CacheMode::kWarm, CeilingsOf::kItsProcessor);
  EXPECT_DOUBLE_EQ(cell.ideal_ns.value(), 1024);
  EXPECT_DOUBLE_EQ(cell.share_of_ceiling.value(), 0.5);
  CompareCell faster = cell_on("onednn:0", 512, 4096);
  faster.ideal_ns.reset();
  judge_against_ceiling(faster, copied_piece(), eight_bytes_a_nanosecond(), 0, CacheMode::kWarm, CeilingsOf::kItsProcessor);
  EXPECT_TRUE(faster.fused.figure) << "it shows that another's ceiling is too low";
  EXPECT_FALSE(faster.ideal_ns || faster.is_withheld());
}

TEST(CeilingOfACell, HasNoIdealWhereItsSizeWasNotMeasured) {
  CeilingTable elsewhere = eight_bytes_a_nanosecond();
  elsewhere.rows.front().footprint = Bytes{std::int64_t{1} << 20};
  CompareCell cell = cell_on("cpu:0", 2048, 4096);
  cell.ideal_ns.reset();
  judge_against_ceiling(cell, copied_piece(), elsewhere);
  EXPECT_FALSE(cell.ideal_ns || cell.share_of_ceiling);
  EXPECT_TRUE(cell.fused.figure) << "nothing was beaten";
}

TEST(CeilingOfACell, TakesTheCreditFromAFigureThatBeatsItByMoreThanThreePercent) {
  CompareCell barely = cell_on("cpu:0", 1024 / 1.02, 4096);
  judge_against_ceiling(barely, copied_piece(), eight_bytes_a_nanosecond());
  EXPECT_FALSE(barely.is_withheld());
  EXPECT_NEAR(barely.share_of_ceiling.value(), 1.02, 1e-9);

  CompareCell cell = cell_on("cpu:0", 512, 4096);
  cell.cold_fused = measured(600, "cold");
  judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond());
  EXPECT_TRUE(cell.is_withheld());
  EXPECT_FALSE(cell.fused.figure || cell.cold_fused.figure || cell.gain || cell.share_of_ceiling);
  EXPECT_EQ(cell.fused.state, CellState::kWithheld) << "it ran, and its results are right";
  EXPECT_EQ(cell.fused.reason.rfind("fused withheld: the stored figure is 200% of what", 0), 0U) << cell.fused.reason;
  ASSERT_TRUE(cell.fused.withheld) << "its figure is shown all the same";
  EXPECT_DOUBLE_EQ(cell.fused.withheld->median_ns, 512);
  EXPECT_DOUBLE_EQ(cell.fused.share_of_ceiling, 2);
  EXPECT_TRUE(cell.unfused.figure) << "its other plan is possible";
  const Choice choice = choose_device(row_of("a", 1, {cell}));
  EXPECT_EQ(choice.plan, PlanKind::kUnfused) << choice.reason;
}

TEST(ShareOfTheModel, IsOfThePlanThatIsRecommended) {
  CompareTable table;
  table.rows.push_back(row_of("a", 1, {cell_on("cpu:0", 30, 10)}));
  table.rows.push_back(row_of("b", 2, {cell_on("cpu:0", 5, 20)}));
  for (CompareRow& row : table.rows) row.recommended_device = "cpu:0";
  share_out(table);
  EXPECT_DOUBLE_EQ(table.rows[0].share_of_model, 0.5);
  EXPECT_DOUBLE_EQ(table.rows[1].share_of_model, 0.5);
}

TEST(ShareOfTheModel, IsNotKnownWhileAPieceIsNotMeasured) {
  CompareTable table;
  table.rows.push_back(row_of("Add", 1, {cell_on("cpu:0", 30, 10)}));
  table.rows.push_back(row_of("Softmax", 1, {}));
  table.rows[0].recommended_device = "cpu:0";
  share_out(table);
  EXPECT_EQ(table.rows[0].share_of_model, 0) << "it is all of what was measured, not of the model";

  table.rows[1].runs_nothing = true;
  share_out(table);
  EXPECT_DOUBLE_EQ(table.rows[0].share_of_model, 1) << "views take no time";
}

TEST(CeilingOfACell, KeepsTheWarmGainWhereOnlyAColdFigureIsImpossible) {
  CompareCell cell = cell_on("cpu:0", 2048, 4096);
  cell.cold_fused = measured(600, "cold");
  judge_against_ceiling(cell, copied_piece(), eight_bytes_a_nanosecond());
  EXPECT_TRUE(cell.is_withheld());
  EXPECT_TRUE(cell.gain);
  EXPECT_TRUE(cell.fused.figure && !cell.cold_fused.figure);
}

TEST(Choice, NamesThePlanThatWonAndItsNumbers) {
  const CompareRow losing = row_of("a", 1, {cell_on("cpu:0", 20, 10)});
  const Choice choice = choose_device(losing);
  EXPECT_EQ(choice.device_id, "cpu:0");
  EXPECT_EQ(choice.plan, PlanKind::kUnfused);
  EXPECT_NE(choice.reason.find("fusing loses"), std::string::npos) << choice.reason;
}

// Whatever is asked, the paired gain answers: the mix runs the plan that is recommended, not the one whose own interval is lower.
TEST(Choice, IsThePlanThatTheBestMixRuns) {
  CompareCell cell = cell_on("cpu:0", 1.53e6, 1.24e6);
  cell.fused.figure->interval = {1.28e6, 1.61e6};
  cell.unfused.figure->interval = {1.05e6, 1.37e6};
  struct Case {
    Ratio gain;
    PlanKind plan;
  };
  for (const auto& [gain, plan] : {Case{{0.81, {0.79, 0.85}}, PlanKind::kUnfused}, Case{{0.99, {0.95, 1.02}}, PlanKind::kUnfused},
                                   Case{{1, {0.995, 1.005}}, PlanKind::kFused}, Case{{1.02, {1.01, 1.03}}, PlanKind::kFused}}) {
    cell.gain = gain;
    CompareTable table;
    table.rows.push_back(row_of("Softmax", 1, {cell}));
    const Choice choice = choose_device(table.rows[0]);
    EXPECT_EQ(choice.plan, plan) << choice.reason;
    EXPECT_EQ(best_plan(cell), choice.plan);
    const double recommended = (choice.plan == PlanKind::kFused ? cell.fused : cell.unfused).figure->median_ns;
    EXPECT_DOUBLE_EQ(model_totals(table, {device("cpu:0", "cpu")}).back().fused_ns, recommended);
  }
}

TEST(Choice, SaysWhyThereIsNone) {
  CompareRow row;
  EXPECT_EQ(choose_device(row).reason, "not measured yet");
  CompareCell failed;
  failed.device_id = "cpu:0";
  failed.fused.state = CellState::kFailed;
  failed.fused.reason = "crashed: signal 11";
  row.cells.push_back(failed);
  EXPECT_EQ(choose_device(row).device_id, "");
  EXPECT_EQ(choose_device(row).reason, "crashed: signal 11");
}

CompareCell losing_nan(CompareCell cell, PlanDrawbacks loss) {
  for (Cell* const plan : {&cell.fused, &cell.unfused}) plan->figure->drawbacks = loss;
  return cell;
}

CompareTable library_beside_cpu(PlanDrawbacks loss) {
  CompareTable table;
  table.rows.push_back(row_of("Relu", 2, {cell_on("cpu:0", 10, 20), losing_nan(cell_on("onednn:0", 4, 8), loss)}));
  table.rows.push_back(row_of("Add", 1, {cell_on("cpu:0", 5, 6), cell_on("onednn:0", 3, 7)}));
  return table;
}

TEST(PlanThatLosesNaN, IsInNoChoiceNoMixAndNoBestUnfusedPlan) {
  const CompareTable table = library_beside_cpu(withheld_for(Drawback::kNanLoss));
  const Choice choice = choose_device(table.rows[0]);
  EXPECT_EQ(choice.device_id, "cpu:0");
  EXPECT_NE(choice.reason.find("onednn:0 fused 4.00 ns would be 2.50x faster, but loses NaN"), std::string::npos) << choice.reason;
  EXPECT_FALSE(best_plan(table.rows[0].cells[1]));
  EXPECT_EQ(table.rows[0].best_unfused.devices, std::vector<std::string>{"cpu:0"});
  EXPECT_EQ(choose_device(table.rows[1]).device_id, "onednn:0") << "what keeps NaN is chosen as ever";
  const auto totals = model_totals(table, {device("cpu:0", "cpu"), device("onednn:0", "cpu")});
  EXPECT_EQ(totals[0].drawbacks, PlanDrawbacks());
  EXPECT_EQ(totals[1].drawbacks, withheld_for(Drawback::kNanLoss)) << "its own total is shown, and marked";
  EXPECT_DOUBLE_EQ(totals[1].fused_ns, 11);
  EXPECT_DOUBLE_EQ(totals[2].fused_ns, 23) << "twice 10 on cpu, 3 on onednn";
  EXPECT_EQ(totals[2].drawbacks, PlanDrawbacks());
}

TEST(PlanThatLosesNaN, IsChosenWhereThatIsAcceptedAndSaidToBe) {
  const CompareTable table = library_beside_cpu(accepted_with(Drawback::kNanLoss));
  const Choice choice = choose_device(table.rows[0]);
  EXPECT_EQ(choice.device_id, "onednn:0");
  EXPECT_NE(choice.reason.find("loses NaN, which is accepted"), std::string::npos) << choice.reason;
  EXPECT_EQ(table.rows[0].best_unfused.devices, std::vector<std::string>{"onednn:0"});
  const auto totals = model_totals(table, {device("cpu:0", "cpu"), device("onednn:0", "cpu")});
  EXPECT_DOUBLE_EQ(totals[2].fused_ns, 11);
  EXPECT_EQ(totals[2].drawbacks, accepted_with(Drawback::kNanLoss));
}

TEST(PlanThatLosesNaN, IsNoDefaultEvenAlone) {
  const CompareRow row = row_of("Relu", 1, {losing_nan(cell_on("onednn:0", 4, 8), withheld_for(Drawback::kNanLoss))});
  EXPECT_EQ(choose_device(row).device_id, "");
  EXPECT_NE(choose_device(row).reason.find("loses NaN (--accept nan-loss takes it)"), std::string::npos);
  EXPECT_FALSE(row.best_unfused.cell.figure);
}

TEST(PlanThatLosesNaN, LeavesItsOperatorsToOtherDevices) {
  const CompareRow row =
      row_of("a", 1, {cell_on("cpu:0", 10, 20), losing_nan(cell_on("onednn:0", 4, 8), withheld_for(Drawback::kNanLoss))});
  Figure lossy = *measured(1, "1").figure;
  lossy.drawbacks = withheld_for(Drawback::kNanLoss);
  const BestUnfused best = best_unfused(row, {{{"cpu:0", *measured(15, "2").figure}, {"onednn:0", lossy}},
                                              {{"cpu:0", *measured(9, "3").figure}, {"onednn:0", *measured(2, "4").figure}}});
  EXPECT_TRUE(best.composed);
  EXPECT_EQ(best.devices, (std::vector<std::string>{"cpu:0", "onednn:0"}));
  EXPECT_EQ(best.cell.figure->drawbacks, PlanDrawbacks());
}

TEST(PlanThatLosesNaN, IsToldByTheStoredConfigurationOfAnyOfItsKernels) {
  TrialRecord trial;
  trial.config = "activations=plain,threads=2;nan=lost,threads=2";
  EXPECT_EQ(figure_of(trial, {}).drawbacks, withheld_for(Drawback::kNanLoss));
  EXPECT_EQ(figure_of(trial, {Drawback::kNanLoss}).drawbacks, accepted_with(Drawback::kNanLoss));
  trial.config = "activations=plain,threads=2;threads=2";
  EXPECT_EQ(figure_of(trial, {Drawback::kNanLoss}).drawbacks, PlanDrawbacks());
}

}  // namespace
}  // namespace fuselab::engine
