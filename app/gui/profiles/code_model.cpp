// SPDX-License-Identifier: Apache-2.0
#include "app/gui/profiles/code_model.h"

#include "app/gui/look/figures.h"

namespace fuselab::gui {

CodeModel::CodeModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Line"), {}, true, 56},
               {tr("Source"), {}, false, 360, 120},
               {tr("Samples"), tr("Share of the samples in this profile that fell on the instruction"), true, 76},
               {tr("Address"), {}, true, 76},
               {tr("Instruction"), {}, false, 320, 120, false, true},
               {tr("Loop"), tr("The innermost loop around it, by its number in the table of loops"), true, 56}});
}

void CodeModel::show(const engine::ProfileView& view) {
  beginResetModel();
  rows_.clear();
  hits_ = 0;
  for (const CodeLine& each : view.profile.code.code) hits_ += each.hits;
  for (const engine::AnnotatedLine& line : engine::annotated_code(view)) {
    Row row{line.line, text_of(line.source), false, {}};
    for (const CodeLine& code : line.code) {
      row.has_code = true;
      row.code = code;
      rows_.push_back(row);
      row = {};
    }
    if (line.code.empty()) rows_.push_back(row);
  }
  endResetModel();
}

TableCell CodeModel::cell(int row, int column) const {
  const Row& each = rows_[static_cast<std::size_t>(row)];
  const bool hot = hits_ > 0 && each.has_code && each.code.hits * 20 > hits_;
  const Tone tone = hot ? Tone::kWarning : Tone::kNeutral;
  switch (column) {
    case 0: return {each.line > 0 ? QString::number(each.line) : QString(), {}, each.line, Tone::kMuted};
    case 1: return {each.source, each.source, {}, tone};
    case 2:
      if (!each.has_code || each.code.hits == 0 || hits_ == 0) return {};
      return {percent_text(static_cast<double>(each.code.hits) / static_cast<double>(hits_)),
              {},
              static_cast<qlonglong>(each.code.hits),
              tone,
              hot};
    case 3:
      return {each.has_code ? QString::number(each.code.address, 16) : QString(),
              {},
              static_cast<qlonglong>(each.code.address),
              Tone::kMuted};
    case 4: return {each.has_code ? text_of(each.code.text) : QString(), {}, {}, tone};
    default: return {each.has_code && each.code.loop >= 0 ? QString::number(each.code.loop + 1) : QString(), {}, each.code.loop};
  }
}

}  // namespace fuselab::gui
