// SPDX-License-Identifier: Apache-2.0
#include "app/gui/profiles/word_table_model.h"

#include <algorithm>

#include "app/gui/look/figures.h"

namespace fuselab::gui {
namespace {

constexpr int kFirstWidth = 180, kOtherWidth = 120;  // pixels
constexpr std::size_t kSentence = 48;                // characters: what is longer takes the room that is left

}  // namespace

void WordTableModel::show(engine::WordTable table) {
  beginResetModel();
  std::vector<Column> columns;
  for (std::size_t i = 0; i < table.titles.size(); ++i) {
    const bool sentences = std::any_of(table.rows.begin(), table.rows.end(),
                                       [&](const auto& row) { return i < row.size() && row[i].size() > kSentence; });
    columns.push_back({text_of(table.titles[i]), {}, false, i == 0 ? kFirstWidth : kOtherWidth, 0, false, sentences});
  }
  set_columns(std::move(columns));
  table_ = std::move(table);
  endResetModel();
}

TableCell WordTableModel::cell(int row, int column) const {
  const auto& words = table_.rows[static_cast<std::size_t>(row)];
  if (static_cast<std::size_t>(column) >= words.size()) return {};
  const QString text = text_of(words[static_cast<std::size_t>(column)]);
  return {text, text.size() > static_cast<qsizetype>(kSentence) ? text : QString(), {}, Tone::kNeutral, column == 0};
}

}  // namespace fuselab::gui
