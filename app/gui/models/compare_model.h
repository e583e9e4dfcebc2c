// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/gui/tables/table_model_base.h"
#include "app/views/snapshots.h"

namespace fuselab::gui {

using TablePtr = std::shared_ptr<const engine::CompareTable>;

// The fused pieces of one model, ranked by headroom: the best device with its time and gain, the next best and the headroom; per
// device unfused, fused, gain with its interval, ideal and share of the ceiling; then the reason. Updates in place while the pieces
// stay the same, so that a selection lasts.
class CompareModel : public TableModelBase {
  Q_OBJECT

 public:
  // What decides comes right after the piece, so that it is visible in a narrow window and beside many devices.
  enum FixedColumns { kPiece, kRecommended, kTime, kGainThere, kNextBest, kToBeWon, kFixedColumns };
  enum DeviceColumns { kUnfused, kFused, kGain, kIdeal, kCeiling, kDeviceColumns };
  enum TailColumns { kCount, kShare, kReason, kPattern, kTailColumns };

  explicit CompareModel(QObject* parent = nullptr);
  void set_table(TablePtr table);

  const TablePtr& table() const { return table_; }
  const std::vector<std::string>& devices() const { return devices_; }
  const engine::CompareRow* piece(int row) const;
  int row_of_piece(const std::string& piece_key) const;
  int column_of(std::size_t device, DeviceColumns column) const {
    return kFixedColumns + static_cast<int>(device) * kDeviceColumns + column;
  }

 protected:
  int rows() const override { return table_ == nullptr ? 0 : static_cast<int>(table_->rows.size()); }
  TableCell cell(int row, int column) const override;

 private:
  TableCell recommended_cell(const engine::CompareRow& row) const;
  TableCell next_best_cell(const engine::CompareRow& row) const;
  TableCell fixed_cell(const engine::CompareRow& row, int column) const;
  TableCell device_cell(const engine::CompareRow& row, const std::string& device, int column) const;
  TableCell tail_cell(const engine::CompareRow& row, int column) const;
  void rebuild_columns();
  void shorten_names();

  TablePtr table_;
  QStringList brief_;  // short forms of the rows' names
  std::vector<std::string> devices_;
};

// The model's totals, one row per device and one for the best mix of devices; then one per stack that was asked for the whole
// model.
class TotalsModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit TotalsModel(QObject* parent = nullptr);
  void set_table(TablePtr table);

 protected:
  int rows() const override {
    return table_ == nullptr ? 0 : static_cast<int>(table_->totals.size() + table_->whole_models.size());
  }
  TableCell cell(int row, int column) const override;

 private:
  TableCell whole_cell(const engine::WholeModel& whole, int column) const;

  TablePtr table_;
};

// Returns whether fused and unfused are the same plan, as for a single operator, which has nothing to fuse with.
bool has_one_plan(const engine::CompareCell& cell);
// Returns the cell of one device in a row, or nullptr.
const engine::CompareCell* find_cell(const engine::CompareRow& row, const std::string& device);

}  // namespace fuselab::gui
