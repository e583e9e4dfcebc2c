// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "app/engine/job/engine.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QListWidget;
class QSpinBox;

namespace fuselab::gui {

// What a job is about, as a form. Only says what the user chose; the engine checks it.
class TuningForm : public QWidget {
  Q_OBJECT

 public:
  // Shows `first`, and gives back what of it the form has no field for (seed, samples) unchanged.
  explicit TuningForm(const engine::JobSpec& first, QWidget* parent = nullptr);

  engine::JobSpec spec() const;
  void set_devices(const std::vector<BackendReport>& backends);

 private:
  void add_device(const std::string& id, const QString& words, bool ticked);

  engine::JobSpec first_;
  QComboBox* verb_;
  QLineEdit* subjects_;
  QLineEdit* bindings_;
  QListWidget* devices_;
  QComboBox* strategy_;
  QSpinBox* seconds_;
  int first_seconds_ = 0;  // as the field showed the budget first
  QSpinBox* trials_;
  QComboBox* level_;
  QComboBox* dtype_;
  QComboBox* mode_;
  QCheckBox* remeasure_;
  QCheckBox* keep_;
};

}  // namespace fuselab::gui
