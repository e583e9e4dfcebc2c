// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/job_control.h"

#include <QFileInfo>
#include <utility>

#include "app/engine/prior_file.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {
namespace {

// "w3", "model.onnx and 2 more": short enough for a menu.
QString brief_subjects(const std::vector<std::string>& subjects) {
  constexpr int kMost = 24;
  if (subjects.empty()) return JobControl::tr("built-in models");
  QString first = text_of(subjects.front());
  if (!first.contains(QLatin1Char('('))) first = QFileInfo(first).fileName();
  if (first.size() > kMost) first = first.left(kMost - 1) + kPendingText;
  return subjects.size() == 1 ? first : JobControl::tr("%1 and %2 more").arg(first).arg(subjects.size() - 1);
}

}  // namespace

JobControl::JobControl(EngineLink& engine, JobBridge& job, bool read_only, QObject* parent)
    : QObject(parent),
      engine_(engine),
      job_(job),
      read_only_(read_only),
      run_(new QAction(icon(Glyph::kRun), tr("Run"), this)),
      measure_(new QAction(this)),
      pause_(new QAction(icon(Glyph::kPause), tr("Pause"), this)),
      cancel_(new QAction(icon(Glyph::kStop), tr("Cancel"), this)) {
  run_->setShortcut(QKeySequence(Qt::Key_F5));
  pause_->setShortcut(QKeySequence(Qt::Key_F6));
  cancel_->setShortcut(QKeySequence(Qt::Key_F7));
  // They work beside the question that closing asks, too.
  pause_->setShortcutContext(Qt::ApplicationShortcut);
  cancel_->setShortcutContext(Qt::ApplicationShortcut);
  set_default_spec({});
  cancel_->setToolTip(tr("End the job after the trial that runs now; what is measured stays (F7)"));
  connect(run_, &QAction::triggered, this, &JobControl::run_wanted);
  connect(measure_, &QAction::triggered, this, &JobControl::measure_wanted);
  connect(pause_, &QAction::triggered, this, &JobControl::toggle_pause);
  connect(cancel_, &QAction::triggered, &job_, &JobBridge::cancel);
  connect(&engine_, &EngineLink::opened, this, &JobControl::update_actions);
  connect(&engine_, &EngineLink::open_failed, this, &JobControl::update_actions);
  connect(&job_, &JobBridge::started, this, &JobControl::update_actions);
  connect(&job_, &JobBridge::progressed, this, &JobControl::update_actions);
  connect(&job_, &JobBridge::ended, this, &JobControl::update_actions);
  update_actions();
}

void JobControl::set_default_spec(engine::JobSpec spec) {
  default_spec_ = std::move(spec);
  measure_->setText(tr("Measure %1…").arg(main_subjects()));
}

QString JobControl::main_subjects() const {
  return brief_subjects(default_spec_.subjects);
}

bool JobControl::can_start() const {
  return why_not().isEmpty();
}

QString JobControl::why_not() const {
  if (!engine_.failure().isEmpty()) return tr("The database cannot be opened");
  if (!engine_.is_open()) return tr("The database is not open yet");
  if (read_only_) return tr("The database is open read-only");
  return starting_ || job_.active() ? tr("A job is running: cancel it, or wait for its end") : QString();
}

void JobControl::start(engine::JobSpec spec, const QString& prior) {
  if (!can_start()) return;
  starting_ = true;
  update_actions();
  using Started = Result<std::unique_ptr<engine::Job>>;
  engine_.query(
      this,
      [spec = std::move(spec), prior = prior.toStdString()](engine::Engine& opened) -> Started {
        if (prior.empty()) return opened.start(spec);
        engine::JobSpec with_prior = spec;
        auto read = engine::read_prior(prior);
        if (!read.ok()) return read.error().within("Begin with");
        with_prior.prior = std::move(read).value();
        return opened.start(std::move(with_prior));
      },
      [this](Started started) {
        starting_ = false;
        failure_ = started.ok() ? QString() : window_words(started.error());
        if (started.ok()) {
          job_.attach(std::move(started).value());
        } else {
          emit failed(failure_);
        }
        update_actions();
      });
}

void JobControl::toggle_pause() {
  if (job_.progress().state == engine::JobState::kPaused) {
    job_.resume();
  } else {
    job_.pause();
  }
}

void JobControl::update_actions() {
  const engine::JobState state = job_.progress().state;
  const bool paused = state == engine::JobState::kPaused;
  measure_->setEnabled(can_start());
  measure_->setToolTip(can_start() ? tr("Measure and tune every piece of them, after a question that says how long it takes")
                                   : why_not());
  pause_->setEnabled(job_.active() && state != engine::JobState::kCancelling);
  pause_->setText(paused ? tr("Resume") : tr("Pause"));
  pause_->setToolTip(paused ? tr("Continue the paused job (F6)") : tr("Stop measuring after the block that runs now (F6)"));
  if (std::exchange(shows_paused_, paused) != paused) pause_->setIcon(icon(paused ? Glyph::kRun : Glyph::kPause));
  cancel_->setEnabled(job_.active() && state != engine::JobState::kCancelling);
  emit changed();
}

}  // namespace fuselab::gui
