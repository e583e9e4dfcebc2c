// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "app/gui/look/figures.h"
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

std::shared_ptr<const engine::CompareTable> doubtful() {
  return std::make_shared<const engine::CompareTable>(canned_doubtful_table());
}

TEST(WithheldFigure, IsShownAndNoFailure) {
  CompareModel model;
  model.set_table(doubtful());
  const QModelIndex fused = model.index(1, model.column_of(1, CompareModel::kFused));
  EXPECT_TRUE(fused.data().toString().startsWith("withheld: ")) << fused.data().toString().toStdString();
  EXPECT_TRUE(fused.data().toString().endsWith(", 109% of its ceiling"));
  EXPECT_EQ(fused.data(TableModelBase::kBriefRole).toString(), "withheld");
  EXPECT_EQ(model.index(1, model.column_of(1, CompareModel::kUnfused)).data().toString(), "withheld") << "with its pair";
  for (int column = 0; column < model.columnCount(); ++column) {
    for (const int role : {int(Qt::DisplayRole), int(Qt::ToolTipRole), int(TableModelBase::kBriefRole)}) {
      const QString text = model.index(1, column).data(role).toString();
      EXPECT_FALSE(text.contains("fail") || text.contains(QString::fromUtf8("✕")) || text.contains("mistrust"))
          << text.toStdString();
    }
  }
  EXPECT_EQ(outcome_text("mistrusted"), "withheld");
}

TEST(DisturbedMark, StandsBesideEachFigureThatOtherLoadDisturbed) {
  CompareModel model;
  model.set_table(doubtful());
  const QModelIndex fused = model.index(0, model.column_of(0, CompareModel::kFused));
  EXPECT_TRUE(fused.data().toString().contains("~ [")) << fused.data().toString().toStdString();
  EXPECT_TRUE(fused.data(TableModelBase::kBriefRole).toString().contains(QString::fromUtf8("~ ±")));
  EXPECT_TRUE(fused.data(Qt::ToolTipRole).toString().contains("31 involuntary context switches"));
  EXPECT_FALSE(model.index(0, model.column_of(0, CompareModel::kUnfused)).data().toString().contains("~"));
}

TEST(GainOfProcesses, SaysThatItsTimesAreOfOneBlock) {
  CompareModel model;
  model.set_table(doubtful());
  const auto tip = [&](int row) {
    return model.index(row, model.column_of(0, CompareModel::kGain)).data(Qt::ToolTipRole).toString();
  };
  EXPECT_TRUE(tip(2).contains("gain from 6 fresh processes; times from one block")) << tip(2).toStdString();
  EXPECT_FALSE(tip(0).contains("times from one block"));
}

TEST(CompletedTotal, IsMarkedAndSaysWhatIsElsewhere) {
  TotalsModel totals;
  totals.set_table(doubtful());
  EXPECT_FALSE(totals.index(0, 2).data().toString().contains("+"));
  EXPECT_TRUE(totals.index(1, 2).data().toString().endsWith(" +"));
  EXPECT_TRUE(totals.index(1, 2).data(Qt::ToolTipRole).toString().startsWith("12.5 ms of it elsewhere"))
      << totals.index(1, 2).data(Qt::ToolTipRole).toString().toStdString();
  engine::CompareTable table = canned_table();
  table.totals[1] = {"opencl:0", 0, 0, 0, 0, 5, 10};
  totals.set_table(std::make_shared<const engine::CompareTable>(table));
  EXPECT_EQ(totals.index(1, 2).data().toString(), QString::fromUtf8("–"));
  EXPECT_TRUE(totals.index(1, 4).data(Qt::ToolTipRole).toString().startsWith("Without 5 of 10 pieces"));
}

}  // namespace
}  // namespace fuselab::gui::test
