// SPDX-License-Identifier: Apache-2.0
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QThread>
#include <QTimer>
#include <QToolButton>
#include <iterator>

#include "app/engine/job/wait_note.h"
#include "app/gui/look/elided_label.h"
#include "app/gui/look/figures.h"
#include "app/gui/pages/tuning/piece_queue_model.h"
#include "app/gui/parts/tuning_form.h"
#include "app/gui/plots/plot_canvas.h"
#include "app/gui/shell/screenshot.h"
#include "app/gui/tables/table_view.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

using TuningPage = WindowTest;

TEST_F(TuningPage, AJobThatDoesNotStartSaysSoOnItsCardAndKeepsWhatWasAskedFor) {
  script_->start_error = "there is no device or backend 'foo:3'; usable devices: cpu:0, null:0";
  MainWindow::Options options;
  options.run = true;
  options.default_spec.subjects = {"w5"};
  options.default_spec.devices.only = {"foo:3", "cpu"};
  open(options);
  window_->show_page(PageId::kTuning);  // made only now
  ASSERT_TRUE(settle());
  EXPECT_EQ(find<QLabel>("tuning.state")->text(), "Failed");
  EXPECT_EQ(find<QLabel>("tuning.activity")->text().toStdString(), script_->start_error);
  auto* devices = find<QListWidget>("tuning.devices");
  QStringList ticked;
  for (int row = 0; row < devices->count(); ++row) {
    if (devices->item(row)->checkState() == Qt::Checked) ticked << devices->item(row)->text();
  }
  ASSERT_EQ(ticked.size(), 2);
  EXPECT_TRUE(ticked[0].startsWith("cpu:0"));
  EXPECT_EQ(ticked[1], QString::fromUtf8("foo:3 – there is no such device here"));
  click(find<QPushButton>("tuning.start"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->last_spec.devices.only, (std::vector<std::string>{"cpu:0", "foo:3"})) << "not dropped silently";
  EXPECT_EQ(devices->item(1)->checkState(), Qt::Checked) << "what is ticked is seen without scrolling";
  devices->item(1)->setCheckState(Qt::Unchecked);
  script_->start_error.clear();
  click(find<QPushButton>("tuning.start"));
  ASSERT_TRUE(settle());
  EXPECT_TRUE(window_->bench().job.active());
  EXPECT_TRUE(window_->bench().control.failure().isEmpty());
  EXPECT_NE(find<QLabel>("tuning.state")->text(), "Failed");
}

TEST_F(TuningPage, WhatIsTimedIsChosenAndIsWhatTheCommandLineSaidFirst) {
  MainWindow::Options options;
  options.default_spec.protocol.mode = CacheMode::kCold;
  open(options);
  window_->show_page(PageId::kTuning);
  ASSERT_TRUE(settle());
  auto* mode = find<QComboBox>("tuning.mode");
  EXPECT_EQ(mode->currentText(), "cold");
  ASSERT_EQ(mode->count(), static_cast<int>(std::size(kCacheModes)));
  mode->setCurrentIndex(mode->findText("first-launch"));
  click(find<QPushButton>("tuning.start"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->last_spec.protocol.mode, CacheMode::kFirstLaunch);
}

TEST_F(TuningPage, RunRunsTheFormAndColdFiguresOnlyWhereTheyAreTicked) {
  MainWindow::Options options;
  options.default_spec.subjects = {"small_cnn.onnx"};
  open(options);
  window_->show_page(PageId::kTuning);
  ASSERT_TRUE(settle());
  QAction* run = window_->bench().control.run_action();
  EXPECT_EQ(run->text(), "Run");
  find<QLineEdit>("tuning.subjects")->setText("w3");
  find<QSpinBox>("tuning.seconds")->setValue(30);
  run->trigger();
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->last_spec.subjects, std::vector<std::string>{"w3"}) << "the form, not the command line";
  EXPECT_EQ(script_->last_spec.budget_seconds, 30);
  EXPECT_FALSE(script_->last_spec.cold);
  script_->job->end(engine::JobState::kFinished);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 10'000));
  find<QCheckBox>("tuning.cold")->setChecked(true);
  click(find<QPushButton>("tuning.start"));
  ASSERT_TRUE(settle());
  EXPECT_TRUE(script_->last_spec.cold);
}

TEST_F(TuningPage, TheMainJobIsNamedAndAskedFor) {
  open();
  QAction* measure = window_->bench().control.measure_action();
  EXPECT_EQ(measure->text(), "Measure built-in models…");
  measure->trigger();
  auto* ask = find<QMessageBox>("run.ask");
  EXPECT_TRUE(ask->informativeText().contains("a budget of 10 min")) << ask->informativeText().toStdString();
  ASSERT_TRUE(settle());
  EXPECT_TRUE(ask->informativeText().contains(" pieces on ")) << ask->informativeText().toStdString();
  EXPECT_TRUE(ask->informativeText().contains(": about ")) << ask->informativeText().toStdString();
  EXPECT_EQ(script_->starts, 0);
  click(find<QPushButton>("run.start"));
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->starts, 1);
  EXPECT_TRUE(script_->last_spec.subjects.empty());
}

