// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/kernels/target_survey.h"
#include "app/gui/link/engine_link.h"
#include "app/gui/link/job_bridge.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace fuselab::gui {

class TableView;
class TargetSurveyModel;

// Compiles a model's pieces for a target of which no device is here, in the background, and shows how far each comes.
class TargetPanel : public QWidget {
  Q_OBJECT

 public:
  TargetPanel(EngineLink& engine, JobBridge& job, const std::vector<std::string>& subjects, QWidget* parent = nullptr);
  ~TargetPanel() override;

  TableView* table() const { return table_; }
  // Offers the targets of this backend, and those that it reaches beside; empty: of all.
  void show_backend(const std::string& backend, const std::map<std::string, std::string>& reached = {});

 private:
  void compile();
  void finish(const Result<engine::TargetSurveyReport>& ended);
  void tell(const QString& text);
  void update_buttons();

  EngineLink& engine_;
  JobBridge& job_;
  TargetSurveyModel* pieces_;
  std::stop_source stop_;
  bool busy_ = false;
  std::string backend_;

  QComboBox* subject_ = nullptr;
  QComboBox* target_ = nullptr;
  QPushButton* compile_ = nullptr;
  QPushButton* cancel_ = nullptr;
  TableView* table_ = nullptr;
  QLabel* line_ = nullptr;
};

}  // namespace fuselab::gui
