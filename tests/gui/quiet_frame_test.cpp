// SPDX-License-Identifier: Apache-2.0
// What changes several times a second during a job must not have the whole window laid out anew.
#include "app/gui/parts/quiet_frame.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QProgressBar>
#include <QTest>
#include <QVBoxLayout>

#include "tests/gui/support/window_fixture.h"

namespace fuselab::gui::test {
namespace {

class LayoutCounter : public QObject {
 public:
  explicit LayoutCounter(QObject* watched) { watched->installEventFilter(this); }
  int count() const { return count_; }

 protected:
  bool eventFilter(QObject* /*watched*/, QEvent* event) override {
    if (event->type() == QEvent::LayoutRequest) ++count_;
    return false;
  }

 private:
  int count_ = 0;
};

TEST(QuietFrame, GivesItsContentAllItsRoomWhateverThatShows) {
  auto* const content = new QWidget;
  auto* const label = new QLabel(QStringLiteral("1 trial"));
  auto* const inner = new QVBoxLayout(content);
  inner->addWidget(label);
  QuietFrame frame(content);
  frame.resize(300, 100);
  frame.show();
  label->setText(QStringLiteral("2 trials"));
  QApplication::processEvents();
  EXPECT_EQ(content->size(), frame.size());
  EXPECT_EQ(label->width(), content->width() - inner->contentsMargins().left() - inner->contentsMargins().right());
}

TEST_F(WindowTest, TheWindowIsNotLaidOutForEachReportOfAJob) {
  open();
  window_->show_page(PageId::kTuning);
  window_->bench().control.start_default();
  ASSERT_TRUE(QTest::qWaitFor([this] { return window_->bench().job.active(); }, 60'000));
  auto* const counts = find<QLabel>("status.counts");
  const auto report = [&](int trials) {
    engine::JobProgress progress;
    progress.state = engine::JobState::kRunning;
    progress.trials = trials;
    script_->job->push(progress);
    const QString words = QStringLiteral("%1 trials").arg(trials);
    return QTest::qWaitFor([&] { return counts->text().startsWith(words); }, 60'000);
  };
  ASSERT_TRUE(report(1));  // bars and lines that were hidden are shown
  QApplication::processEvents();
  const LayoutCounter asked(window_.get());
  for (int trials = 2; trials <= 4; ++trials) ASSERT_TRUE(report(trials * 1000));
  QApplication::processEvents();
  EXPECT_EQ(asked.count(), 0);
  script_->job->end(engine::JobState::kFinished);
  ASSERT_TRUE(QTest::qWaitFor([this] { return !window_->bench().job.active(); }, 60'000));
}

}  // namespace
}  // namespace fuselab::gui::test
