// SPDX-License-Identifier: Apache-2.0
#include "app/gui/tables/table_text.h"

#include <QStringList>
#include <numeric>

namespace fuselab::gui {
namespace {

std::vector<int> chosen(const QAbstractItemModel& model, const std::vector<int>& rows) {
  if (!rows.empty()) return rows;
  std::vector<int> all(static_cast<std::size_t>(model.rowCount()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

QStringList header_of(const QAbstractItemModel& model) {
  QStringList header;
  for (int column = 0; column < model.columnCount(); ++column) {
    QString title = model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    header << title.replace(QLatin1Char('\n'), QLatin1Char(' '));
  }
  return header;
}

QStringList row_of(const QAbstractItemModel& model, int row) {
  QStringList cells;
  for (int column = 0; column < model.columnCount(); ++column) {
    cells << model.index(row, column).data(Qt::DisplayRole).toString();
  }
  return cells;
}

QString csv_line(QStringList cells) {
  for (QString& cell : cells) {
    if (cell.contains(QLatin1Char(',')) || cell.contains(QLatin1Char('"')) || cell.contains(QLatin1Char('\n'))) {
      cell = QLatin1Char('"') + cell.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
    }
  }
  return cells.join(QLatin1Char(',')) + QLatin1String("\r\n");
}

QString markdown_line(QStringList cells) {
  for (QString& cell : cells) cell.replace(QLatin1Char('|'), QLatin1String("\\|")).replace(QLatin1Char('\n'), QLatin1Char(' '));
  return QLatin1String("| ") + cells.join(QLatin1String(" | ")) + QLatin1String(" |\n");
}

}  // namespace

QString csv_of(const QAbstractItemModel& model, const std::vector<int>& rows) {
  QString text = csv_line(header_of(model));
  for (int row : chosen(model, rows)) text += csv_line(row_of(model, row));
  return text;
}

QString text_of_rows(const QAbstractItemModel& model, const std::vector<int>& rows, TextFormat format) {
  return format == TextFormat::kCsv ? csv_of(model, rows) : markdown_of(model, rows);
}

QString markdown_of(const QAbstractItemModel& model, const std::vector<int>& rows) {
  const QStringList header = header_of(model);
  QStringList rule;
  for (int column = 0; column < header.size(); ++column) {
    const bool right = model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
    rule << (right ? QStringLiteral("--:") : QStringLiteral("---"));
  }
  QString text = markdown_line(header) + markdown_line(rule);
  for (int row : chosen(model, rows)) text += markdown_line(row_of(model, row));
  return text;
}

}  // namespace fuselab::gui
