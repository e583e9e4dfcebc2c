// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <vector>

#include "app/engine/doctor.h"
#include "app/gui/link/background.h"
#include "app/gui/tables/table_model_base.h"

class QLabel;
class QPushButton;

namespace fuselab::gui {

// What measuring depends on, a row for each finding, with what to do.
class FindingModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit FindingModel(QObject* parent = nullptr);
  void set_findings(std::vector<engine::Finding> findings);

 protected:
  int rows() const override { return static_cast<int>(findings_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<engine::Finding> findings_;
};

// Examines the installation and the machine as `fuselab doctor` does, also where the database cannot be opened.
class DoctorDialog : public QDialog {
  Q_OBJECT

 public:
  DoctorDialog(engine::Config config, QWidget* parent);

 private:
  void examine();
  void take(std::vector<engine::Finding> findings);

  engine::Config config_;
  FindingModel* model_;
  QLabel* verdict_;
  QPushButton* again_;
  Background background_;
};

}  // namespace fuselab::gui
