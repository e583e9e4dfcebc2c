// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/compare_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "app/views/choice.h"
#include "tests/unit/cli/tables.h"

namespace fuselab::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The text of a column in a line of the comparison.
std::string shown(const engine::CompareTable& table, const std::string& title, std::size_t line = 0) {
  const auto columns = compare_columns(table, Detail::kAll);
  const auto column = std::find_if(columns.begin(), columns.end(), [&](const Column& each) { return each.title == title; });
  if (column == columns.end()) return "no such column";
  return compare_rows(table, Detail::kAll).at(line).at(static_cast<std::size_t>(column - columns.begin()));
}

TEST(CompareText, PrintsAnEllipsisForWhatWasNotMeasuredYet) {
  const auto table = table_of({cell_on("cpu:0", {}, {})});
  EXPECT_EQ(shown(table, "fused"), "…");
  EXPECT_EQ(shown(table, "unfused"), "…");
  EXPECT_EQ(shown(table, "gain"), "");
  EXPECT_EQ(shown(table, "ideal"), "…");
  engine::ModelTotal total;
  total.device_id = "cpu:0";
  total.pieces = 1;
  EXPECT_EQ(total_text(total), "cpu:0: …");
}

TEST(CompareText, PrintsFiguresWithHalfTheirInterval) {
  const auto table = table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "f"), measured(3000, 2400, 3600, "u"))});
  EXPECT_EQ(shown(table, "fused"), "2.00 µs ±5%");
  EXPECT_EQ(shown(table, "unfused"), "3.00 µs ±20%");
}

TEST(CompareText, MarksWhatLosesNaNAndExplainsTheMarkOnce) {
  auto table = table_of({cell_on("onednn:0", measured(2000, 1900, 2100, "f"), measured(3000, 2400, 3600, "u"))});
  EXPECT_EQ(compare_text(table, Detail::kUsual, Terminal()).find("NaN"), std::string::npos);
  table.rows[0].cells[0].fused.figure->drawbacks = withheld_for(Drawback::kNanLoss);
  EXPECT_EQ(shown(table, "fused"), "2.00 µs ±5%*");
  EXPECT_EQ(shown(table, "unfused"), "3.00 µs ±20%");
  const std::string text = compare_text(table, Detail::kUsual, Terminal()), note = "* loses NaN: ";
  ASSERT_THAT(text, HasSubstr(note));
  EXPECT_EQ(text.find(note), text.rfind(note));
  EXPECT_THAT(text, HasSubstr("--accept nan-loss"));
  engine::ModelTotal total{"onednn:0", 3000, 2000, 0, 0, 1, 1, withheld_for(Drawback::kNanLoss)};
  EXPECT_EQ(total_text(total), "onednn:0: unfused 3.00 µs*, fused 2.00 µs*");
}

// Right results are no failure: what is doubted is the figure or the ceiling.
TEST(CompareText, ShowsAWithheldFigureAndCountsIt) {
  auto table =
      table_of({cell_on("cpu:0", withheld("fused withheld: faster than allowed", 730e3), failed("no pair: fused withheld: x")),
                cell_on("onednn:0", measured(938e3, 930e3, 946e3, "l"), measured(990e3, 980e3, 999e3, "m"))});
  EXPECT_EQ(shown(table, "fused"), "withheld: 730 µs");
  EXPECT_EQ(shown(table, "of ceiling"), "109% of memory");
  table.rows[0].recommended_device = engine::choose_device(table.rows[0]).device_id;
  EXPECT_EQ(table.rows[0].recommended_device, "onednn:0");
  const std::string text = compare_text(table, Detail::kUsual, Terminal());
  EXPECT_THAT(text, HasSubstr(": 1 distinct piece, 1 withheld\n"));
  EXPECT_THAT(text, HasSubstr("\n  Add+Gelu on cpu:0, fused withheld: 730 µs, 109% of its ceiling\n"));
  EXPECT_THAT(text, Not(HasSubstr("mistrusted")));
  EXPECT_THAT(text, Not(HasSubstr("failed")));
  const auto model = compare_json({table})["models"][0];
  EXPECT_EQ(model["figures"]["withheld"], 1);
  const auto fused = model["rows"][0]["cells"][0]["fused"];
  EXPECT_EQ(fused["state"], "withheld");
  EXPECT_EQ(fused["withheld"]["median_ns"], 730e3);
  EXPECT_EQ(fused["withheld"]["share_of_ceiling"], 1.09);
  EXPECT_FALSE(fused.contains("median_ns")) << "who sums medians does not sum it";
}

