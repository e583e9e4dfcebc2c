// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/engine/compare/runs/run_list.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

// One row per stored run that has trials, newest first.
class RunModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kName, kBaseline, kWhen, kTags, kDevices, kTrials, kState };

  explicit RunModel(QObject* parent = nullptr);
  void set_runs(std::vector<engine::ListedRun> runs);

  const engine::ListedRun* run(int row) const;  // nullptr: there is no such row
  int row_of(const std::string& id) const;      // -1: it is not there

 protected:
  int rows() const override { return static_cast<int>(runs_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<engine::ListedRun> runs_;
};

// The environment card of a run: name and value.
class CardModel : public TableModelBase {
  Q_OBJECT

 public:
  using Lines = std::vector<std::pair<std::string, std::string>>;

  explicit CardModel(QObject* parent = nullptr);
  void set_lines(Lines lines);

 protected:
  int rows() const override { return static_cast<int>(lines_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  Lines lines_;
};

}  // namespace fuselab::gui
