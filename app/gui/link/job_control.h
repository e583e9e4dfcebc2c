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

  void set_default_spec(engine::JobSpec spec);
  const engine::JobSpec& default_spec() const { return default_spec_; }
  QString main_subjects() const;  // "built-in models", "w3": of the main job
  // `prior`: the file or folder that its searches begin with (JobSpec::prior), read before the job starts; empty: as in `spec`.
  void start(engine::JobSpec spec, const QString& prior = {});
  void start_default() { start(default_spec_); }  // the main job
  bool can_start() const;
  QString why_not() const;                             // a job cannot start now; empty when it can
  const QString& failure() const { return failure_; }  // why the last job did not start; empty once one did

  // Emits run_wanted(): it runs what the shown page shows, so the window enables and explains it.
  QAction* run_action() const { return run_; }
  // Emits measure_wanted(): the main job, which the window asks for first. Enabled while a job can start.
  QAction* measure_action() const { return measure_; }
  QAction* pause_action() const { return pause_; }  // pauses, and resumes while paused
  QAction* cancel_action() const { return cancel_; }

 signals:
  void run_wanted();
  void measure_wanted();
  void changed();  // whether a job can start, or why not
  void failed(const QString& message);

 private:
  void toggle_pause();
  void update_actions();

  EngineLink& engine_;
  JobBridge& job_;
  bool read_only_;
  bool starting_ = false;
  bool shows_paused_ = false;  // by the icon of pause_
  QString failure_;
  engine::JobSpec default_spec_;
  QAction* run_;
  QAction* measure_;
  QAction* pause_;
  QAction* cancel_;
};

}  // namespace fuselab::gui
