// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/jobs/run_summary.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/cli/tables.h"

namespace fuselab::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Five pieces on two devices, as a run leaves them: the second device lacks one.
engine::CompareTable model(const std::string& name) {
  engine::CompareTable table;
  table.model = name;
  table.level = "O2";
  for (int index = 0; index < 5; ++index) {
    const double ns = 1e6 * (index + 1);
    engine::CompareTable of_piece = table_of({cell_on("cpu:0", measured(ns, ns, ns, "a"), measured(3 * ns, 3 * ns, 3 * ns, "b")),
                                              cell_on("openmp:0", measured(2 * ns, ns, ns, "c"), measured(3 * ns, ns, ns, "d"))});
    engine::CompareRow& row = table.rows.emplace_back(std::move(of_piece.rows.front()));
    row.name = "piece" + std::to_string(index);
    row.recommended_device = "cpu:0";
    row.to_be_won_ns = 1e5 * index;
    row.cells[0].gain = Ratio{1.5 + index, {1.4 + index, 1.6 + index}};
    row.cells[0].share_of_ceiling = 0.5;
  }
  table.rows[4].cells[0].gain = Ratio{9, {0.5, 20}};  // not certain
  table.totals = {{"cpu:0", 45e6, 15e6, 0, 0, 5, 5}, {"openmp:0", 30e6, 20e6, 0, 0, 4, 5}};
  engine::ModelTotal mix{engine::kBestMix, 45e6, 15e6, 0, 0, 5, 5};
  mix.pieces_on = {{"cpu:0", 5}};
  table.totals.push_back(mix);
  return table;
}

std::vector<engine::CompareTable> models(int count) {
  std::vector<engine::CompareTable> tables;
  for (int index = 0; index < count; ++index) tables.push_back(model("model" + std::to_string(index)));
  return tables;
}

std::ptrdiff_t lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(RunSummary, SaysPerModelHowItStandsWhatFusingGainsAndWhatIsLeft) {
  const std::string text = run_summary(models(1), {}, Terminal());
  EXPECT_THAT(text, HasSubstr("model0, O2: 5 distinct pieces, best mix 15.0 ms (cpu:0 5)"));
  EXPECT_THAT(text, HasSubstr("cpu:0 1.00x; pieces with figures: openmp:0 4 of 5"))
      << "a sum over fewer pieces never stands beside a whole one";
  EXPECT_THAT(text, HasSubstr("piece3 4.50x [4.40, 4.60], piece2 3.50x [3.40, 3.60], piece1 2.50x [2.40, 2.60]\n"));
  EXPECT_THAT(text, Not(HasSubstr("9.00x")));
  EXPECT_THAT(text, HasSubstr("largest headroom: piece4 on cpu:0, 400 µs above its ideal (50% of memory)"));
  EXPECT_THAT(text, HasSubstr("fuselab profile model0 --piece piece4 --device cpu:0 "));
  EXPECT_THAT(text, HasSubstr("fuselab export model0 --to model.fuselab "));
}

// The same words again, or the next command would look at other figures.
TEST(RunSummary, TheNextCommandsAskForTheSameFigures) {
  const auto next = [](const Typed& typed) {
    auto tables = models(2);
    tables[1].model = "layer.onnx@1a2b3c4d";
    tables[1].binding = "batch=1,seq=8";
    for (engine::ModelTotal& total : tables[1].totals) total.fused_ns *= 2;
    return run_summary(tables, typed, Terminal());
  };
  const Typed all{{"model0", "my models/layer.onnx"}, true, " --dtype f16 --level O0", " --mode rotating", " --db r.db"};
  const std::string same = "'my models/layer.onnx' --shape batch=1,seq=8 --dtype f16 --level O0";
  EXPECT_THAT(next(all), HasSubstr("fuselab compare " + same + " --mode rotating --db r.db   #"));
  EXPECT_THAT(next(all), HasSubstr("fuselab profile " + same + " --mode rotating --db r.db --piece"));
  EXPECT_THAT(next(all), HasSubstr("fuselab export " + same + " --db r.db --to model.fuselab")) << "export takes warm figures";
  EXPECT_THAT(next({}), HasSubstr("fuselab export layer.onnx@1a2b3c4d --to "));
  EXPECT_THAT(next({{"a/layer.onnx", "b/layer.onnx"}, false, "", "", ""}), HasSubstr("fuselab export layer.onnx@1a2b3c4d --to "))
      << "which of the two is not known";
  EXPECT_THAT(run_summary(models(1), {{"graph(…)"}, false, "", "", ""}, Terminal()), HasSubstr("fuselab export 'graph(…)' --to "));
}

TEST(RunSummary, CallsFirstWhatIsNotTunedYet) {
  auto tables = models(2);
  EXPECT_THAT(early_text(tables, Terminal()), HasSubstr("First figures, not tuned yet.\nmodel0"));
  tables[1].rows[3].cells[1].fused.figure->confirmed = true;
  EXPECT_THAT(early_text(tables, Terminal()), HasSubstr("What is stored so far; the job continues from there.\nmodel0"));
  tables = models(1);
  tables[0].rows[0].cells[0].tuning.baseline = "vector=8";
  EXPECT_THAT(early_text(tables, Terminal()), Not(HasSubstr("not tuned")));
}

TEST(RunSummary, HasFortyLinesAtMostHoweverManyModels) {
  for (const int count : {0, 1, 8, 9, 33, 34, 200}) {
    const std::string text = run_summary(models(count), {}, Terminal());
    EXPECT_LE(lines_of(text), kMostSummaryLines) << count;
    EXPECT_LE(lines_of(models_text(models(count), Terminal())), kMostSummaryLines) << count;
  }
  EXPECT_THAT(run_summary(models(200), {}, Terminal()), HasSubstr("more models: `fuselab compare` shows them\n"));
}

TEST(RunSummary, ATableIsWholeOnceEachPieceHasAFigureOrFailed) {
  engine::CompareTable table = model("m");
  EXPECT_TRUE(is_whole(table));
  table.rows[2].recommended_device = "";
  EXPECT_TRUE(is_whole(table)) << "it was tried everywhere";
  table.rows[2].cells[1].fused = engine::Cell();
  EXPECT_FALSE(is_whole(table));
  table.rows[2].recommended_device = "cpu:0";
  EXPECT_TRUE(is_whole(table)) << "other devices may come later";
}

}  // namespace
}  // namespace fuselab::cli
