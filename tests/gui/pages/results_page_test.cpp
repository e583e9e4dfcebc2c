// SPDX-License-Identifier: Apache-2.0
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTextBrowser>

#include "app/gui/graph/graph_canvas.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/pages/results/result_model.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
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
  auto* facts = find<QTextBrowser>("results.facts");
  auto* table = find<TableView>("results.table");
  EXPECT_FALSE(find<QTabWidget>("results.tabs")->isVisible());
  const int interval = ResultModel::kInterval;
  EXPECT_LE(table->columnViewportPosition(interval) + table->columnWidth(interval), table->viewport()->width())
      << "the figures of every trial are seen at once";
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->index(0, 0).data().toString() != "…"; }, 60'000));
  table->select_row(0);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QTabWidget>("results.tabs")->isVisible());
  EXPECT_FALSE(facts->toPlainText().isEmpty());
}

TEST_F(ResultsPage, ClearFiltersShowsEveryTrialAgain) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* const clear = find<QPushButton>("results.clear");
  EXPECT_FALSE(clear->isEnabled()) << "there is nothing to clear";
  for (const char* box : {"results.model", "results.piece", "results.outcome"}) find<QComboBox>(box)->setCurrentIndex(1);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(clear->isEnabled());
  click(clear);
  ASSERT_TRUE(settle());
  for (const char* box : {"results.model", "results.piece", "results.outcome"})
    EXPECT_EQ(find<QComboBox>(box)->currentIndex(), 0) << box;
  EXPECT_FALSE(clear->isEnabled());
  EXPECT_GT(find<QComboBox>("results.piece")->count(), 2) << "those of all models";
}

TEST_F(ResultsPage, HeadersSortWhereTheDatabaseCan) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* const header = find<TableView>("results.table")->horizontalHeader();
  auto* const order = find<QComboBox>("results.order");
  EXPECT_EQ(header->sortIndicatorSection(), ResultModel::kWhen);
  const auto clicked = [&](int column) {
    emit header->sectionClicked(column);
    return order->currentText().toStdString();
  };
  EXPECT_EQ(clicked(ResultModel::kMedian), "Fastest first");
  EXPECT_EQ(header->sortIndicatorSection(), ResultModel::kMedian);
  EXPECT_EQ(clicked(ResultModel::kMedian), "Slowest first");
  EXPECT_EQ(clicked(ResultModel::kWhen), "Newest first");
  EXPECT_EQ(clicked(ResultModel::kWhen), "Oldest first");
  EXPECT_EQ(header->sortIndicatorOrder(), Qt::AscendingOrder);
  EXPECT_EQ(clicked(ResultModel::kOutcome), "By outcome");
  EXPECT_EQ(clicked(ResultModel::kOutcome), "By outcome, backwards");
  EXPECT_EQ(header->sortIndicatorSection(), ResultModel::kOutcome);
  EXPECT_EQ(header->sortIndicatorOrder(), Qt::DescendingOrder);
  ASSERT_TRUE(settle());
  {
    const std::lock_guard lock(script_->mutex);
    EXPECT_EQ(script_->last_order, TrialOrder::kOutcomesBack);
  }
  EXPECT_EQ(clicked(ResultModel::kReason), "By outcome, backwards") << "reasons have no index";
  EXPECT_EQ(header->sortIndicatorSection(), ResultModel::kOutcome);
  const auto* const model = find<TableView>("results.table")->model();
  for (int column = 0; column < model->columnCount(); ++column) {
    const bool sorts = ResultModel::order_by(column, false).has_value();
    const QString tip = model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
    EXPECT_EQ(tip.contains("cannot be sorted"), !sorts) << column;
  }
}

TEST_F(ResultsPage, OutcomesThatOccurAreOfferedWithTheirCounts) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* const outcome = find<QComboBox>("results.outcome");
  ASSERT_EQ(outcome->count(), 3) << "all, and two that occur";
  EXPECT_EQ(outcome->itemText(2), QStringLiteral("timed (1,997)")) << outcome->itemText(2).toStdString();
  outcome->setCurrentIndex(2);
  ASSERT_TRUE(settle());
  EXPECT_EQ(outcome->currentData().toString(), "timed") << "it stays chosen when the counts come again";
}

