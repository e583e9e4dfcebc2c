// SPDX-License-Identifier: Apache-2.0
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

TableModelBase::TableModelBase(QObject* parent) : QAbstractTableModel(parent) {
  // Connected before any view is: what a view asks because of a signal is composed anew.
  const auto forget = [this] { last_ = Composed(); };
  connect(this, &QAbstractItemModel::dataChanged, this, forget);
  connect(this, &QAbstractItemModel::modelReset, this, forget);
  connect(this, &QAbstractItemModel::layoutChanged, this, forget);
  connect(this, &QAbstractItemModel::rowsInserted, this, forget);
  connect(this, &QAbstractItemModel::rowsRemoved, this, forget);
  connect(this, &QAbstractItemModel::rowsMoved, this, forget);
}

const TableCell& TableModelBase::composed(int row, int column) const {
  if (last_.row != row || last_.column != column) last_ = {row, column, cell(row, column)};
  return last_.cell;
}

int TableModelBase::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows();
}

int TableModelBase::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModelBase::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Column& column = columns_[static_cast<std::size_t>(index.column())];
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignVCenter | (column.numeric ? Qt::AlignRight : Qt::AlignLeft));
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::AccessibleTextRole && role != kSortRole &&
      role != kToneRole && role != kStrongRole && role != kBriefRole) {
    return {};
  }
  const TableCell& found = composed(index.row(), index.column());
  switch (role) {
    case Qt::DisplayRole: return found.text;
    case Qt::ToolTipRole: return found.tooltip.isEmpty() ? QVariant() : QVariant(found.tooltip);
    case Qt::AccessibleTextRole: return found.tooltip.isEmpty() ? found.text : found.text + QLatin1String(". ") + found.tooltip;
    case kSortRole: return found.sort.isValid() ? found.sort : QVariant(found.text);
    case kBriefRole: return found.brief;
    case kToneRole: return static_cast<int>(found.tone);
    default: return found.strong;
  }
}

QVariant TableModelBase::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
  if (section < 0 || section >= static_cast<int>(columns_.size())) return {};
  const Column& column = columns_[static_cast<std::size_t>(section)];
  switch (role) {
    case Qt::DisplayRole: return column.title;
    case Qt::ToolTipRole: return column.tooltip.isEmpty() ? QVariant() : QVariant(column.tooltip);
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignVCenter | (column.numeric ? Qt::AlignRight : Qt::AlignLeft));
    default: return {};
  }
}

}  // namespace fuselab::gui
