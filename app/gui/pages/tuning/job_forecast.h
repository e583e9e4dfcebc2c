// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QWidget>
#include <stop_token>
#include <vector>

#include "app/engine/doctor.h"
#include "app/gui/pages/page.h"
#include "app/views/job_estimate.h"

namespace fuselab::gui {

// What is said of a job before it starts: what it measures, on which devices and how long each of its phases takes; and whether the
// machine is fit to measure. Asks the engine in the background, never while a job runs: what is asked ends when one starts. Blocks
// nothing.
class JobForecast : public QWidget {
  Q_OBJECT

 public:
  explicit JobForecast(const Workbench& bench, QWidget* parent = nullptr);

  // Returns the line with the time of the whole job, which the page places where it is always seen.
  QLabel* headline() const { return headline_; }
  // Estimates this job a moment from now; the last one asked for counts. An error is shown in its place. `prior`: the file or
  // folder that its searches begin with, as for JobControl::start().
  void ask(Result<engine::JobSpec> spec, const QString& prior);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  bool may_ask() const;
  void follow_job();
  std::stop_source until_a_job();
  void estimate();
  void show_estimate(const Result<engine::JobEstimate>& estimate);
  void examine();
  void show_findings(const std::vector<engine::Finding>& findings);

  Workbench bench_;
  Result<engine::JobSpec> spec_;
  QString prior_;
  QTimer soon_;
  std::stop_source stop_;  // of what is being asked
  bool could_start_;
  bool asked_ = false;  // an answer is awaited
  bool stale_ = false;  // and is of another job by now
  bool examines_ = false;
  QLabel* headline_;
  QLabel* details_;
  QLabel* fit_;
};

}  // namespace fuselab::gui
