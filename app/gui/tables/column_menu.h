// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMenu>

namespace fuselab::gui {

class TableView;

// Shows and hides the columns of a table: it is the menu of the table's header, and a button may have it, too. The first column
// stays. Filled when it opens.
class ColumnMenu : public QMenu {
  Q_OBJECT

 public:
  explicit ColumnMenu(TableView* table, QWidget* parent = nullptr);

 signals:
  void chosen();  // a column was shown or hidden

 private:
  void fill();

  TableView* table_;
};

}  // namespace fuselab::gui
