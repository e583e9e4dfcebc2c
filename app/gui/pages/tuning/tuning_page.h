// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/pages/page.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QStackedWidget;
class QTabWidget;

namespace fuselab::gui {

class JobForecast;
class PieceQueueModel;
class PlotPanel;
class RefusedModel;
class TuningForm;

// The page that starts a job and shows it live: what is measured now, how each trial ended, how far the search is.
class TuningPage : public Page {
  Q_OBJECT

 public:
  explicit TuningPage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // a subject
  void take_model(const ModelChoice& choice) override;
  void take_scope(const WorkScope& scope) override;
  void receive(const Handed& handed) override;
  std::string own_command() const override;

 private:
  QWidget* build_controls();
  QWidget* build_progress();
  QWidget* build_live();
  void start();
  void show_progress(const engine::JobProgress& progress);
  Handed handed_trial(const TrialRow& row) const;
  Handed chosen_trial() const;  // in the table of trials
  Handed chosen_piece() const;  // in the queue
  Handed shown_search() const;  // in the plot, with its newest trial
  void show_failure(const QString& reason);
  void job_ended(engine::JobState state, const QString& error);
  void trials_grown();
  void show_convergence();
  void name_tab(int index, const QString& text);
  void count_queue();
  void notes_changed();

  TuningForm* form_ = nullptr;
  RefusedModel* refused_ = nullptr;
  JobForecast* forecast_ = nullptr;
  QLabel *state_ = nullptr, *activity_ = nullptr, *left_ = nullptr, *counts_ = nullptr;
  QProgressBar* bar_ = nullptr;
  QComboBox* search_ = nullptr;
  QCheckBox* by_seconds_ = nullptr;
  PlotPanel* plot_ = nullptr;
  TableView* queue_ = nullptr;   // pieces: running, waiting and finished
  TableView* trials_ = nullptr;  // as they end
  TableView* notes_ = nullptr;   // messages of the job
  PieceQueueModel* pieces_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  WorkScope scope_;  // of the window
};

}  // namespace fuselab::gui
