// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QTableView>

#include "app/gui/tables/table_model_base.h"
#include "app/gui/tables/table_text.h"

namespace fuselab::gui {

// The one table widget: whole rows, fixed row height, copy as CSV and Markdown. Columns are as wide as their content. In a narrow
// view they shrink as far as the model allows, names before figures, until the user drags one of them.
class TableView : public QTableView {
  Q_OBJECT

 public:
  explicit TableView(QWidget* parent = nullptr);

  void setModel(QAbstractItemModel* model) override;
  void apply_widths();     // uses the proposed widths from now on; call it after the columns were made again
  void keep_own_widths();  // keeps the current widths
  bool has_own_widths() const { return own_widths_; }
  std::vector<int> selected_rows() const;     // rows of the view's model, ascending
  static constexpr int kMostCopied = 10'000;  // most rows that can be copied
  void select_row(int row);

 public slots:
  void copy_csv();
  void copy_markdown();

 signals:
  void row_chosen(int row);          // current row changed, or Enter was pressed on it
  void copied(const QString& what);  // "12 rows copied as CSV"
  void not_copied(const QString& why);

 protected:
  // Called when the content or the width has changed.
  virtual void fit_widths();
  void set_widths(const std::vector<int>& widths);  // of the shown columns; does not count as dragging by the user
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void copy(TextFormat format);
  void to_clipboard(const QString& text, int rows, TextFormat format);
  void size_rows();
  void fit_soon();
  int advance_of(const QString& text) const;
  struct Wish {
    int width = 0, least = 0, whole = 0;  // as proposed, at least, and with no words cut
  };
  std::vector<Wish> wished_widths(const std::vector<Column>& columns, const std::vector<int>& places,
                                  const std::vector<int>& headers) const;
  static int total(const std::vector<Wish>& wishes);
  static void give_way(std::vector<Wish>& wishes, const std::vector<Column>& columns, bool numeric, int room);
  static void keep_names(std::vector<Wish>& head, const std::vector<Wish>& wishes, const std::vector<Column>& columns, int room);
  static void fill(std::vector<Wish>& wishes, const std::vector<Column>& columns, std::size_t first_ones, int room);

  bool own_widths_ = false;
  bool fitting_ = false;
  bool fits_soon_ = false;                // the content has changed since the widths were fitted
  mutable QHash<QString, int> advances_;  // widths of texts, which come again with every change
};

}  // namespace fuselab::gui
