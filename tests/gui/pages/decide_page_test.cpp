// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/decide/decide_page.h"

#include <QLabel>
#include <QPushButton>
#include <QTabWidget>

#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/canned.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

class Decide : public WindowTest {
 protected:
  void open_decide() {
    open();
    window_->show_page(PageId::kDecide);
    ASSERT_TRUE(settle());
  }
  QString text(const char* table, int row, int column) {
    return find<TableView>(table)->model()->index(row, column).data().toString();
  }
};

TEST_F(Decide, RanksTheDevicesBesideTheBestMix) {
  open_decide();
  EXPECT_EQ(text("decide.table", 0, DecideModel::kDevice), "cpu:0");
  EXPECT_TRUE(text("decide.table", 0, DecideModel::kFirstModel).startsWith(QString::fromUtf8("1.03×")))
      << text("decide.table", 0, DecideModel::kFirstModel).toStdString();
  EXPECT_EQ(text("decide.table", 1, DecideModel::kDevice), "opencl:0");
  EXPECT_TRUE(find<QLabel>("decide.sentence")->text().startsWith("cpu:0 is the best single default here: 1.03x the best mix"))
      << find<QLabel>("decide.sentence")->text().toStdString();
  EXPECT_FALSE(is_empty(find<PlotCanvas>("decide.plot.canvas")->spec()));
}

TEST_F(Decide, SaysWhatADeviceCannotRun) {
  open_decide();
  find<QTabWidget>("decide.tabs")->setCurrentIndex(2);
  const auto* missing = find<TableView>("decide.missing");
  ASSERT_GT(missing->model()->rowCount(), 0);
  for (int row = 0; row < missing->model()->rowCount(); ++row) EXPECT_FALSE(text("decide.missing", row, 2).isEmpty());
}

TEST_F(Decide, NamesTheBackendThatItWouldMakeTheDefault) {
  open_decide();
  EXPECT_EQ(find<QPushButton>("decide.make")->text(), "Make cpu the default");
  find<TableView>("decide.table")->select_row(1);
  EXPECT_EQ(find<QPushButton>("decide.make")->text(), "Make opencl the default");
}

TEST(DecidePlot, DashesDevicesThatLeavePiecesToOthers) {
  auto table = std::make_shared<engine::CompareTable>(canned_doubtful_table());
  const auto decision = engine::decide_backend({table});
  const PlotSpec spec = decision_plot(decision);
  ASSERT_EQ(spec.series.size(), 2U);
  for (const Series& series : spec.series) EXPECT_TRUE(series.dashed) << "neither runs all ten pieces";
  EXPECT_TRUE(spec.series[1].points[0].label.contains("1 piece elsewhere")) << spec.series[1].points[0].label.toStdString();
  EXPECT_TRUE(is_empty(decision_plot({})));
}

TEST(Regret, IsSaidInWords) {
  EXPECT_TRUE(regret_words({}).contains("nothing to choose between"));
  RegretReport report;
  report.selector = {"selector", 4, 3, 0, 0.02, 0.1, "", "", "", 0, 0};
  report.always = {{"always cpu:0", 4, 2, 0, 0.3, 0.9, "", "", "", 0, 0}};
  EXPECT_TRUE(regret_words(report).contains("always cpu:0")) << regret_words(report).toStdString();
}

}  // namespace
}  // namespace fuselab::gui::test
