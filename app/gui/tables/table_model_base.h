// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <limits>
#include <vector>

#include "app/gui/look/theme.h"

namespace fuselab::gui {

struct Column {
  QString title;
  QString tooltip;
  bool numeric = false;     // right-aligned
  int width = 110;          // first width in pixels at 96 dpi; in a short table at most this, and figures as wide as they are
  int least = 0;            // the least width when the view is narrower than all columns; 0: it never shrinks
  bool lesser = false;      // no other column shrinks for it: in a narrow view it is reached by scrolling
  bool takes_rest = false;  // shares the rest of a wide view; where no column does, the last one of words takes it, else the first
};

// What a cell without a figure sorts by: BlanksLastProxy puts it last in both directions.
inline constexpr double kBlankSort = std::numeric_limits<double>::max();

// The content of one cell. Everything but the text is optional.
struct TableCell {
  QString text = {};
  QString tooltip = {};
  QVariant sort = {};  // the value that sorting compares; the text when absent
  Tone tone = Tone::kNeutral;
  bool strong = false;
  QString brief = {};  // the same in fewer words, where there is no room for the text
};

// Generic base of all tables: a model gives its columns, its number of rows and cell(row, column); index checks, roles and headers
// are written once. The accessible text of a cell is its text and tooltip. A view asks for one cell's roles one after the other, so
// the cell is composed for the first of them, and again after any signal that the model has changed.
class TableModelBase : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { kSortRole = Qt::UserRole + 1, kToneRole, kStrongRole, kBriefRole };

  explicit TableModelBase(QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const final;
  int columnCount(const QModelIndex& parent = {}) const final;
  QVariant data(const QModelIndex& index, int role) const final;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final;

  const std::vector<Column>& columns() const { return columns_; }

 protected:
  virtual int rows() const = 0;
  virtual TableCell cell(int row, int column) const = 0;

  // To be called between beginResetModel() and endResetModel(), or in the constructor.
  void set_columns(std::vector<Column> columns) { columns_ = std::move(columns); }

 private:
  const TableCell& composed(int row, int column) const;

  std::vector<Column> columns_;
  struct Composed {
    int row = -1, column = -1;
    TableCell cell;
  };
  mutable Composed last_;
};

}  // namespace fuselab::gui
