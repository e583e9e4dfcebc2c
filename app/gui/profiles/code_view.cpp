// SPDX-License-Identifier: Apache-2.0
#include "app/gui/profiles/code_view.h"

#include <QItemSelectionModel>
#include <QScopedValueRollback>

#include "app/gui/profiles/code_model.h"
#include "app/gui/profiles/source_model.h"
#include "app/gui/tables/table_view.h"
#include "app/views/annotated_code.h"

namespace fuselab::gui {

CodeView::CodeView(const QString& name, QWidget* parent)
    : QSplitter(Qt::Horizontal, parent),
      source_(new SourceModel(this)),
      code_(new CodeModel(this)),
      source_table_(new TableView),
      code_table_(new TableView) {
  setObjectName(name);
  setChildrenCollapsible(false);
  source_table_->setObjectName(name + QStringLiteral(".source"));
  source_table_->setAccessibleName(tr("Source, with the cost of each line"));
  source_table_->setModel(source_);
  code_table_->setObjectName(name + QStringLiteral(".code"));
  code_table_->setAccessibleName(tr("Machine code, with the cost of each instruction"));
  code_table_->setModel(code_);
  addWidget(source_table_);
  addWidget(code_table_);
  setSizes({420, 620});  // an instruction is read whole; lines of source are longer than any view
  connect(source_table_, &TableView::row_chosen, this, &CodeView::choose_code_of);
  connect(code_table_, &TableView::row_chosen, this, &CodeView::choose_source_of);
}

void CodeView::show_code(const engine::ProfileView& view) {
  const auto lines = engine::annotated_source(view);
  source_->show(lines);
  code_->show(engine::annotated_functions(view));
  if (const int hottest = source_->hottest_row(); hottest >= 0) source_table_->select_row(hottest);
}

void CodeView::choose_code_of(int row) {
  if (following_ || row < 0) return;
  const QScopedValueRollback guard(following_, true);
  const std::vector<int> rows = code_->rows_of(source_->line_of(row));
  code_table_->clearSelection();
  if (rows.empty()) return;
  auto* const selection = code_table_->selectionModel();
  selection->setCurrentIndex(code_->index(rows.front(), 0), QItemSelectionModel::NoUpdate);
  for (const int each : rows) selection->select(code_->index(each, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
  code_table_->scrollTo(code_->index(rows.front(), 0), QAbstractItemView::PositionAtCenter);
}

void CodeView::choose_source_of(int row) {
  if (following_ || row < 0) return;
  const QScopedValueRollback guard(following_, true);
  if (const int line = source_->row_of(code_->line_of(row)); line >= 0) source_table_->select_row(line);
}

}  // namespace fuselab::gui
