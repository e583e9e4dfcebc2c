// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/job_control.h"

#include "app/gui/look/figures.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {

JobControl::JobControl(EngineLink& engine, JobBridge& job, bool read_only, QObject* parent)
    : QObject(parent),
      engine_(engine),
      job_(job),
      read_only_(read_only),
      run_(new QAction(icon(Glyph::kRun), tr("Run"), this)),
      pause_(new QAction(icon(Glyph::kPause), tr("Pause"), this)),
      cancel_(new QAction(icon(Glyph::kStop), tr("Cancel"), this)) {
  run_->setShortcut(QKeySequence(Qt::Key_F5));
  pause_->setShortcut(QKeySequence(Qt::Key_F6));
  cancel_->setShortcut(QKeySequence(Qt::Key_F7));
  name_run(run_->text(), {});
  cancel_->setToolTip(tr("End the job after the trial that runs now; what is measured stays (F7)"));
  connect(run_, &QAction::triggered, this, &JobControl::run_wanted);
  connect(pause_, &QAction::triggered, this, &JobControl::toggle_pause);
  connect(cancel_, &QAction::triggered, &job_, &JobBridge::cancel);
  connect(&engine_, &EngineLink::opened, this, &JobControl::update_actions);
  connect(&job_, &JobBridge::started, this, &JobControl::update_actions);
  connect(&job_, &JobBridge::progressed, this, &JobControl::update_actions);
  connect(&job_, &JobBridge::ended, this, &JobControl::update_actions);
  update_actions();
}

void JobControl::name_run(const QString& text, const QString& tip) {
  run_->setText(text);
  run_->setToolTip(read_only_ ? tr("The database is open read-only") : tr("%1 (F5)").arg(tip));
}

bool JobControl::can_start() const {
  return engine_.is_open() && !read_only_ && !starting_ && !job_.active();
}

void JobControl::start(engine::JobSpec spec) {
  if (!can_start()) return;
  starting_ = true;
  update_actions();
  using Started = Result<std::unique_ptr<engine::Job>>;
  engine_.query(
      this, [spec = std::move(spec)](engine::Engine& opened) -> Started { return opened.start(spec); },
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
  run_->setEnabled(can_start());
  pause_->setEnabled(job_.active() && state != engine::JobState::kCancelling);
  pause_->setText(paused ? tr("Resume") : tr("Pause"));
  pause_->setToolTip(paused ? tr("Continue the paused job (F6)") : tr("Stop measuring after the block that runs now (F6)"));
  pause_->setIcon(icon(paused ? Glyph::kRun : Glyph::kPause));
  cancel_->setEnabled(job_.active() && state != engine::JobState::kCancelling);
}

}  // namespace fuselab::gui