TEST_F(ResultsPage, ColumnsAreChosenAndTheChoiceIsKept) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* table = find<TableView>("results.table");
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->columnCount() > ResultModel::kFirstParameter; }, 60'000));
  EXPECT_TRUE(table->isColumnHidden(ResultModel::kFirstParameter)) << "parameters are shown on demand";
  QMenu* menu = find<QPushButton>("results.columns")->menu();
  emit menu->aboutToShow();
  const auto action_of = [&](int column) { return menu->actions().at(column - 1); };
  action_of(ResultModel::kShape)->trigger();
  action_of(ResultModel::kFirstParameter)->trigger();
  EXPECT_TRUE(table->isColumnHidden(ResultModel::kShape));
  EXPECT_FALSE(table->isColumnHidden(ResultModel::kFirstParameter));
  const QString value = table->model()->index(0, ResultModel::kFirstParameter).data().toString();
  const QString config = table->model()->index(0, ResultModel::kConfig).data().toString();
  const QString name = table->model()->headerData(ResultModel::kFirstParameter, Qt::Horizontal, Qt::DisplayRole).toString();
  EXPECT_TRUE(config.contains(name + "=" + value)) << config.toStdString() << " " << value.toStdString();
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  table = find<TableView>("results.table");
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->columnCount() > ResultModel::kFirstParameter; }, 60'000));
  EXPECT_TRUE(table->isColumnHidden(ResultModel::kShape));
  EXPECT_FALSE(table->isColumnHidden(ResultModel::kFirstParameter));
}

TEST(PieceName, IsItsPlaceAndItsOperators) {
  const PieceName whole = parts_of_name("layer1/0/conv1/Conv+BatchNormalization+Relu");
  EXPECT_EQ(whole.scope, "layer1/0/conv1");
  EXPECT_EQ(whole.operators, "Conv+BatchNormalization+Relu");
  EXPECT_EQ(parts_of_name("encoder/mask").scope, "encoder/mask");
  EXPECT_EQ(parts_of_name("encoder/mask").operators, "");
  EXPECT_EQ(parts_of_name("Relu").operators, "Relu") << "an operator alone";
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
        const std::lock_guard lock(script_->mutex);
        return !script_->last_filter.piece_keys.empty();
      },
      60'000));
  const std::lock_guard lock(script_->mutex);
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
  const auto warns = [this] {
    const auto labels = window_->page(PageId::kResults)->findChildren<QLabel*>();
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
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->index(0, 0).data().toString() != "…"; }, 60'000));
  while (canned_row(timed).median_ns <= 0) ++timed;
  table->select_row(timed);
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<PlotCanvas>("results.order.canvas")->spec().series.front().points.size(), 24u);
  EXPECT_TRUE(find<QPlainTextEdit>("results.source")->toPlainText().contains("void fused"));
  const QString facts = find<QTextBrowser>("results.facts")->toPlainText();
  EXPECT_TRUE(facts.contains("warm caches, all launches of the plan")) << "words, not only a hash";
  EXPECT_TRUE(facts.contains("98,304") || facts.contains("98304"));
}

TEST_F(ResultsPage, AStrangersSourceIsShownWithAButtonToTrustItsKey) {
  script_->stranger = std::string(64, 'a');
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* table = find<TableView>("results.table");
  int timed = 0;
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->index(0, 0).data().toString() != "…"; }, 60'000));
  while (canned_row(timed).median_ns <= 0) ++timed;
  table->select_row(timed);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QPlainTextEdit>("results.source")->toPlainText().contains("void fused")) << "reading text executes nothing";
  EXPECT_TRUE(find<QLabel>("results.stranger")->text().contains("aaaaaaaaaaaa, a key that you do not trust"));
  auto* trust = find<QPushButton>("results.trust");
  EXPECT_FALSE(trust->isHidden());
  trust->click();
  auto* question = find<QMessageBox>("results.trust_question");
  EXPECT_TRUE(question->text().contains("with your rights"));
  question->close();
}

TEST_F(ResultsPage, TheDetailsOfATrialFitIntoTheSmallestWindow) {
  open();
  window_->resize(MainWindow::kSmallest);
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* table = find<TableView>("results.table");
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->index(0, 0).data().toString() != "…"; }, 60'000));
  int timed = 0;
  while (canned_row(timed).median_ns <= 0) ++timed;
  table->select_row(timed);
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_->size(), MainWindow::kSmallest);
  for (const char* part : {"results.spread.chart", "results.spread.toggle", "results.spread.export", "results.order.canvas"})
    EXPECT_TRUE(find<QWidget>(part)->isVisible()) << part;
  EXPECT_TRUE(find<QWidget>("results.spread.chart")->focusPolicy() & Qt::TabFocus) << "its figures are read out";
}