TEST(CompareText, MarksWhatOtherLoadDisturbedAndSaysHowMuchOfTheTableThatIs) {
  auto table = table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "f"), measured(3000, 2400, 3600, "u"))});
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), Not(HasSubstr("disturbed")));
  table.rows[0].cells[0].fused.figure->disturbance = "disturbed while timing: 31 involuntary context switches";
  EXPECT_EQ(shown(table, "fused"), "2.00 µs ±5%~");
  EXPECT_EQ(shown(table, "unfused"), "3.00 µs ±20%");
  const std::string text = compare_text(table, Detail::kUsual, Terminal());
  EXPECT_THAT(text, HasSubstr(": 1 distinct piece, 50% of 2 figures disturbed (~)\n"));
  EXPECT_THAT(text, HasSubstr("\n~ disturbed: other load took the CPU while it was timed.\n"));
  const auto figures = compare_json({table})["models"][0]["figures"];
  EXPECT_EQ(figures["counted"], 2);
  EXPECT_EQ(figures["disturbed"], 1);
}

TEST(CompareText, SaysWhereAGainIsFromThatItsTimesDoNotShow) {
  auto table = table_of({cell_on("cpu:0", measured(1810, 1800, 1820, "f"), measured(2020, 2000, 2040, "u"))});
  engine::CompareCell& cell = table.rows[0].cells[0];
  cell.gain = Ratio{1.22, {1.18, 1.48}};
  cell.gain_processes = 6;
  EXPECT_EQ(shown(table, "gain"), "1.22x [1.18, 1.48] of 6");
  const std::string text = compare_text(table, Detail::kUsual, Terminal());
  EXPECT_THAT(text, HasSubstr("A gain \"of N\" is from N fresh processes, its two times are from one block.\n"));
  EXPECT_THAT(text, HasSubstr("  Add+Gelu on cpu:0: gain from 6 fresh processes; times from one block, whose quotient is 1.12x\n"));
  const auto gain = compare_json({table})["models"][0]["rows"][0]["cells"][0]["gain"];
  EXPECT_NEAR(gain["times_ratio"].get<double>(), 2020.0 / 1810, 1e-9);
  EXPECT_EQ(gain["source"], "gain from 6 fresh processes; times from one block, whose quotient is 1.12x");
  cell.gain = Ratio{1.11, {1.05, 1.15}};
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), Not(HasSubstr("quotient")));
  cell.gain_processes = 1;
  EXPECT_EQ(shown(table, "gain"), "1.11x [1.05, 1.15]") << "gain and times are of the same runs";
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), Not(HasSubstr("of N")));
}

TEST(CompareText, SaysWhatPartOfATotalIsElsewhere) {
  engine::ModelTotal total{"onednn:0", 6.4e6, 5.9e6, 0, 0, 9, 11};
  total.completed_pieces = 2;
  total.completed_ns = 1.2e6;
  EXPECT_EQ(total_text(total), "onednn:0: unfused 6.40 ms, fused 5.90 ms, 2 pieces of it (1.20 ms) elsewhere");
  EXPECT_EQ(total_text({"cuda:0", 0, 0, 0, 0, 9, 11}), "cuda:0: no total: lacks 2 of 11 pieces");
  EXPECT_EQ(total_text({"cpu:0", 3000, 2000, 0, 0, 9, 11}), "cpu:0: unfused 3.00 µs, fused 2.00 µs (over 9 of 11 pieces)")
      << "no device has more";
  auto table = table_of({cell_on("onednn:0", measured(2000, 1900, 2100, "f"), measured(3000, 2400, 3600, "u"))});
  table.totals = {total, {"cuda:0", 0, 0, 0, 0, 9, 11}};
  const auto totals = compare_json({table})["models"][0]["totals"];
  EXPECT_EQ(totals[0]["completed_pieces"], 2);
  EXPECT_EQ(totals[0]["completed_ns"], 1.2e6);
  EXPECT_FALSE(totals[1].contains("fused_ns"));
}

TEST(CompareText, PutsWholeModelsBelowTheTotals) {
  auto table = table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "f"), measured(3000, 2400, 3600, "u"))});
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), Not(HasSubstr("Whole model")));
  EXPECT_TRUE(compare_json({table})["models"][0]["whole_models"].empty());
  engine::ModelTotal mix{engine::kBestMix, 3000, 2000, 0, 0, 1, 1};
  mix.pieces_on = {{"cpu:0", 1}};
  table.totals = {mix};
  table.whole_models = {{"key", cell_on("openvino:0", measured(1500, 1455, 1545, "w"), {}), Ratio{0.75, {0.7, 0.8}}},
                        {"key", cell_on("xla:0", {}, {}), std::nullopt}};
  table.whole_models[0].cell.fused.figure->drawbacks = withheld_for(Drawback::kNanLoss);
  table.whole_models[1].cell.fused.state = engine::CellState::kFailed;
  table.whole_models[1].cell.fused.reason = "single unsupported: Pow: it is not asked of XLA";
  const std::string text = compare_text(table, Detail::kUsual, Terminal());
  EXPECT_THAT(text, HasSubstr("\nWhole model in one stack, beside the best mix of its pieces, 2.00 µs (cpu:0 1)\n"
                              "  openvino:0: 1.50 µs ±3%*, 0.75x the time of the best mix [0.70, 0.80]: faster\n"
                              "  xla:0: unsupported: Pow: it is not asked of XLA\n"));
  EXPECT_THAT(text, HasSubstr("* loses NaN: "));
  const auto document = compare_json({table})["models"][0];
  EXPECT_EQ(document["totals"][0]["pieces_on"]["cpu:0"], 1);
  EXPECT_EQ(document["whole_models"][0]["of_best_mix"]["ratio"], 0.75);
  EXPECT_EQ(document["whole_models"][1]["cell"]["state"], "failed");
}

