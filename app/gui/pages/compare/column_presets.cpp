// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/compare/column_presets.h"

#include "app/gui/models/compare_model.h"
#include "app/gui/tables/column_menu.h"
#include "app/gui/tables/table_view.h"

namespace fuselab::gui {

ColumnPresets::ColumnPresets(QWidget* parent) : QComboBox(parent) {
  setObjectName(QStringLiteral("compare.columns"));
  setAccessibleName(tr("Columns"));
  setToolTip(tr("Brief: what decides. Full: every device. The menu of the table's header chooses single ones"));
  addItem(tr("Brief"), kSummary);
  addItem(tr("Full"), kDevices);
  setSizeAdjustPolicy(QComboBox::AdjustToContents);
}

void ColumnPresets::apply_to(TableView* table, const CompareModel* model) {
  table_ = table;
  model_ = model;
  new ColumnMenu(table_, this);
  connect(this, &QComboBox::activated, this, &ColumnPresets::apply);
  connect(model_, &QAbstractItemModel::modelReset, this, &ColumnPresets::apply);
  apply();
}

// Of the tail the reason alone is for everybody.
bool ColumnPresets::is_hidden(int column) const {
  if (currentData().toInt() == kDevices || column < CompareModel::kFixedColumns) return false;
  const int tail = column - model_->column_of(model_->devices().size(), CompareModel::kUnfused);
  return tail != CompareModel::kReason;
}

void ColumnPresets::apply() {
  for (int column = 0; column < model_->columnCount(); ++column) table_->setColumnHidden(column, is_hidden(column));
  table_->apply_widths();
}

}  // namespace fuselab::gui
