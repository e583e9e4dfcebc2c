// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace fuselab::gui {

// Paints a cell in the colour of its tone and, where the model says so, in bold. Straight, without the style's detours through
// style sheets: a table of a million rows is scrolled, and every frame paints each visible cell.
class ToneDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

// The one table widget: whole rows, fixed row height, copy as CSV and Markdown, column widths from the model's columns.
class TableView : public QTableView {
  Q_OBJECT

 public:
  explicit TableView(QWidget* parent = nullptr);

  // The widths that the model proposes; call after the columns were made anew. The user's own widths win.
  void apply_widths();
  std::vector<int> selected_rows() const;  // rows of the view's model, ascending
  void select_row(int row);

 public slots:
  void copy_csv();
  void copy_markdown();

 signals:
  void row_chosen(int row);  // current row changed, or Enter was pressed on it

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void changeEvent(QEvent* event) override;

 private:
  void copy(bool markdown);
  void size_rows();
};

}  // namespace fuselab::gui
