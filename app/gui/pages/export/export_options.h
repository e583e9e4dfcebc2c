// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "app/deploy/export_preview.h"
#include "core/kernel/drawback.h"

class QCheckBox;
class QDoubleSpinBox;
class QLineEdit;

namespace fuselab::gui {

// What may go out: the limits of `fuselab export` as boxes.
class ExportOptions : public QWidget {
  Q_OBJECT

 public:
  // `first`: what is accepted at first.
  explicit ExportOptions(const engine::Accepted& first, QWidget* parent = nullptr);
  void fill(deploy::ExportSpec& spec) const;

 signals:
  void changed();

 private:
  QWidget* build_accepted(const engine::Accepted& first);

  std::vector<std::pair<Drawback, QCheckBox*>> accepted_;
  QCheckBox* unconfirmed_;
  QCheckBox* complete_;
  QCheckBox* invent_;
  QCheckBox* baselines_;
  QDoubleSpinBox* loss_;
  QLineEdit* gpu_targets_;
};

}  // namespace fuselab::gui
