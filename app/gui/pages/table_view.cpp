// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/table_view.h"

#include <QAbstractProxyModel>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QPainter>
#include <algorithm>

#include "app/gui/models/table_model_base.h"
#include "app/gui/models/table_text.h"
#include "app/gui/theme.h"

namespace fuselab::gui {

void ToneDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  bool const selected = option.state.testFlag(QStyle::State_Selected);
  QPalette::ColorGroup const group = option.state.testFlag(QStyle::State_Active) ? QPalette::Active : QPalette::Inactive;
  if (selected) painter->fillRect(option.rect, option.palette.brush(group, QPalette::Highlight));
  QString const text = index.data(Qt::DisplayRole).toString();
  if (text.isEmpty()) return;
  QFont font = option.font;
  if (index.data(TableModelBase::kStrongRole).toBool()) font.setWeight(QFont::DemiBold);
  auto const tone = static_cast<Tone>(index.data(TableModelBase::kToneRole).toInt());
  painter->setFont(font);
  painter->setPen(selected ? option.palette.color(group, QPalette::HighlightedText) : colors_for(option.widget).of(tone));
  constexpr int kMargin = 7;  // as the headers keep
  QRect const area = option.rect.adjusted(kMargin, 0, -kMargin, 0);
  auto const alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
  painter->drawText(area, static_cast<int>(alignment) | Qt::TextSingleLine,
                    QFontMetrics(font).elidedText(text, Qt::ElideRight, area.width()));
}

TableView::TableView(QWidget* parent) : QTableView(parent) {
  setItemDelegate(new ToneDelegate(this));
  setSelectionBehavior(SelectRows);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);  // Tab leaves the table, arrows move inside it
  setHorizontalScrollMode(ScrollPerPixel);
  setCornerButtonEnabled(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setSectionsMovable(true);
  size_rows();

  auto* csv = new QAction(tr("Copy as CSV"), this);
  csv->setShortcut(QKeySequence::Copy);
  csv->setShortcutContext(Qt::WidgetShortcut);
  connect(csv, &QAction::triggered, this, &TableView::copy_csv);
  auto* markdown = new QAction(tr("Copy as Markdown"), this);
  markdown->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
  markdown->setShortcutContext(Qt::WidgetShortcut);
  connect(markdown, &QAction::triggered, this, &TableView::copy_markdown);
  addActions({csv, markdown});
  setContextMenuPolicy(Qt::ActionsContextMenu);
}

void TableView::size_rows() {
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
}

void TableView::apply_widths() {
  const QAbstractItemModel* source = model();
  while (const auto* proxy = qobject_cast<const QAbstractProxyModel*>(source)) source = proxy->sourceModel();
  const auto* table = qobject_cast<const TableModelBase*>(source);
  if (table == nullptr) return;
  for (int column = 0; column < static_cast<int>(table->columns().size()); ++column) {
    setColumnWidth(column, table->columns()[static_cast<std::size_t>(column)].width);
  }
}

std::vector<int> TableView::selected_rows() const {
  std::vector<int> rows;
  if (selectionModel() == nullptr) return rows;
  for (const QModelIndex& index : selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  return rows;
}

void TableView::select_row(int row) {
  if (model() == nullptr || row < 0 || row >= model()->rowCount()) return;
  selectRow(row);
  scrollTo(model()->index(row, 0));
}

void TableView::copy_csv() {
  copy(false);
}

void TableView::copy_markdown() {
  copy(true);
}

void TableView::copy(bool markdown) {
  if (model() == nullptr) return;
  std::vector<int> const rows = selected_rows();
  if (rows.empty()) return;
  QApplication::clipboard()->setText(markdown ? markdown_of(*model(), rows) : csv_of(*model(), rows));
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (current.isValid() && current.row() != previous.row()) emit row_chosen(current.row());
}

void TableView::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) size_rows();
}

}  // namespace fuselab::gui
