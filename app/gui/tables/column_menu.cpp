// SPDX-License-Identifier: Apache-2.0
#include "app/gui/tables/column_menu.h"

#include <QHeaderView>

#include "app/gui/tables/table_view.h"

namespace fuselab::gui {

ColumnMenu::ColumnMenu(TableView* table, QWidget* parent) : QMenu(parent), table_(table) {
  connect(this, &QMenu::aboutToShow, this, &ColumnMenu::fill);
  QHeaderView* const header = table_->horizontalHeader();
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(header, &QHeaderView::customContextMenuRequested, this,
          [this, header](const QPoint& at) { popup(header->mapToGlobal(at)); });
}

void ColumnMenu::fill() {
  clear();
  const QAbstractItemModel& model = *table_->model();
  for (int column = 1; column < model.columnCount(); ++column) {
    const QString title = model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    QAction* const action = addAction(QString(title).replace(QLatin1Char('\n'), QLatin1Char(' ')));
    action->setCheckable(true);
    action->setChecked(!table_->isColumnHidden(column));
    connect(action, &QAction::toggled, this, [this, column](bool shown) {
      table_->setColumnHidden(column, !shown);
      emit chosen();
    });
  }
}

}  // namespace fuselab::gui
