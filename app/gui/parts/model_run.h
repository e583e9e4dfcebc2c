// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <stop_token>

#include "app/gui/link/engine_link.h"
#include "app/gui/link/job_bridge.h"
#include "app/gui/link/snapshots.h"
#include "app/gui/models/execution_model.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace fuselab::gui {

class TableView;

// Runs a model in production, as `fuselab exec` does, in the background: on random or given data, with what it gave in figures. One
// run at a time, and none while a job measures: it would disturb what is timed.
class ModelRun : public QWidget {
  Q_OBJECT

 public:
  ModelRun(EngineLink& engine, JobBridge& job, Snapshots& views, QWidget* parent = nullptr);
  ~ModelRun() override;

  // `inputs`: with their extents bound. What an earlier model gave is no longer shown, and its run is cancelled.
  void set_model(const std::string& subject, const std::string& binding, const std::string& level,
                 std::vector<engine::ModelInput> inputs);
  void run();
  std::string command(const engine::Config& config) const;  // that runs the model so
  void cancel();
  bool is_running() const { return running_; }
  QPushButton* run_button() const { return run_button_; }

 private:
  QWidget* build_controls();
  QWidget* build_inputs();
  QWidget* build_results();
  void show_input(int row);
  void choose_file();
  void list_devices();
  void update_buttons();
  engine::ExecuteSpec spec() const;
  void take(Result<std::vector<engine::ExecutedSubject>> executed);
  void show_result(const ExecutedPtr& executed);

  EngineLink& engine_;
  JobBridge& job_;
  Snapshots& views_;
  RunInputModel* inputs_;
  RunOutputModel* outputs_;
  RunPieceModel* pieces_;
  engine::ExecuteSpec model_;  // subject, binding, level
  std::stop_source stop_;
  bool running_ = false;
  int asked_ = 0;  // runs: the answer of an earlier one is no longer wanted

  QPushButton* run_button_ = nullptr;
  QPushButton* cancel_button_ = nullptr;
  QComboBox* device_ = nullptr;
  QSpinBox* seed_ = nullptr;
  QSpinBox* steady_ = nullptr;
  QCheckBox* check_ = nullptr;
  TableView* input_table_ = nullptr;
  QLineEdit* data_ = nullptr;
  QPushButton* file_ = nullptr;
  QLabel* line_ = nullptr;
};

}  // namespace fuselab::gui
