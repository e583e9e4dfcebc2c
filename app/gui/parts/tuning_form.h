// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
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

// The form for a job's settings. It only returns what the user chose; the engine checks it.
class TuningForm : public QWidget {
  Q_OBJECT

 public:
  // Shows `first`, and returns the fields that the form does not show (seed, samples) unchanged.
  explicit TuningForm(const engine::JobSpec& first, QWidget* parent = nullptr);

  engine::JobSpec spec() const;
  void set_model(const QString& subject, const QString& binding);
  // Ticks these devices and no other; none: every usable one. An empty type stays as it is.
  void set_scope(const QStringList& devices, const QString& dtype);
  QLineEdit* subjects_field() const { return subjects_; }
  QLineEdit* shape_field() const { return bindings_; }
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
  int first_seconds_ = 0;  // the budget as the field first showed it
  QSpinBox* trials_;
  QComboBox* level_;
  QComboBox* dtype_;
  QComboBox* mode_;
  QCheckBox* cold_;
  QCheckBox* remeasure_;
  QCheckBox* keep_;
};

}  // namespace fuselab::gui
