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
  std::vector<JudgedHistory> series;  // those that changed first, the largest change of each before the others
};
using GateHistoryPtr = std::shared_ptr<const GateHistory>;

// Series whose level changed before those that did not; else in the order given.
void put_changed_first(std::vector<JudgedHistory>& series);

// "+2.41 %": a log-ratio as the change of a time.
QString change_text(double log_ratio);
// As much of a commit as people are shown; a placeholder where it is not known.
QString commit_text(const std::string& commit);

// One row for each case on each device beside the same thing.
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

// Where the level of one series changed, and where it drifted.
class ChangeModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kSize, kSince, kRun, kCommits, kEnvironment, kChance, kColumns };

  explicit ChangeModel(QObject* parent = nullptr);
  // `series` of `history`, or nullptr for none.
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
