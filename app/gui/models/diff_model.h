// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/engine/compare/runs/run_diff.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

using RunDiffPtr = std::shared_ptr<const engine::RunDiff>;

// Returns "▼ regressed", "same kernel": a verdict for display, with a sign so that it does not depend on colour.
QString verdict_text(const engine::DiffRow& row);
Tone verdict_tone(const engine::DiffRow& row);

// One row for each kernel that both runs timed.
class DiffModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kKernel, kVerdict, kChange, kRatio, kBefore, kAfter, kDevice, kPlan, kMode, kShape, kQ, kConfig, kColumns };

  explicit DiffModel(QObject* parent = nullptr);
  void set_diff(RunDiffPtr diff);
  const engine::DiffRow* row(int row) const;  // nullptr: no such row
  int row_of_key(const QString& key) const;   // -1: no such row

 protected:
  int rows() const override { return diff_ == nullptr ? 0 : static_cast<int>(diff_->rows.size()); }
  TableCell cell(int row, int column) const override;

 private:
  RunDiffPtr diff_;
};

// The environments of two runs, in the fields where they differ.
class EnvironmentDiffModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit EnvironmentDiffModel(QObject* parent = nullptr);
  void set_diff(RunDiffPtr diff);

 protected:
  int rows() const override;
  TableCell cell(int row, int column) const override;

 private:
  RunDiffPtr diff_;
};

// Returns the row's key: "piece\nplan\ndevice\nmetric".
QString key_of(const engine::DiffRow& row);

}  // namespace fuselab::gui
