// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/gain_plot.h"

#include "app/gui/models/compare_model.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

// The first piece moves 2.82 times as much unfused as fused.
engine::CompareTable table_with_traffic() {
  engine::CompareTable table = canned_table();
  for (engine::CompareRow& row : table.rows) {
    row.cost.eager_read = Bytes{row.cost.ideal().count * 2};
    row.cost.eager_written = Bytes{row.cost.ideal().count * 82 / 100};
  }
  return table;
}

TEST(GainPlot, PutsEachGainOverTheOneThatItsTrafficAllows) {
  const engine::CompareTable table = table_with_traffic();
  const PlotSpec spec = gain_plot(table);
  ASSERT_EQ(spec.series.size(), 4U) << "the bound, no gain, two devices";
  const Series& bound = spec.series[0];
  for (const PlotPoint& end : bound.points) EXPECT_DOUBLE_EQ(end.x, end.y);
  const PlotPoint& point = spec.series[2].points.front();
  EXPECT_NEAR(point.x, 2.82, 0.005);
  EXPECT_DOUBLE_EQ(point.y, table.rows.front().cells.front().gain->value);
  EXPECT_EQ(point.key.toStdString(), table.rows.front().piece_key);
  EXPECT_LT(point.low, point.y);
  EXPECT_GT(point.high, point.y);
  EXPECT_TRUE(point.label.contains(QString::fromUtf8("got 1.14× of 2.82×"))) << point.label.toStdString();
}

TEST(GainPlot, LeavesOutWhatHasNoGainOrNoTrafficToSave) {
  engine::CompareTable table = table_with_traffic();
  for (engine::CompareRow& row : table.rows) row.single_operator = true;
  EXPECT_TRUE(is_empty(gain_plot(table)));
  EXPECT_FALSE(gain_plot(table).empty_text.isEmpty());
  table = table_with_traffic();
  for (engine::CompareRow& row : table.rows) row.cost.eager_read = row.cost.eager_written = Bytes{0};
  EXPECT_TRUE(is_empty(gain_plot(table))) << "nothing is known of its traffic unfused";
}

using GainPlotOfCompare = WindowTest;

TEST_F(GainPlotOfCompare, ADotChoosesItsPiece) {
  script_->tables = {table_with_traffic()};
  open();
  auto* const canvas = find<PlotCanvas>("compare.gains.canvas");
  ASSERT_FALSE(is_empty(canvas->spec()));
  const PlotPoint point = canvas->spec().series[2].points[2];  // choosing makes the plot anew
  emit canvas->point_chosen(point.key);
  auto* const table = find<TableView>("compare.table");
  ASSERT_EQ(table->selected_rows().size(), 1U);
  EXPECT_TRUE(point.label.startsWith(table->model()->index(table->selected_rows().front(), 0).data().toString()));
}

}  // namespace
}  // namespace fuselab::gui::test
