// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QWidget>
#include <memory>
#include <vector>

#include "app/engine/job/engine.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QSpinBox;
class QToolButton;

namespace fuselab::gui {

class TuningOptions;

// The form for a job's settings. It only returns what the user chose; the engine checks it.
class TuningForm : public QWidget {
  Q_OBJECT

 public:
  // Shows `first`, and returns the fields that the form does not show (samples) unchanged.
  explicit TuningForm(const engine::JobSpec& first, QWidget* parent = nullptr);

  // Fails with kInvalidArgument, naming the field, where one cannot be read.
  Result<engine::JobSpec> spec() const;
  // Returns the file or folder to begin the searches with; it is read when the job starts. Empty: none.
  QString prior() const;
  void set_model(const QString& subject, const QString& binding);
  // Ticks these devices and no other; none: every usable one. An empty type stays as it is.
  void set_scope(const QStringList& devices, const QString& dtype);
  void set_level(const QString& level);  // "O3"
  QLineEdit* subjects_field() const { return subjects_; }
  QLineEdit* shape_field() const { return bindings_; }
  void set_devices(const std::vector<BackendReport>& backends);

 signals:
  void changed();  // spec() may be another

 private:
  std::vector<std::string> ticked() const;  // devices
  void add_device(const std::string& id, const QString& words, bool ticked);

  engine::JobSpec first_;
  QComboBox* verb_;
  QLineEdit* subjects_;
  QLineEdit* bindings_;
  QLabel* every_device_ = nullptr;
  QListWidget* devices_;
  QSpinBox* seconds_;
  int first_seconds_ = 0;  // the budget as the field first showed it
  QCheckBox* cold_;
  QToolButton* more_;
  TuningOptions* options_;
};

}  // namespace fuselab::gui
