// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "app/gui/tables/table_model_base.h"
#include "core/gate/judged_history.h"

namespace fuselab::gui {

// Many runs of the gate, read and judged. Immutable.
struct GateHistory {
  std::vector<CheckReport> reports;
  std::vector<JudgedHistory> series;  // as put_changed_first() orders them
};
using GateHistoryPtr = std::shared_ptr<const GateHistory>;

// Sorts series by their largest change of level, largest first; those with equal ones, such as none, keep their order.
void put_changed_first(std::vector<JudgedHistory>& series);

// Returns "+2.41 %": a log-ratio as the change of a time.
QString change_text(double log_ratio);
// Returns the shown part of a commit's name; a placeholder where it is not known.
QString commit_text(const std::string& commit);

// One row for each case on each device and each kernel that it was measured beside.
class HistoryModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kCase, kChange, kNow, kRuns, kDevice, kBeside, kColumns };

  explicit HistoryModel(QObject* parent = nullptr);
  void set_history(GateHistoryPtr history);
  const JudgedHistory* series(int row) const;  // nullptr: no such row

 protected:
  int rows() const override { return history_ == nullptr ? 0 : static_cast<int>(history_->series.size()); }
  TableCell cell(int row, int column) const override;

 private:
  GateHistoryPtr history_;
};

// The changes of the level of one series, and its drifts.
class ChangeModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kSize, kSince, kRun, kCommits, kEnvironment, kChance, kColumns };

  explicit ChangeModel(QObject* parent = nullptr);
  // `series` must be one of `history`, or nullptr for none.
  void show(GateHistoryPtr history, const JudgedHistory* series);

 protected:
  int rows() const override;
  TableCell cell(int row, int column) const override;

 private:
  TableCell change_cell(const ChangePoint& change, int column) const;
  TableCell drift_cell(const Drift& drift, int column) const;
  QString environment_text(const ChangePoint& change) const;

  GateHistoryPtr history_;
  const JudgedHistory* series_ = nullptr;  // in history_
};

}  // namespace fuselab::gui
