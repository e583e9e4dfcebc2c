// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QToolBar>
#include <string>
#include <vector>

#include "app/gui/link/current_model.h"

class QComboBox;
class QLineEdit;

namespace fuselab::gui {

// The model and the shape that the whole window works on, above the pages, with back and forward.
class ModelBar : public QToolBar {
  Q_OBJECT

 public:
  ModelBar(CurrentModel& model, const std::vector<std::string>& subjects, QWidget* parent = nullptr);
  QAction* back_action() const { return back_; }
  QAction* forward_action() const { return forward_; }

 private:
  void show_choice();
  void fill_subjects();
  void choose();
  void open_file();

  CurrentModel& model_;
  QStringList subjects_;
  QAction* back_;
  QAction* forward_;
  QComboBox* subject_;
  QLineEdit* binding_;
};

}  // namespace fuselab::gui
