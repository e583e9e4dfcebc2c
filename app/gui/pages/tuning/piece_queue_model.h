// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/gui/link/job_bridge.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/pages/hand_over.h"

namespace fuselab::gui {

// The pieces of the job: one row per piece and device, first the running one, then the waiting ones in the order of their turn,
// then the finished ones. Made only from the job's own tables and progress, so that it lists no other level or device. Stays as the
// job left it until the next one begins.
class PieceQueueModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kState, kPiece, kModel, kDevice, kFused, kGain, kDecided, kToBeWon };
  enum class State { kRunning, kWaiting, kMeasured, kConfirmed, kWithheld, kFailed };

  explicit PieceQueueModel(JobBridge& job, QObject* parent = nullptr);

  // Returns what a row stands for, with the trial of its fused figure; its model is named as stored. Empty: there is no such row.
  Handed handed(int row) const;
  int unmeasured() const;  // rows without a figure: they wait while the job runs, and were left out once it has ended

 signals:
  void changed();

 protected:
  int rows() const override { return static_cast<int>(lines_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  struct Line {
    TablePtr table;  // owns what follows
    const engine::CompareRow* row = nullptr;
    const engine::CompareCell* cell = nullptr;
    State state = State::kWaiting;
    bool same_as(const Line& other) const;
  };
  void rebuild();
  State state_of(const engine::CompareTable& table, const engine::CompareRow& row, const engine::CompareCell& cell) const;
  static State state_of(const engine::CompareCell& cell);  // when it does not run
  TableCell state_cell(const Line& line) const;

  JobBridge& job_;
  std::vector<Line> lines_;
  bool shown_active_ = false;
};

}  // namespace fuselab::gui
