// SPDX-License-Identifier: Apache-2.0
// Run runs what the shown page shows, and closing asks while a job runs.
#include <QCloseEvent>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QTabWidget>

#include "app/gui/link/current_model.h"
#include "app/gui/look/figures.h"
#include "app/gui/pages/page_spec.h"
#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

class OneRun : public WindowTest {
 protected:
  QAction* run() { return window_->bench().control.run_action(); }
  void press(Qt::Key key) {
    window_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), key);
  }
};

TEST_F(OneRun, HasOneWordAndIsThePagesOwnButton) {
  open();
  const std::pair<PageId, const char*> buttons[] = {{PageId::kTuning, "tuning.start"},
                                                    {PageId::kModels, "models.run.start"},
                                                    {PageId::kProfile, "profile.start"},
                                                    {PageId::kExport, "export.write"},
                                                    {PageId::kGate, "gate.check"}};
  for (const auto& [id, name] : buttons) {
    window_->show_page(id);
    ASSERT_TRUE(settle());
    auto* button = find<QPushButton>(name);
    EXPECT_EQ(window_->page(id)->run_button(), button) << name;
    EXPECT_EQ(run()->text(), "Run") << name;
    for (const bool enabled : {true, false, true}) {
      button->setEnabled(enabled);
      EXPECT_EQ(run()->isEnabled(), enabled) << name;
      EXPECT_EQ(run()->toolTip(), button->toolTip() + " (F5)") << name;
    }
  }
}

TEST_F(OneRun, IsDisabledOnAPageThatRunsNothingAndSaysWhy) {
  open();
  int seen = 0;
  for (const PageSpec& spec : page_specs()) {
    window_->show_page(spec.id);
    ASSERT_TRUE(settle());
    if (window_->page(spec.id)->run_button() != nullptr) continue;
    EXPECT_FALSE(run()->isEnabled()) << spec.name;
    EXPECT_TRUE(run()->toolTip().startsWith(title_of(spec.id) + " runs nothing.")) << run()->toolTip().toStdString();
    press(Qt::Key_F5);
    ++seen;
  }
  EXPECT_EQ(seen, 7) << "Decide, Devices, Compare, Results, Runs, Diff, History";
  EXPECT_EQ(script_->starts, 0);
  EXPECT_EQ(window_->findChild<QMessageBox*>("run.ask"), nullptr);
}

TEST_F(OneRun, F5OnTuningRunsTheFormAndItsModelBecomesTheWindows) {
  open();
  window_->bench().model.choose({"resnet50", {}});
  window_->show_page(PageId::kTuning);
  ASSERT_TRUE(settle());
  find<QLineEdit>("tuning.subjects")->setText("small_cnn w3");
  press(Qt::Key_F5);
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->last_spec.subjects, (std::vector<std::string>{"small_cnn", "w3"}));
  EXPECT_EQ(window_->bench().model.choice().subject, "small_cnn");
  EXPECT_FALSE(run()->isEnabled());
  EXPECT_TRUE(run()->toolTip().contains("A job is running")) << run()->toolTip().toStdString();
}

TEST_F(OneRun, AfterACancelledJobCompareOpensOnWhatWasTuned) {
  script_->tables.push_back(canned_table());
  script_->tables.back().model = "small_cnn";
  const QString first = text_of(script_->tables.front().model);
  open();
  window_->bench().model.choose({first, {}});
  window_->show_page(PageId::kTuning);
  find<QLineEdit>("tuning.subjects")->setText("small_cnn");
  press(Qt::Key_F5);
  ASSERT_TRUE(settle());
  script_->job->push(engine::TableChanged{script_->tables.back()});
  press(Qt::Key_F7);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 60'000));
  window_->show_page(PageId::kCompare);
  ASSERT_TRUE(settle());
  EXPECT_TRUE(find<QComboBox>("compare.model")->currentText().startsWith("small_cnn"))
      << find<QComboBox>("compare.model")->currentText().toStdString();
}

TEST_F(OneRun, F5OnModelsOpensTheTabThatItRuns) {
  open();
  window_->show_page(PageId::kModels, "resnet50");
  ASSERT_TRUE(settle());
  auto* tabs = find<QTabWidget>("models.tabs");
  tabs->setCurrentIndex(0);
  ASSERT_TRUE(find<QPushButton>("models.run.start")->isEnabled());
  press(Qt::Key_F5);
  EXPECT_EQ(tabs->tabText(tabs->currentIndex()), "Run");
  EXPECT_FALSE(run()->isEnabled()) << "it runs now";
  ASSERT_TRUE(settle());
  EXPECT_EQ(script_->starts, 0) << "no job";
}

TEST_F(OneRun, ItsBarNeverFalls) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(settle());
  const auto* bar = find<QProgressBar>("tuning.progress");
  const auto* doing = find<QLabel>("tuning.activity");
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  for (const double done : {0.5, 0.3, 0.6}) {
    progress.done = done;
    progress.activity = "at " + std::to_string(done);
    script_->job->push(progress);
    ASSERT_TRUE(QTest::qWaitFor([&] { return doing->text() == text_of(progress.activity); }, 60'000));
    EXPECT_EQ(bar->value(), done == 0.3 ? 500 : static_cast<int>(done * 1000)) << done;
  }
}

class Closing : public OneRun {
 protected:
  void open_with_job() {
    open();
    window_->bench().control.start_default();
    ASSERT_TRUE(settle());
    ASSERT_TRUE(window_->bench().job.active());
    window_->close();
    ASSERT_TRUE(window_->isVisible());
    ask_ = find<QMessageBox>("close.ask");
    ASSERT_TRUE(QTest::qWaitForWindowActive(ask_));
  }
  QMessageBox* ask_ = nullptr;
};

TEST_F(Closing, AsksWhileAJobRunsAndKeepsItRunning) {
  open_with_job();
  EXPECT_TRUE(ask_->informativeText().contains("stays"));
  window_->close();
  EXPECT_EQ(window_->findChildren<QMessageBox*>("close.ask").size(), 1) << "one question";
  click(find<QPushButton>("close.keep"));
  EXPECT_TRUE(window_->isVisible());
  EXPECT_TRUE(window_->bench().job.active());
  EXPECT_EQ(script_->job->cancels, 0);
}

TEST_F(Closing, StopsAndCloses) {
  open_with_job();
  click(find<QPushButton>("close.stop"));
  EXPECT_FALSE(window_->isVisible());
  EXPECT_EQ(script_->job->cancels, 1);
}

TEST_F(Closing, TheJobIsPausedAndCancelledBesideTheQuestion) {
  open_with_job();
  QTest::keyClick(ask_, Qt::Key_F6);
  EXPECT_EQ(script_->job->pauses, 1);
  QTest::keyClick(ask_, Qt::Key_F7);
  EXPECT_EQ(script_->job->cancels, 1);
  EXPECT_TRUE(QTest::qWaitFor([this] { return window_->findChild<QMessageBox*>("close.ask") == nullptr; }, 60'000))
      << "there is nothing to ask any more";
  EXPECT_TRUE(window_->isVisible());
}

TEST_F(Closing, AsksNothingWithoutAJobOrWhereTheProgramIsInterrupted) {
  open();
  window_->close();
  EXPECT_FALSE(window_->isVisible());
  open_with_job();
  window_->stop_and_close();
  EXPECT_FALSE(window_->isVisible());
}

}  // namespace
}  // namespace fuselab::gui::test
