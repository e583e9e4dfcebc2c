// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAction>
#include <QObject>

#include "app/gui/link/engine_link.h"
#include "app/gui/link/job_bridge.h"

namespace fuselab::gui {

// Starts, pauses, resumes and cancels the one job. Owns the actions that the tool bar, the Tuning page and the command palette
// share, enabled as the job's state allows.
class JobControl : public QObject {
  Q_OBJECT

 public:
  JobControl(EngineLink& engine, JobBridge& job, bool read_only, QObject* parent = nullptr);

  void set_default_spec(engine::JobSpec spec) { default_spec_ = std::move(spec); }
  const engine::JobSpec& default_spec() const { return default_spec_; }
  void start(engine::JobSpec spec);
  void start_default() { start(default_spec_); }  // the main job
  bool can_start() const;
  const QString& failure() const { return failure_; }  // why the last job did not start; empty once one did

  // Emits run_wanted(): what it runs depends on what is shown, and its text says that.
  QAction* run_action() const { return run_; }
  void name_run(const QString& text, const QString& tip);
  QAction* pause_action() const { return pause_; }  // pauses, and resumes while paused
  QAction* cancel_action() const { return cancel_; }

 signals:
  void run_wanted();
  void failed(const QString& message);

 private:
  void toggle_pause();
  void update_actions();

  EngineLink& engine_;
  JobBridge& job_;
  bool read_only_;
  bool starting_ = false;
  QString failure_;
  engine::JobSpec default_spec_;
  QAction* run_;
  QAction* pause_;
  QAction* cancel_;
};

}  // namespace fuselab::gui
