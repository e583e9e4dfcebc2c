// SPDX-License-Identifier: Apache-2.0
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>

#include "app/gui/models/compare_model.h"
#include "app/gui/pages/devices/device_model.h"
#include "app/gui/pages/page_spec.h"
#include "app/gui/pages/results/result_model.h"
#include "app/gui/parts/subject_list.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/tables/table_view.h"
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
  ASSERT_TRUE(QTest::qWaitFor([queue] { return queue->model()->rowCount() == 60; }, 60'000));
  EXPECT_EQ(find<QProgressBar>("tuning.progress")->value(), 420);
  EXPECT_TRUE(find<QLabel>("tuning.left")->text().contains("2 min 34 s"));
  const auto* const plot = find<PlotCanvas>("tuning.plot.canvas");
  EXPECT_TRUE(QTest::qWaitFor([&] { return plot->spec().series.size() > 1 && !plot->spec().series[1].points.empty(); }, 60'000));

  click(find<QPushButton>("tuning.cancel"));
  EXPECT_EQ(script_->job->cancels, 1) << "the job hears of it before the click returns";
  EXPECT_FALSE(window_->bench().job.active());
  EXPECT_EQ(find<QLabel>("tuning.state")->text(), "Cancelled");
  EXPECT_TRUE(find<QPushButton>("tuning.start")->isEnabled());
}

TEST_F(Pages, AJobCancelledInItsLastPieceIsShownAsCancelled) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  engine::JobProgress last;
  last.state = engine::JobState::kFinished;  // its last step had been reported before the job knew
  last.done = 1;
  script_->job->push(last);
  click(find<QPushButton>("tuning.cancel"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QLabel>("tuning.state")->text(), "Cancelled");
  EXPECT_EQ(find<QLabel>("status.state")->text(), "Cancelled");
}

TEST_F(Pages, WhatAJobSaysIsSeenOnTuningAndInTheStatusBar) {
  open();
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  auto* said = find<QLabel>("status.note");
  EXPECT_FALSE(said->isVisible());
  const QString none = "All pieces are tuned for this budget already; a larger Budget searches on, “Measure again” starts over.";
  script_->job->push(engine::LogLine{engine::LogLine::Level::kWarning, "relu: the compiler was killed"});
  script_->job->push(
      engine::LogLine{engine::LogLine::Level::kInfo,
                      "All pieces are tuned for this budget already; a larger --budget searches on, --remeasure starts over."});
  ASSERT_TRUE(QTest::qWaitFor([said] { return said->isVisible(); }, 60'000));
  EXPECT_EQ(said->text(), none);
  EXPECT_EQ(said->toolTip(), none);
  script_->job->end(engine::JobState::kFinished);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 60'000));
  window_->show_page(PageId::kTuning);  // made only now
  ASSERT_TRUE(settle());
  EXPECT_TRUE(said->isVisible()) << "it stays after the job";
  auto* tabs = find<QTabWidget>("tuning.tabs");
  EXPECT_TRUE(tabs->isVisible());
  EXPECT_EQ(tabs->tabText(2), "Notes (2, 1 warning)");
  const auto* notes = find<TableView>("tuning.notes")->model();
  ASSERT_EQ(notes->rowCount(), 2);
  EXPECT_EQ(notes->index(1, 1).data().toString(), none) << "newest last";
}

TEST_F(Pages, TheTuningFormTakesEachSubjectWhole) {
  MainWindow::Options options;
  const std::string graph = "graph(x: f32[8,64]) { y = Relu(x); return y }";
  options.default_spec.subjects = {graph, "/my models/a b.onnx", "w3"};
  options.default_spec.budget_seconds = 0.5;
  open(options);
  window_->show_page(PageId::kTuning);
  EXPECT_EQ(find<QLineEdit>("tuning.subjects")->text().toStdString(), graph + " \"/my models/a b.onnx\" w3");
  click(find<QPushButton>("tuning.start"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->last_spec.subjects, options.default_spec.subjects);
  EXPECT_EQ(script_->last_spec.budget_seconds, 0.5) << "what the field cannot hold and nobody touched";
}

TEST(SubjectList, IsSplitAsAShellWouldButForGraphs) {
  using List = std::vector<std::string>;
  EXPECT_EQ(split_subjects("  resnet50   w3 "), (List{"resnet50", "w3"}));
  EXPECT_EQ(split_subjects("'my models/a.onnx' \"b c.onnx\" d\\ e.onnx"), (List{"my models/a.onnx", "b c.onnx", "d e.onnx"}));
  EXPECT_EQ(split_subjects("w3 graph (x: f32[8, 64]) { return x } w4"), (List{"w3", "graph (x: f32[8, 64]) { return x }", "w4"}));
  EXPECT_EQ(split_subjects("graphs of.onnx"), (List{"graphs", "of.onnx"}));
  EXPECT_EQ(split_subjects("\"not closed"), (List{"not closed"}));
  EXPECT_TRUE(split_subjects("").empty());
  for (const List& list :
       {List{"a b", "c\"d", "e\\f", "g'h"}, List{"graph(x: f32[8]) { return x }", "", "w4"}, List{"graph(x", "w3"}, List{}})
    EXPECT_EQ(split_subjects(joined_subjects(list)), list) << joined_subjects(list).toStdString();
  EXPECT_EQ(joined_subjects({"resnet50", "model.onnx"}), "resnet50 model.onnx") << "no quotes without need";
}

TEST_F(Pages, PauseBecomesResume) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  auto* pause = find<QPushButton>("tuning.pause");
  click(pause);
  EXPECT_EQ(script_->job->pauses, 1);
  ASSERT_TRUE(QTest::qWaitFor([pause] { return pause->text() == "Resume"; }, 60'000));
  click(pause);
  EXPECT_EQ(script_->job->resumes, 1);
}

TEST_F(Pages, PausedIsSaidOnceNothingIsMeasuredAnyMore) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.phase = "tuning";
  progress.seconds_left = 100;
  script_->job->push(progress);
  auto* state = find<QLabel>("tuning.state");
  auto* left = find<QLabel>("tuning.left");
  ASSERT_TRUE(QTest::qWaitFor([&] { return state->text() == "Running: tuning"; }, 60'000));
  script_->job->at_the_gate = false;
  click(find<QPushButton>("tuning.pause"));
  const QString pausing = QString::fromUtf8("Pausing after this block…");
  ASSERT_TRUE(QTest::qWaitFor([&] { return state->text() == pausing; }, 60'000));
  EXPECT_EQ(find<QLabel>("status.state")->text(), pausing);
  EXPECT_EQ(find<QPushButton>("tuning.pause")->text(), "Resume") << "it may be thought better of";
  const QString asked = left->text();
  EXPECT_TRUE(QTest::qWaitFor([&] { return left->text() != asked; }, 60'000)) << "the block goes on";

  script_->job->at_the_gate = true;
  ASSERT_TRUE(QTest::qWaitFor([&] { return state->text() == "Paused: tuning"; }, 60'000));
  const QString stood = left->text();
  EXPECT_NE(stood, "1 min 40 s left");
  QTest::qWait(2500);
  EXPECT_EQ(left->text(), stood) << "no time passes for a job that stands still";
  click(find<QPushButton>("tuning.pause"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return state->text() == "Running: tuning"; }, 60'000));
  const double before = stood.section(' ', 2, 2).toDouble();  // "1 min 38 s left"
  const double after = left->text().section(' ', 2, 2).toDouble();
  EXPECT_GE(after, before - 1) << "it goes on from there: " << left->text().toStdString();
}

TEST_F(Pages, AFailedJobSaysWhy) {
  open();
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  script_->job->result = Error{ErrorCode::kIo, "the disk is full"};
  script_->job->end(engine::JobState::kFailed);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 60'000));
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

TEST_F(Pages, RunStartsTheJobOnceTheEngineIsOpen) {
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
  EXPECT_EQ(script_->starts, 0) << "a long job is asked for";
  click(find<QPushButton>("run.start"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->starts, 1);
}

TEST_F(Pages, FollowsADatabaseThatAnotherProcessWrites) {
  script_->catalog.runs.front().state = "running";
  open();
  EXPECT_TRUE(window_->bench().views.following());
  engine::CompareTable more = canned_table();
  more.model = "resnet50";
  script_->tables.push_back(more);
  script_->trials += 100;
  auto* models = find<QComboBox>("compare.model");
  EXPECT_TRUE(QTest::qWaitFor([models] { return models->count() == 2; }, 60'000));
}

TEST_F(Pages, ARunWhoseProcessIsGoneIsInterrupted) {
  script_->config.database = folder_.filePath("runs.db").toStdString();
  script_->config.key_directory = folder_.filePath("keys").toStdString();
  const auto trust = std::make_shared<db::Trust>(script_->config.key_directory);
  auto writer = db::Database::open(script_->config.database, db::Access::kWrite, trust);
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  script_->catalog.runs.front().state = "running";
  RunRecord older = script_->catalog.runs.front();
  older.id = "run-0";
  script_->catalog.runs.push_back(older);
  open();
  const auto state = [this](std::size_t run) { return window_->bench().views.catalog()->runs[run].state; };
  EXPECT_EQ(state(0), "running") << "somebody holds the right to write";
  EXPECT_EQ(state(1), "interrupted") << "only one can run at a time";
  EXPECT_TRUE(window_->bench().views.following());
  writer.value().reset();
  window_->bench().views.reload_stored();
  ASSERT_TRUE(settle());
  EXPECT_EQ(state(0), "interrupted");
  EXPECT_FALSE(window_->bench().views.following());
}

TEST_F(Pages, AColumnThatTheUserDraggedKeepsItsWidth) {
  open();
  auto* table = find<TableView>("compare.table");
  table->setColumnWidth(0, 260);
  window_->resize(1000, 640);
  QApplication::processEvents();
  EXPECT_EQ(table->columnWidth(0), 260);
}

TEST_F(Pages, TheWindowOpensWithRoomForItsFrame) {
  open();
  const int frame = window_->style()->pixelMetric(QStyle::PM_TitleBarHeight);
  EXPECT_GT(frame, 0);
  EXPECT_LE(window_->height() + frame, window_->screen()->availableSize().height());
}

TEST_F(Pages, NoSentenceUnderATitleIsSqueezedInTheSmallestWindow) {
  open();
  window_->resize(MainWindow::kSmallest);
  for (PageId id : kAllPages) {
    window_->show_page(id);
    ASSERT_TRUE(settle());
    const auto* sentence = find<QLabel>((name_of(id) + ".subtitle").toUtf8().constData());
    EXPECT_FALSE(sentence->text().isEmpty());
    EXPECT_LE(sentence->height(), 2 * sentence->fontMetrics().lineSpacing() + 4) << name_of(id).toStdString();
    EXPECT_GE(sentence->height(), sentence->heightForWidth(sentence->width())) << name_of(id).toStdString();
  }
}

TEST_F(Pages, NoFilterIsCutInTheSmallestWindow) {
  open();
  window_->resize(window_->minimumSize());
  window_->show_page(PageId::kResults);
  ASSERT_TRUE(settle());
  EXPECT_EQ(window_->size(), window_->minimumSize()) << "no page needs more than the window allows";
  int seen = 0;
  for (const QComboBox* box : window_->page(PageId::kResults)->findChildren<QComboBox*>()) {
    const int text = box->fontMetrics().horizontalAdvance(box->itemText(0));
    EXPECT_GE(box->width(), text + 24) << box->objectName().toStdString();
    ++seen;
  }
  EXPECT_EQ(seen, 9);
}

TEST_F(Pages, DevicesCountNoScriptedBackendAndSayWhyOnesCannotBeUsed) {
  script_->config.read_only = true;
  open();
  window_->resize(1280, 800);
  window_->show_page(PageId::kDevices, "cpu:0");
  ASSERT_TRUE(settle());
  const auto is_usable = [](const BackendReport& report) { return report.availability.usable && report.id != "null"; };
  const auto usable = std::count_if(script_->backends.begin(), script_->backends.end(), is_usable);
  const QString subtitle = find<QLabel>("devices.subtitle")->text();
  EXPECT_TRUE(subtitle.startsWith(QStringLiteral("%1 of %2 ").arg(usable).arg(script_->backends.size() - 1)))
      << subtitle.toStdString();
  auto* table = find<TableView>("devices.table");
  const int note = DeviceModel::kNote;
  EXPECT_LE(table->columnViewportPosition(note) + table->columnWidth(note), table->viewport()->width()) << "no scrolling for it";
  find<QTabWidget>("devices.tabs")->setCurrentIndex(3);
  ASSERT_TRUE(settle());
  EXPECT_FALSE(find<QPushButton>("devices.stacks.install")->isEnabled()) << "it only looks";
}

TEST_F(Pages, DevicesShowFactsAndCeilingsOfTheChosenOne) {
  open();
  window_->show_page(PageId::kDevices, "cpu:0");
  ASSERT_TRUE(settle());
  EXPECT_GT(find<TableView>("devices.facts")->model()->rowCount(), 8);
  EXPECT_EQ(find<TableView>("devices.ceilings")->model()->rowCount(), 13);
  EXPECT_EQ(find<PlotCanvas>("devices.plot.canvas")->spec().series.size(), 2u) << "one line per mix of streams";
}

TEST_F(Pages, DevicesCompileAModelForATargetWithoutADevice) {
  script_->config.worker_program = FUSELAB_WORKER;
  open();
  window_->show_page(PageId::kDevices, "cpu:0");
  ASSERT_TRUE(settle());
  find<QTabWidget>("devices.tabs")->setCurrentIndex(2);
  auto* targets = find<QComboBox>("devices.targets.target");
  EXPECT_GE(targets->findText("x86-64"), 0);
  EXPECT_LT(targets->findText("sm_90"), 0) << "that is another backend's";
  targets->setCurrentText("x86-64");
  find<QComboBox>("devices.targets.subject")
      ->setCurrentText("graph(x: f32[8,16]) { y = Relu(x); z = Softmax(y, axis=1); return z }");
  click(find<QPushButton>("devices.targets.compile"));
  ASSERT_TRUE(settle());
  const auto* pieces = find<TableView>("devices.targets.table")->model();
  ASSERT_GE(pieces->rowCount(), 1) << find<QLabel>("devices.targets.line")->text().toStdString();
  EXPECT_EQ(pieces->index(0, 2).data().toString(), "compiled");
  EXPECT_TRUE(find<QLabel>("devices.targets.line")->text().contains("compiled, 0 matched"));
}

TEST_F(Pages, DevicesOfferNoTargetOfABackendThatCompilesNothingWithoutADevice) {
  open();
  window_->show_page(PageId::kDevices, "null:0");
  ASSERT_TRUE(settle());
  find<QTabWidget>("devices.tabs")->setCurrentIndex(2);
  EXPECT_EQ(find<QComboBox>("devices.targets.target")->count(), 0);
  EXPECT_FALSE(find<QPushButton>("devices.targets.compile")->isEnabled());
}

TEST_F(Pages, EveryPageIsReachedByKeyboard) {
  open();
  window_->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
  for (const PageSpec& spec : page_specs()) {
    QTest::keySequence(window_.get(), QKeySequence(QLatin1String(spec.shortcut)));
    EXPECT_EQ(window_->current_page(), spec.id) << spec.shortcut;
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
  const auto factory = [&opened]() -> Result<std::unique_ptr<engine::Engine>> {
    ++opened;
    return Error{ErrorCode::kIo, "not now"};
  };
  window_ = std::make_unique<MainWindow>(factory, settings_, MainWindow::Options());
  window_->show_page(PageId::kCompare);
  QTest::qWait(50);
  EXPECT_EQ(opened, 0) << "nothing may delay the first picture";
  window_->show();
  EXPECT_TRUE(QTest::qWaitFor([&opened] { return opened == 1; }, 60'000));
}

}  // namespace
}  // namespace fuselab::gui::test