TEST_F(ResultsPage, EveryFactIsBrokenWhereItsRoomEnds) {
  open();
  window_->resize(MainWindow::kSmallest);
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* table = find<TableView>("results.table");
  ASSERT_TRUE(QTest::qWaitFor([table] { return table->model()->index(0, 0).data().toString() != "…"; }, 60'000));
  table->select_row(0);
  ASSERT_TRUE(settle());
  find<QTabWidget>("results.tabs")->setCurrentIndex(2);
  QApplication::processEvents();
  const auto* facts = find<QTextBrowser>("results.facts");
  ASSERT_TRUE(facts->isVisible());
  EXPECT_EQ(facts->horizontalScrollBar()->maximum(), 0) << "a key has no blank and must not hide what is beside it";
}

TEST_F(ResultsPage, ShowsScriptedTrialsAtOnceWhereTheSessionWasAskedForThem) {
  script_->config.synthetic = true;
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QCheckBox>("results.synthetic")->isChecked());
  ASSERT_TRUE(QTest::qWaitFor(
      [this] {
        const std::lock_guard lock(script_->mutex);
        return script_->last_filter.include_synthetic;
      },
      60'000));
}

TEST_F(ResultsPage, SaysThatScriptedTrialsAreHiddenAndHowToSeeThem) {
  script_->trials = script_->scripted = 196;
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* title = window_->page(PageId::kResults)->findChild<QLabel*>("emptyTitle");
  ASSERT_NE(title, nullptr);
  EXPECT_TRUE(title->isVisible());
  EXPECT_EQ(title->text(), "196 scripted trials are hidden");
  EXPECT_FALSE(find<QLabel>("results.subtitle")->text().contains("0 stored")) << "they are stored";
  find<QCheckBox>("results.synthetic")->setChecked(true);
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<TableView>("results.table")->model()->rowCount(), 196);
  EXPECT_TRUE(find<TableView>("results.table")->isVisible());
}

TEST_F(ResultsPage, AJobOnAScriptedDeviceShowsItsTrials) {
  open();
  ASSERT_TRUE(settle());
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  engine::CompareTable table = canned_table();
  for (engine::CompareRow& row : table.rows) {
    row.cells.resize(1);
    row.cells[0].device_id = "cpu:0";
  }
  script_->job->push(engine::TableChanged{table});
  const auto* model = window_->findChild<CompareModel*>();
  ASSERT_TRUE(QTest::qWaitFor([model] { return model->devices().size() == 1; }, 60'000));
  EXPECT_FALSE(window_->bench().views.scripted_wanted());
  for (engine::CompareRow& row : table.rows) row.cells[0].device_id = "null:0";
  script_->job->push(engine::TableChanged{table});
  ASSERT_TRUE(QTest::qWaitFor([this] { return window_->bench().views.scripted_wanted(); }, 60'000));
  window_->show_page(PageId::kResults);  // made only now
  auto* box = find<QCheckBox>("results.synthetic");
  EXPECT_TRUE(box->isChecked());
  box->setChecked(false);
  script_->job->push(engine::TableChanged{table});
  QTest::qWait(600);
  EXPECT_FALSE(box->isChecked()) << "who unticks it has unticked it";
}

TEST(Figures, AnIntervalKeepsTheUnitOfItsMedianAndEveryBoundItsDigits) {
  EXPECT_EQ(interval_text(1.79e6, 1.86e6, 1.82e6), "[1.79, 1.86] ms");
  EXPECT_EQ(interval_text(49.9e3, 1.17e6, 50.8e3), QString::fromUtf8("[49.9, 1170] µs"));
  EXPECT_EQ(interval_text(0.89e6, 1.35e6, 1.05e6), "[0.89, 1.35] ms");
  EXPECT_EQ(interval_text(50.1e3, 1.9e6, 1.2e6), QString::fromUtf8("[50.1 µs, 1.90 ms]"));
  EXPECT_EQ(interval_text(900, 31e6, 1200), "[900 ns, 31.0 ms]");
  engine::Figure figure;
  figure.median_ns = 1.2e6;
  figure.interval = {50.1e3, 1.9e6};
  EXPECT_EQ(figure_text(figure), QString::fromUtf8("1.20 ms [50.1 µs, 1.90 ms]"));
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
