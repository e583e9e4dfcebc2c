// SPDX-License-Identifier: Apache-2.0
#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>

#include "app/gui/graph/graph_canvas.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/models/result_model.h"
#include "app/gui/pages/table_view.h"
#include "app/gui/plots/plot_canvas.h"
#include "db/database.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

using Pages = WindowTest;

TEST_F(Pages, AJobGoesFromStartOverProgressToCancel) {
  open();
  window_->show_page(PageId::kTuning);
  find<QLineEdit>("tuning.subjects")->setText("resnet50 w3");
  find<QSpinBox>("tuning.trials")->setValue(32);
  click(find<QPushButton>("tuning.start"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->starts, 1);
  EXPECT_EQ(script_->last_spec.subjects, (std::vector<std::string>{"resnet50", "w3"}));
  EXPECT_EQ(script_->last_spec.budget_trials, 32);
  EXPECT_FALSE(find<QPushButton>("tuning.start")->isEnabled()) << "one job at a time";

  push_busy_job(*script_->job, 60);
  auto* queue = find<TableView>("tuning.trials");
  ASSERT_TRUE(QTest::qWaitFor([queue] { return queue->model()->rowCount() == 60; }, 20000));
  EXPECT_EQ(find<QProgressBar>("tuning.progress")->value(), 420);
  EXPECT_TRUE(find<QLabel>("tuning.left")->text().contains("2 min 34 s"));
  EXPECT_FALSE(find<PlotCanvas>("tuning.plot.canvas")->spec().series[1].points.empty());

  click(find<QPushButton>("tuning.cancel"));
  EXPECT_EQ(script_->job->cancels, 1) << "the job hears of it before the click returns";
  EXPECT_FALSE(window_->bench().job.active());
  EXPECT_EQ(find<QLabel>("tuning.state")->text(), "Cancelled");
  EXPECT_TRUE(find<QPushButton>("tuning.start")->isEnabled());
}

TEST_F(Pages, PauseBecomesResume) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  auto* pause = find<QPushButton>("tuning.pause");
  click(pause);
  EXPECT_EQ(script_->job->pauses, 1);
  ASSERT_TRUE(QTest::qWaitFor([pause] { return pause->text() == "Resume"; }, 20000));
  click(pause);
  EXPECT_EQ(script_->job->resumes, 1);
}

TEST_F(Pages, AFailedJobSaysWhy) {
  open();
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  script_->job->result = Error{ErrorCode::kIo, "the disk is full"};
  script_->job->end(session::JobState::kFailed);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 20000));
  EXPECT_TRUE(find<QLabel>("status.state")->text().contains("the disk is full"));
}

TEST_F(Pages, ARefusedStartSaysWhoHoldsTheDatabase) {
  script_->start_error = "process 4711 writes this database";
  open();
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QLabel>("status.state")->text().contains("4711"));
  EXPECT_TRUE(window_->bench().control.can_start()) << "it may be tried again";
}

TEST_F(Pages, RunStartsTheMainJobOnceTheSessionIsOpen) {
  MainWindow::Options options;
  options.run = true;
  options.default_spec.subjects = {"w4"};
  open(options);
  EXPECT_EQ(script_->starts, 1);
  EXPECT_EQ(script_->last_spec.subjects, std::vector<std::string>{"w4"});
}

TEST_F(Pages, ReadOnlyNeverStartsAJob) {
  MainWindow::Options options;
  options.read_only = true;
  open(options);
  EXPECT_FALSE(window_->bench().control.run_action()->isEnabled());
  window_->bench().control.start_default();
  EXPECT_EQ(script_->starts, 0);
}

TEST_F(Pages, ADatabaseThatCannotBeOpenedSaysWhy) {
  script_->open_error = "results.db was written by a newer version";
  open();
  EXPECT_TRUE(find<QLabel>("status.state")->text().contains("newer version"));
  EXPECT_FALSE(window_->bench().control.run_action()->isEnabled());
  for (PageId id : kAllPages) {  // Compare stood there already, the others are made now
    window_->show_page(id);
    ASSERT_TRUE(settle());
    QStringList told;
    for (const QLabel* label : window_->page(id)->findChildren<QLabel*>()) {
      if (label->isVisible()) told << label->text();
    }
    EXPECT_TRUE(told.contains(QStringLiteral("The database cannot be opened"))) << name_of(id).toStdString();
    EXPECT_TRUE(told.contains(QString::fromStdString(script_->open_error))) << name_of(id).toStdString();
    EXPECT_FALSE(told.contains(QStringLiteral("Nothing measured yet"))) << name_of(id).toStdString();
    auto* action = window_->page(id)->findChild<QPushButton*>("emptyAction");
    EXPECT_FALSE(action != nullptr && action->isVisible()) << "it cannot be pressed anyway";
  }
}