TEST(CompareText, HasNoGainThatWasNotMeasuredInOneBlock) {
  auto table = table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "f"), measured(3000, 2900, 3100, "u"))});
  EXPECT_EQ(shown(table, "gain"), "–");
  table.rows[0].cells[0].unfused = measured(1820, 1800, 1850, "u");
  table.rows[0].cells[0].gain = Ratio{0.91, {0.88, 0.95}};
  EXPECT_EQ(shown(table, "gain"), "0.91x [0.88, 0.95]");  // losing is shown as plainly
}

TEST(CompareText, ShowsASingleOperatorsPlanOnce) {
  const auto table = table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "t"), measured(2000, 1900, 2100, "t"))});
  EXPECT_EQ(shown(table, "unfused"), "2.00 µs ±5%");
  EXPECT_EQ(shown(table, "fused"), "–") << "nothing was fused";
  EXPECT_THAT(engine::choose_device(table.rows[0]).reason, Not(HasSubstr("fused")));
}

TEST(CompareText, SaysFailedAndThePieceOnlyOnItsFirstLine) {
  const auto table = table_of({cell_on("cpu:0", failed("fused crashed: x"), {}), cell_on("null:0", {}, {})});
  EXPECT_EQ(shown(table, "fused"), "crashed");
  EXPECT_EQ(shown(table, "piece", 0), "Add+Gelu");
  EXPECT_EQ(shown(table, "piece", 1), "");
  EXPECT_EQ(shown(table, "device", 1), "null:0");
}

// The texts of a piece's line in the usual table, by column title.
std::map<std::string, std::string> line_of(engine::CompareTable table) {
  const engine::Choice choice = engine::choose_device(table.rows[0]);
  table.rows[0].recommended_device = choice.device_id;
  table.rows[0].recommended_plan = choice.plan;
  table.rows[0].reason = choice.reason;
  const auto columns = compare_columns(table, Detail::kUsual);
  const auto rows = compare_rows(table, Detail::kUsual);
  EXPECT_EQ(rows.size(), 1U);
  std::map<std::string, std::string> line;
  for (std::size_t i = 0; i < columns.size(); ++i) line[columns[i].title] = rows.at(0).at(i);
  return line;
}

TEST(CompareText, HasALineForAPieceWithItsBestDeviceAndTheNext) {
  auto table = table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "f"), measured(3000, 2900, 3100, "u")),
                         cell_on("onednn:0", measured(1000, 980, 1020, "g"), measured(1500, 1480, 1520, "v"))});
  auto line = line_of(table);
  EXPECT_EQ(line["best"], "onednn:0 fused");
  EXPECT_EQ(line["time"], "1.00 µs ±2%");
  EXPECT_EQ(line["ahead of the next"], "2.00x cpu:0");
  table.rows[0].cells[1].fused = measured(1980, 1960, 2020, "g");
  table.rows[0].cells[1].unfused = measured(2500, 2480, 2520, "v");
  EXPECT_EQ(line_of(table)["ahead of the next"].substr(0, 16), "within noise of ");
  EXPECT_EQ(compare_rows(table, Detail::kAll).size(), 2U) << "--wide has every cell";
}

TEST(CompareText, SaysWhyALineHasNoNextDevice) {
  auto table =
      table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "f"), measured(3000, 2900, 3100, "u")), cell_on("onednn:0", {}, {})});
  EXPECT_EQ(line_of(table)["ahead of the next"], "…") << "it was not measured yet";
  table.rows[0].cells[1] = cell_on("onednn:0", failed("fused skipped: x"), failed("unfused skipped: x"));
  EXPECT_EQ(line_of(table)["ahead of the next"], "no other: skipped");
  table.rows[0].cells[0] = cell_on("cpu:0", failed("fused crashed: x"), failed("unfused crashed: x"));
  auto line = line_of(table);
  EXPECT_EQ(line["best"], "crashed");
  EXPECT_EQ(line["time"], "");
  table.rows[0].cells[0] = cell_on("cpu:0", {}, {});
  EXPECT_EQ(line_of(table)["best"], "…");
}

