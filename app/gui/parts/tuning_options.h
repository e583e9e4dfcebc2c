// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <functional>
#include <utility>
#include <vector>

#include "app/engine/job/engine.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace fuselab::gui {

// Returns a label for a field of a form, as wide as it is painted.
QLabel* make_row_label(const QString& text, QWidget* field);

// The settings of a job that a first job needs none of: how it searches, what it accepts, a configuration of the user's own. The
// rows that a form hides until more options are asked for.
class TuningOptions : public QWidget {
  Q_OBJECT

 public:
  explicit TuningOptions(const engine::JobSpec& first, QWidget* parent = nullptr);

  // Sets what the fields say. Fails with kInvalidArgument, naming the field, where a configuration cannot be read.
  Status fill(engine::JobSpec& spec) const;
  void set_dtype(const QString& dtype);
  void set_level(const QString& level);
  // Returns the file or folder to begin the searches with; empty: none but what the job has already.
  QString prior() const;
  // Returns whether a field says something else than it usually does.
  bool is_any_set() const;

 signals:
  void changed();

 private:
  QCheckBox* add_box(const char* name, const QString& text, const QString& tip, bool checked);
  void add_row(const QString& text, QWidget* field);
  void build_search(const engine::JobSpec& first);
  void build_choice(const engine::JobSpec& first);
  void build_given(const engine::JobSpec& first);
  QWidget* build_prior();

  QFormLayout* form_;
  QComboBox* strategy_ = nullptr;
  QSpinBox* trials_ = nullptr;
  QComboBox* level_ = nullptr;
  QComboBox* dtype_ = nullptr;
  QComboBox* mode_ = nullptr;
  QSpinBox* seed_ = nullptr;
  std::uint64_t first_seed_ = 1;
  QLineEdit* prior_ = nullptr;
  QLineEdit* prefer_ = nullptr;
  QLineEdit* except_ = nullptr;
  QLineEdit* config_ = nullptr;
  QLineEdit* target_ = nullptr;
  QCheckBox *remeasure_ = nullptr, *whole_ = nullptr, *decide_ = nullptr, *keep_ = nullptr;
  std::vector<std::pair<Drawback, QCheckBox*>> accepted_;
};

}  // namespace fuselab::gui
