// SPDX-License-Identifier: Apache-2.0
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>

#include "app/gui/graph/graph_canvas.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/models/result_model.h"
#include "app/gui/pages/table_view.h"
#include "app/gui/plots/plot_canvas.h"
#include "db/database.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

using ResultsPage = WindowTest;

TEST_F(ResultsPage, ResultsOpenTheDetailsOfATrialOnceItIsChosen) {
  open();
  window_->resize(1000, 640);
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* facts = find<QLabel>("results.facts");
  auto* table = find<TableView>("results.table");
  EXPECT_FALSE(find<QTabWidget>("results.tabs")->isVisible());
  int const interval = ResultModel::kInterval;
  EXPECT_LE(table->columnViewportPosition(interval) + table->columnWidth(interval), table->viewport()->width())
      << "the figures of every trial are seen at once";
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->index(0, 0).data().toString() != "…"; }, 20000));
  table->select_row(0);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QTabWidget>("results.tabs")->isVisible());
  EXPECT_FALSE(facts->text().isEmpty());
}

TEST_F(ResultsPage, ResultsAreFilteredByModelAndMode) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* mode = find<QComboBox>("results.mode");
  mode->setCurrentIndex(mode->findText("cold"));
  auto* model = find<QComboBox>("results.model");
  model->setCurrentIndex(model->findText("resnet50 (batch=1)"));
  EXPECT_EQ(find<QComboBox>("results.piece")->count(), 2) << "all pieces, and the one of this model";
  ASSERT_TRUE(settle());
  ASSERT_TRUE(QTest::qWaitFor(
      [this] {
        std::lock_guard const lock(script_->mutex);
        return !script_->last_filter.piece_keys.empty();
      },
      20000));
  std::lock_guard const lock(script_->mutex);
  EXPECT_EQ(script_->last_filter.metric_key, kColdMetric);
  EXPECT_EQ(script_->last_filter.piece_keys, std::vector<std::string>{canned_catalog().pieces[0].key});
}

TEST_F(ResultsPage, FastestFirstSaysWhenItMixesWhatCannotBeRanked) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* order = find<QComboBox>("results.order");
  order->setCurrentIndex(order->findText("Fastest first"));
  ASSERT_TRUE(settle());
  auto const warns = [this] {
    auto const labels = window_->page(PageId::kResults)->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text().contains("mixes pieces"); });
  };
  EXPECT_TRUE(warns());
  find<QComboBox>("results.piece")->setCurrentIndex(1);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(warns()) << "warm and cold still stand in one order";
  find<QComboBox>("results.mode")->setCurrentIndex(1);
  ASSERT_TRUE(settle());
  EXPECT_FALSE(warns());
}

TEST_F(ResultsPage, ResultsShowATrialWithItsSamplesAndSource) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* table = find<TableView>("results.table");
  EXPECT_EQ(table->model()->rowCount(), 2000);
  int timed = 0;
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->index(0, 0).data().toString() != "…"; }, 20000));
  while (canned_row(timed).median_ns <= 0) ++timed;
  table->select_row(timed);
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<PlotCanvas>("results.order.canvas")->spec().series.front().points.size(), 24u);
  EXPECT_TRUE(find<QPlainTextEdit>("results.source")->toPlainText().contains("void fused"));
  EXPECT_TRUE(find<QLabel>("results.facts")->text().contains("warm caches, all launches of the plan")) << "words, not only a hash";
  EXPECT_TRUE(find<QLabel>("results.facts")->text().contains("98,304") || find<QLabel>("results.facts")->text().contains("98304"));
}

TEST_F(ResultsPage, TheDetailsOfATrialFitIntoTheSmallestWindow) {
  open();
  window_->resize(MainWindow::kSmallest);
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* table = find<TableView>("results.table");
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->index(0, 0).data().toString() != "…"; }, 20000));
  int timed = 0;
  while (canned_row(timed).median_ns <= 0) ++timed;
  table->select_row(timed);
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_->size(), MainWindow::kSmallest);
  for (const char* part : {"results.spread.chart", "results.spread.toggle", "results.spread.export", "results.order.canvas"})
    EXPECT_TRUE(find<QWidget>(part)->isVisible()) << part;
  EXPECT_TRUE(find<QWidget>("results.spread.chart")->focusPolicy() & Qt::TabFocus) << "its figures are read out";
}

TEST_F(ResultsPage, ResultsSayWhenNoTrialMatches) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* outcome = find<QComboBox>("results.outcome");
  outcome->setCurrentIndex(outcome->findData("crashed"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<TableView>("results.table")->model()->rowCount(), 0);
  EXPECT_TRUE(find<TableView>("results.table")->isVisible()) << "the filters' result, not the page of an empty database";
}

}  // namespace
}  // namespace fuselab::gui::test