TEST(CompareText, CallsNoPlanFailedForTheOthersFailure) {
  const auto table = table_of({cell_on("cpu:0", failed("fused crashed: x"), failed("no pair: fused crashed: x"))});
  EXPECT_EQ(shown(table, "fused"), "crashed");
  EXPECT_EQ(shown(table, "unfused"), "no pair");
}

TEST(CompareText, SaysNoKernelWhereNothingRuns) {
  auto table = table_of({cell_on("cpu:0", excluded("no kernel: it only gives memory another shape and moves no bytes"), {})});
  table.rows[0].reason = table.rows[0].cells[0].fused.reason;
  EXPECT_EQ(shown(table, "fused"), "no kernel");
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), HasSubstr("→ none: no kernel: it only gives"));
}

TEST(CompareText, SaysHowSureAnUndecidedGainIs) {
  auto table = table_of({cell_on("cpu:0", measured(2000, 1800, 2200, "f"), measured(2100, 1900, 2300, "u"))});
  table.rows[0].cells[0].gain = Ratio{1.05, {0.95, 1.2}};
  const engine::Choice choice = engine::choose_device(table.rows[0]);
  table.rows[0].recommended_device = choice.device_id;
  table.rows[0].reason = choice.reason;
  const std::string text = compare_text(table, Detail::kUsual, Terminal());
  EXPECT_THAT(text, HasSubstr("Add+Gelu → cpu:0 fused 2.00 µs"));
  EXPECT_THAT(text, HasSubstr("undecided, 79 % sure that fusing gains: 1.05x [0.95, 1.20], unfused 2.10 µs [1.90 µs"));
}

TEST(CompareText, SaysWhatTheSearchShowed) {
  auto table = table_of({cell_on("cpu:0", measured(2000, 1900, 2100, "f"), measured(3000, 2400, 3600, "u"))});
  EXPECT_EQ(shown(table, "tuned"), "") << "no search chose it";
  table.rows[0].cells[0].tuning = {"vector=1", "vector=8", "improved", 0.8, 0.75, 0.85, 6, "", false};
  EXPECT_EQ(shown(table, "tuned"), "1.25x [1.18, 1.33]");
  const auto json = compare_json({table})["models"][0]["rows"][0]["cells"][0]["tuning"];
  EXPECT_EQ(json["verdict"], "improved");
  EXPECT_EQ(json["interval"][1], 0.85);
  table.rows[0].cells[0].tuning = {"vector=1", "vector=8", "", 1, 0, 0, 0, "not fit", true};
  const auto open = compare_json({table})["models"][0]["rows"][0]["cells"][0]["tuning"];
  EXPECT_EQ(open["reason"], "not fit");
  EXPECT_FALSE(open.contains("verdict"));
}

TEST(CompareText, CountsPiecesInTheRightNumber) {
  auto table = table_of({cell_on("cpu:0", {}, {})});
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), HasSubstr("w1-bias-gelu, O2: 1 distinct piece\n"));
  table.rows.push_back(table.rows[0]);
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), HasSubstr("w1-bias-gelu, O2: 2 distinct pieces\n"));
}

TEST(CompareText, SaysWhatItAnswersAndHowToSeeWhatElseWasMeasured) {
  auto table = table_of({cell_on("cpu:0", {}, {})});
  EXPECT_EQ(also_measured_text(table), "");
  table.binding = "cols=8,rows=4";
  table.dtype = "f32";
  table.also_measured = {{"cols=8,rows=4", "O0", "f32"}, {"cols=8,rows=9", "O2", "f16"}};
  EXPECT_EQ(title_text(table), "w1-bias-gelu (cols=8,rows=4), f32, O2");
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()),
              HasSubstr(": 1 distinct piece\nAlso measured, to be seen with --level O0; --shape cols=8,rows=9 --dtype f16\n\n"));
  table.also_measured.resize(9, {"", "O1", "f32"});
  EXPECT_THAT(also_measured_text(table), HasSubstr("; and 3 more\n"));
  table.level.clear();
  EXPECT_THAT(title_text(table), HasSubstr("a level that is not known any more"));
}

TEST(CompareText, SaysWhatShareIsCoveredOnlyWhenNotAll) {
  auto table = table_of({cell_on("cpu:0", {}, {})});
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), Not(HasSubstr("covered")));
  table.covered_share = 0.75;
  EXPECT_THAT(compare_text(table, Detail::kUsual, Terminal()), HasSubstr("75% of the operators read"));
}

}  // namespace
}  // namespace fuselab::cli