TEST_F(Pages, EmptyPagesSayWhatToDoNext) {
  script_->tables.clear();
  script_->trials = 0;
  open();
  for (PageId id : {PageId::kCompare, PageId::kResults}) {
    Page* page = window_->page(id);
    window_->show_page(id);
    ASSERT_TRUE(settle());
    auto* action = page->findChild<QPushButton*>("emptyAction");
    ASSERT_NE(action, nullptr);
    EXPECT_TRUE(action->isVisible()) << name_of(id).toStdString();
  }
  window_->show_page(PageId::kCompare);
  click(window_->page(PageId::kCompare)->findChild<QPushButton*>("emptyAction"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->starts, 1);
}

TEST_F(Pages, FollowsADatabaseThatAnotherProcessWrites) {
  script_->catalog.runs.front().state = "running";
  open();
  EXPECT_TRUE(window_->bench().views.following());
  session::CompareTable more = canned_table();
  more.model = "resnet50";
  script_->tables.push_back(more);
  script_->trials += 100;
  auto* models = find<QComboBox>("compare.model");
  EXPECT_TRUE(QTest::qWaitFor([models] { return models->count() == 2; }, 20000));
}

TEST_F(Pages, ARunWhoseProcessIsGoneIsInterrupted) {
  script_->config.database = folder_.filePath("runs.db").toStdString();
  script_->config.key_directory = folder_.filePath("keys").toStdString();
  auto const trust = std::make_shared<db::Trust>(script_->config.key_directory);
  auto writer = db::Database::open(script_->config.database, db::Access::kWrite, trust);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  script_->catalog.runs.front().state = "running";
  RunRecord older = script_->catalog.runs.front();
  older.id = "run-0";
  script_->catalog.runs.push_back(older);
  open();
  auto const state = [this](std::size_t run) { return window_->bench().views.catalog()->runs[run].state; };
  EXPECT_EQ(state(0), "running") << "somebody holds the right to write";
  EXPECT_EQ(state(1), "interrupted") << "only one can run at a time";
  EXPECT_TRUE(window_->bench().views.following());
  writer.value().reset();
  window_->bench().views.reload_stored();
  ASSERT_TRUE(settle());
  EXPECT_EQ(state(0), "interrupted");
  EXPECT_FALSE(window_->bench().views.following());
  window_->show_page(PageId::kResults);
  EXPECT_TRUE(find<QComboBox>("results.run")->itemText(1).endsWith("interrupted"));
}

TEST_F(Pages, CompareDrawsTheChosenPiecesAndTheRoofline) {
  open();
  auto* table = find<TableView>("compare.table");
  table->select_row(1);
  auto* bars = find<PlotCanvas>("compare.times.canvas");
  EXPECT_EQ(bars->spec().x.categories, QStringList("attention/softmax"));
  EXPECT_EQ(bars->spec().series.size(), 3u);
  EXPECT_FALSE(is_empty(find<PlotCanvas>("compare.roofline.canvas")->spec()));
  find<QLineEdit>("compare.filter")->setText("norm");
  EXPECT_EQ(table->model()->rowCount(), 1);
}

TEST_F(Pages, CompareOpensOnTheRecommendedDeviceAndComparesTheBackends) {
  for (session::CompareRow& row : script_->tables.front().rows) {
    row.cells[0] = unmeasured_cell("cpu:0");  // not measured there
    if (!row.recommended_device.empty()) row.recommended_device = "opencl:0";
  }
  open();
  auto* devices = find<QComboBox>("compare.device");
  EXPECT_EQ(devices->currentText(), "opencl:0");
  EXPECT_FALSE(is_empty(find<PlotCanvas>("compare.times.canvas")->spec()));
  EXPECT_EQ(find<PlotCanvas>("compare.backends.canvas")->spec().x.categories, QStringList("opencl:0 (recommended)"));
  EXPECT_EQ(find<QTabWidget>("compare.tabs")->currentIndex(), 0) << "one device is no comparison";

  emit window_->bench().job.table_changed(std::make_shared<const session::CompareTable>(canned_table()));
  EXPECT_EQ(devices->currentText(), "cpu:0") << "nobody chose another";
  EXPECT_TRUE(find<PlotCanvas>("compare.backends.canvas")->isVisible()) << "now there is something to compare";
  find<TableView>("compare.table")->select_row(1);
  EXPECT_EQ(find<PlotCanvas>("compare.backends.canvas")->spec().x.categories, QStringList({"cpu:0 (recommended)", "opencl:0"}));
}

TEST_F(Pages, CompareSaysWhenWhatIsStoredIsOfAnotherEnvironment) {
  for (session::CompareRow& row : script_->tables.front().rows) {
    for (session::CompareCell& cell : row.cells) cell = unmeasured_cell(cell.device_id);
  }
  script_->trials = 306;
  open();
  auto const said = [this] {
    QStringList texts;
    for (const QLabel* label : window_->page(PageId::kCompare)->findChildren<QLabel*>()) {
      if (label->isVisible()) texts << label->text();
    }
    return texts.join('\n');
  };
  EXPECT_TRUE(said().contains("306 trials stored, none valid here (other environment or version)")) << said().toStdString();
  script_->tables.clear();
  window_->bench().views.reload_stored();
  ASSERT_TRUE(settle());
  EXPECT_TRUE(said().contains("306 trials stored, none valid here")) << said().toStdString();
}

TEST_F(Pages, CompareShowsGainsWholeInASmallWindow) {
  script_->tables.front().rows.resize(7);
  for (session::CompareRow& row : script_->tables.front().rows) row.cells.resize(1);
  open();
  auto* table = find<TableView>("compare.table");
  auto const* model = window_->findChild<CompareModel*>();
  ASSERT_NE(model, nullptr);
  for (int const width : {1000, 1280}) {
    window_->resize(width, 640);
    QApplication::processEvents();
    ASSERT_EQ(window_->width(), width);
    int const gain = model->column_of(0, CompareModel::kGain);
    QFont strong = table->font();
    strong.setWeight(QFont::DemiBold);
    for (int const column : {gain, static_cast<int>(CompareModel::kToBeWon)}) {
      int const text = QFontMetrics(strong).horizontalAdvance(table->model()->index(1, column).data().toString());
      EXPECT_GE(table->columnWidth(column), text + 14) << width << " px, column " << column;
      EXPECT_LE(table->columnViewportPosition(column) + table->columnWidth(column), table->viewport()->width())
          << width << " px, column " << column;
    }
  }
}

TEST_F(Pages, NeverShowsHalfAnInterval) {
  QFontMetrics const metrics(QApplication::font());
  QString const figure = QString::fromUtf8("7.52 ms [7.41, 7.54]");
  EXPECT_EQ(fitting_text(figure, metrics, metrics.horizontalAdvance(figure)), figure);
  EXPECT_EQ(fitting_text(figure, metrics, metrics.horizontalAdvance(figure) - 1), QString::fromUtf8("7.52 ms …"));
  EXPECT_TRUE(fitting_text("attention/output/MatMul", metrics, 60).endsWith(QString::fromUtf8("…")));
}

TEST_F(Pages, AColumnThatTheUserDraggedKeepsItsWidth) {
  open();
  auto* table = find<TableView>("compare.table");
  table->setColumnWidth(0, 260);
  window_->resize(1000, 640);
  QApplication::processEvents();
  EXPECT_EQ(table->columnWidth(0), 260);
}

TEST_F(Pages, NoFilterIsCutInTheSmallestWindow) {
  open();
  window_->resize(window_->minimumSize());
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_->size(), window_->minimumSize()) << "no page needs more than the window allows";
  int seen = 0;
  for (const QComboBox* box : window_->page(PageId::kResults)->findChildren<QComboBox*>()) {
    int const text = box->fontMetrics().horizontalAdvance(box->itemText(0));
    EXPECT_GE(box->width(), text + 24) << box->objectName().toStdString();
    ++seen;
  }
  EXPECT_EQ(seen, 9);
}