TEST_F(TuningPage, AWaitIsSaidNoLongerThanItLasts) {
  open();
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  auto* said = find<QLabel>("status.note");
  const engine::LogLine wait = engine::wait_note("cpu:0 is in use by fuselab (pid 4711)");
  const auto waits = [&] {
    script_->job->push(wait);
    return QTest::qWaitFor([said] { return said->isVisible(); }, 60'000);
  };
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.activity = "w3-residual-rmsnorm on cpu:0";
  script_->job->push(progress);
  ASSERT_TRUE(waits());
  EXPECT_TRUE(said->text().contains("pid 4711"));
  script_->job->push(progress);
  QTest::qWait(400);
  EXPECT_TRUE(said->isVisible()) << "nothing went on";
  progress.detail = "12 of 64 configurations";
  script_->job->push(progress);
  EXPECT_TRUE(QTest::qWaitFor([said] { return !said->isVisible(); }, 60'000)) << "the job goes on";
  ASSERT_TRUE(waits());
  engine::TrialFinished trial;
  trial.row = canned_row(0);
  script_->job->push(trial);
  EXPECT_TRUE(QTest::qWaitFor([said] { return !said->isVisible(); }, 60'000)) << "a trial ended";
  ASSERT_TRUE(waits());
  window_->bench().job.cancel();
  ASSERT_TRUE(settle());
  EXPECT_FALSE(said->isVisible()) << "nothing waits any more";
}

TEST_F(TuningPage, SaysOneNumberOfTrialsEverywhere) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.trials = 4;
  engine::TrialFinished trial;
  for (int index = 0; index < 4; ++index) script_->job->push((trial.row = canned_row(1), trial));
  script_->job->push(progress);
  const auto* card = find<QLabel>("tuning.counts");
  const auto* bar = find<QLabel>("status.counts");
  const auto* tabs = find<QTabWidget>("tuning.tabs");
  const auto all_say = [&](int trials) {
    const QString said = QStringLiteral("%1 trials").arg(trials);
    return card->text().startsWith(said) && bar->text().startsWith(said) &&
           tabs->tabText(1) == QStringLiteral("Trials (%1)").arg(trials);
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return all_say(4); }, 60'000));
  // The rest of a block that was asked to pause ends without another word of the engine.
  script_->job->at_the_gate = false;
  window_->bench().job.pause();
  for (int index = 0; index < 4; ++index) script_->job->push(trial);
  EXPECT_TRUE(QTest::qWaitFor([&] { return all_say(8); }, 60'000)) << card->text().toStdString();
  script_->job->at_the_gate = true;
  ASSERT_TRUE(QTest::qWaitFor([&] { return window_->bench().job.stands_still(); }, 60'000));
  EXPECT_TRUE(all_say(8));
  const auto* const plot = find<PlotCanvas>("tuning.plot.canvas");
  EXPECT_TRUE(QTest::qWaitFor([&] { return plot->spec().title.endsWith(": 8 of 8 trials"); }, 60'000)) << "some frames later";
}

TEST_F(TuningPage, TheQueueCutsNoNameBesideEmptyRoom) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  engine::CompareTable done = canned_table();
  done.model = "w3-residual-rmsnorm";
  done.rows.resize(2);
  for (engine::CompareRow& row : done.rows) row.cells.resize(1);
  engine::CompareTable waiting = done;
  for (engine::CompareRow& row : waiting.rows) {
    const std::string device = row.cells.front().device_id;
    row.cells.front() = engine::CompareCell();
    row.cells.front().device_id = device;
    row.to_be_won_ns = 0;
  }
  const auto* queue = find<TableView>("tuning.queue");
  QFont strong = queue->font();
  strong.setWeight(QFont::DemiBold);
  const QFontMetrics metrics(strong);
  for (const bool measured : {false, true}) {
    script_->job->push(engine::TableChanged{measured ? done : waiting});
    const int fused = PieceQueueModel::kFused;
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return queue->model()->rowCount() == 2 && (queue->model()->index(0, fused).data() != kPendingText) == measured; },
        60'000));
    for (const QSize size : {QSize(1280, 800), QSize(1920, 1080)}) {
      window_->resize(size);
      QApplication::processEvents();
      int used = 0;
      for (int column = 0; column < queue->model()->columnCount(); ++column) {
        used += queue->columnWidth(column);
        for (int row = 0; row < 2; ++row) {
          const QString text = queue->model()->index(row, column).data().toString();
          const bool brief = size.width() < 1900 && column == fused;
          EXPECT_TRUE(brief || metrics.horizontalAdvance(text) <= queue->columnWidth(column) - 14)
              << size.width() << " px: " << text.toStdString();
        }
      }
      if (size.width() > 1900 || !measured) {
        EXPECT_LE(used, queue->viewport()->width()) << size.width();
      }
      EXPECT_LE(queue->columnWidth(PieceQueueModel::kToBeWon), 110) << "what is left is not the last column's";
    }
  }
}

TEST_F(TuningPage, APictureIsTakenOnceItsLastTextIsLaidOut) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.phase = "tuning";
  progress.seconds_left = 154;
  progress.trials = 120;
  progress.reused = 18;
  progress.failed = 13;
  // As late as it can come: when it has been shown, the picture is due.
  QTimer::singleShot(150, window_.get(), [this, progress] {
    emit window_->bench().job.progressed(progress);
    QThread::msleep(400);
  });
  ASSERT_TRUE(take_screenshot(*window_, folder_.filePath("t.png"), 30).ok());
  const auto* card = find<QFrame>("tuning.card");
  int seen = 0;
  for (const QLabel* label : card->findChildren<QLabel*>()) {
    if (dynamic_cast<const ElidedLabel*>(label) != nullptr) continue;
    EXPECT_GE(label->width(), label->sizeHint().width()) << label->text().toStdString();
    ++seen;
  }
  EXPECT_EQ(seen, 3);
  EXPECT_GE(find<QLabel>("status.counts")->width(), find<QLabel>("status.counts")->sizeHint().width());
}

TEST_F(TuningPage, NoLabelOfTheFormIsCut) {
  open();
  window_->show_page(PageId::kTuning);
  ASSERT_TRUE(settle());
  const auto* form = window_->findChild<TuningForm*>();
  ASSERT_NE(form, nullptr);
  find<QToolButton>("tuning.more")->setChecked(true);
  QApplication::processEvents();
  int seen = 0;
  for (QLabel* label : form->findChildren<QLabel*>()) {
    if (label->buddy() == nullptr) continue;
    const QImage as_it_is = label->grab().toImage();
    label->resize(label->width() + 60, label->height());
    const QImage with_room = label->grab().toImage();
    QImage wider(with_room.size(), with_room.format());
    wider.fill(with_room.pixelColor(with_room.width() - 1, 0));
    QPainter(&wider).drawImage(0, 0, as_it_is);
    EXPECT_EQ(wider, with_room) << label->text().toStdString();
    ++seen;
  }
  EXPECT_EQ(seen, 16);
}

}  // namespace
}  // namespace fuselab::gui::test
