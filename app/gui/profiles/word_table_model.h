// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/tables/table_model_base.h"
#include "app/views/profile_view.h"

namespace fuselab::gui {

// A table of words as the engine writes it for every face.
class WordTableModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit WordTableModel(QObject* parent = nullptr) : TableModelBase(parent) {}
  void show(engine::WordTable table);

 protected:
  int rows() const override { return static_cast<int>(table_.rows.size()); }
  TableCell cell(int row, int column) const override;

 private:
  engine::WordTable table_;
};

}  // namespace fuselab::gui
