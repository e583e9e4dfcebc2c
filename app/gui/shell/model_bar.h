// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QToolBar>
#include <string>
#include <vector>

#include "app/engine/compare/runs/run_list.h"
#include "app/gui/link/current_model.h"
#include "core/backend/device_info.h"

class QComboBox;
class QLineEdit;
class QToolButton;

namespace fuselab::gui {

class RefusedModel;

// The model, shape, devices, element type and run that the whole window works on, above the pages, with back and forward.
class ModelBar : public QToolBar {
  Q_OBJECT

 public:
  ModelBar(CurrentModel& model, const std::vector<std::string>& subjects, QWidget* parent = nullptr);
  void set_runs(const std::vector<engine::ListedRun>& runs);
  void set_devices(const std::vector<DeviceInfo>& devices);
  // Marks the field that the reason is about, and offers the nearest name; empty: nothing is wrong.
  void show_check(const QString& reason);
  QAction* back_action() const { return back_; }
  QAction* forward_action() const { return forward_; }

 private:
  void show_choice();
  void show_scope();
  void fill_subjects();
  void choose();
  void open_file();
  void choose_scope();

  CurrentModel& model_;
  QStringList subjects_;
  QAction* back_;
  QAction* forward_;
  QComboBox* subject_;
  QLineEdit* binding_;
  QToolButton* devices_;
  QComboBox* dtype_;
  QComboBox* run_;
  RefusedModel* refused_;
};

}  // namespace fuselab::gui
