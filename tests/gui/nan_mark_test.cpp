// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "app/gui/models/compare_model.h"
#include "tests/gui/support/canned.h"

namespace fuselab::gui::test {
namespace {

TEST(NanMark, StandsOnCompareAsOnTheCommandLine) {
  engine::CompareTable table = canned_table();
  const auto timed = std::find_if(table.rows.begin(), table.rows.end(), [](const engine::CompareRow& row) {
    return row.cells[0].unfused.figure && row.cells[0].fused.figure && !has_one_plan(row.cells[0]);
  });
  ASSERT_NE(timed, table.rows.end());
  timed->cells[0].unfused.figure->drawbacks = withheld_for(Drawback::kNanLoss);
  const int row = static_cast<int>(timed - table.rows.begin());
  CompareModel model;
  model.set_table(std::make_shared<const engine::CompareTable>(table));
  const auto cell = [&](CompareModel::DeviceColumns column) { return model.index(row, model.column_of(0, column)); };
  EXPECT_TRUE(cell(CompareModel::kUnfused).data().toString().contains("* ["))
      << cell(CompareModel::kUnfused).data().toString().toStdString();
  EXPECT_TRUE(cell(CompareModel::kUnfused).data(Qt::ToolTipRole).toString().contains("loses NaN"));
  EXPECT_FALSE(cell(CompareModel::kFused).data().toString().contains("*"));
  table.totals[0].drawbacks = withheld_for(Drawback::kNanLoss);
  TotalsModel totals;
  totals.set_table(std::make_shared<const engine::CompareTable>(table));
  EXPECT_TRUE(totals.index(0, 1).data().toString().endsWith("*"));
}

}  // namespace
}  // namespace fuselab::gui::test