TEST_F(Pages, ResultsOpenTheDetailsOfATrialOnceItIsChosen) {
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

TEST_F(Pages, ResultsAreFilteredByModelAndMode) {
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

TEST_F(Pages, FastestFirstSaysWhenItMixesWhatCannotBeRanked) {
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

TEST_F(Pages, CompareKeepsTheSelectionWhenAJobReordersThePieces) {
  open();
  auto* table = find<TableView>("compare.table");
  table->select_row(2);
  QString const name = table->model()->index(2, 0).data().toString();
  session::CompareTable changed = canned_table();
  std::rotate(changed.rows.begin(), changed.rows.begin() + 2, changed.rows.end());
  emit window_->bench().job.table_changed(std::make_shared<const session::CompareTable>(changed));
  ASSERT_EQ(table->selected_rows().size(), 1u);
  EXPECT_EQ(table->model()->index(table->selected_rows().front(), 0).data().toString(), name);
}

TEST_F(Pages, ResultsShowATrialWithItsSamplesAndSource) {
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

TEST_F(Pages, ResultsSayWhenNoTrialMatches) {
  open();
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  auto* outcome = find<QComboBox>("results.outcome");
  outcome->setCurrentIndex(outcome->findData("crashed"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<TableView>("results.table")->model()->rowCount(), 0);
  EXPECT_TRUE(find<TableView>("results.table")->isVisible()) << "the filters' result, not the page of an empty database";
}

TEST_F(Pages, AGroupOfTheGraphLeadsToItsRowOnCompare) {
  open();
  window_->show_page(PageId::kModels);
  ASSERT_TRUE(settle());
  auto* canvas = find<GraphCanvas>("models.graph");
  ASSERT_NE(canvas->graph(), nullptr);
  canvas->select(4);
  EXPECT_TRUE(find<QPlainTextEdit>("models.detail")->toPlainText().contains("Not fused"));
  click(find<QPushButton>("models.compare"));
  EXPECT_EQ(window_->current_page(), PageId::kCompare);
  auto* table = find<TableView>("compare.table");
  ASSERT_EQ(table->selected_rows().size(), 1u);
  EXPECT_EQ(table->selected_rows().front(), canvas->graph()->view.nodes[4].group);
}

TEST_F(Pages, AModelThatCannotBeReadSaysWhy) {
  open();
  window_->show_page(PageId::kModels, "missing.onnx");
  ASSERT_TRUE(settle());
  auto const labels = window_->page(PageId::kModels)->findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(),
                          [](const QLabel* label) { return label->isVisible() && label->text().contains("no built-in model"); }));
}

TEST_F(Pages, DevicesShowFactsAndCeilingsOfTheChosenOne) {
  open();
  window_->show_page(PageId::kDevices, "cpu:0");
  ASSERT_TRUE(settle());
  EXPECT_GT(find<TableView>("devices.facts")->model()->rowCount(), 8);
  EXPECT_EQ(find<TableView>("devices.ceilings")->model()->rowCount(), 13);
  EXPECT_EQ(find<PlotCanvas>("devices.plot.canvas")->spec().series.size(), 2u) << "one line per mix of streams";
}

TEST_F(Pages, EveryPageIsReachedByKeyboard) {
  open();
  window_->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
  const Qt::Key keys[] = {Qt::Key_1, Qt::Key_2, Qt::Key_3, Qt::Key_4, Qt::Key_5};
  for (std::size_t i = 0; i < std::size(keys); ++i) {
    QTest::keyClick(window_.get(), keys[i], Qt::ControlModifier);
    EXPECT_EQ(window_->current_page(), kAllPages[i]);
  }
}

TEST_F(Pages, LayoutAndPageAreRemembered) {
  open();
  window_->show_page(PageId::kResults);
  find<TableView>("results.table")->setColumnWidth(0, 333);
  window_->close();
  EXPECT_EQ(settings_.page(), "results");
  window_ = std::make_unique<MainWindow>(fake_factory(script_), settings_, MainWindow::Options());
  window_->show_page(PageId::kResults);
  EXPECT_EQ(find<TableView>("results.table")->columnWidth(0), 333);
}

TEST_F(Pages, TheSessionIsOpenedAfterTheFirstPaint) {
  std::atomic<int> opened{0};
  auto const factory = [&opened]() -> Result<std::unique_ptr<session::Session>> {
    ++opened;
    return Error{ErrorCode::kIo, "not now"};
  };
  window_ = std::make_unique<MainWindow>(factory, settings_, MainWindow::Options());
  window_->show_page(PageId::kCompare);
  QTest::qWait(50);
  EXPECT_EQ(opened, 0) << "nothing may delay the first picture";
  window_->show();
  EXPECT_TRUE(QTest::qWaitFor([&opened] { return opened == 1; }, 20000));
}

}  // namespace
}  // namespace fuselab::gui::test
