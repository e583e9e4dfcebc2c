// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/stacks/stack_state.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

// The stacks that can be fetched: from whom, under which licence, how large, and what lies here.
class StackModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit StackModel(QObject* parent = nullptr);
  void show(std::vector<engine::StackState> states);
  // Returns null where there is no such row.
  const engine::StackState* state(int row) const;

 protected:
  int rows() const override { return static_cast<int>(states_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<engine::StackState> states_;
};

}  // namespace fuselab::gui
