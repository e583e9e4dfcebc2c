// SPDX-License-Identifier: Apache-2.0
#include "app/gui/profiles/source_model.h"

#include <algorithm>

#include "app/gui/look/figures.h"

namespace fuselab::gui {

SourceModel::SourceModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Line"), {}, true, 50},
               {tr("Source"), {}, false, 300, 120, false, true},
               {tr("Instr."), tr("Instructions that were made of it"), true, 55},
               {tr("Cycles"), tr("Of its instructions together, by the model of the CPU (llvm-mca)"), true, 60},
               {tr("Samples"), tr("Share of the samples in this kernel that fell on it"), true, 70}});
}

void SourceModel::show(const std::vector<engine::AnnotatedLine>& lines) {
  beginResetModel();
  lines_ = lines;
  hits_ = 0;
  for (const engine::AnnotatedLine& line : lines_) hits_ += line.hits;
  endResetModel();
}

int SourceModel::row_of(int line) const {
  const auto found =
      std::find_if(lines_.begin(), lines_.end(), [&](const engine::AnnotatedLine& each) { return each.line == line; });
  return found == lines_.end() ? -1 : static_cast<int>(found - lines_.begin());
}

int SourceModel::hottest_row() const {
  const auto weight = [](const engine::AnnotatedLine& line) { return std::pair(line.hits, line.cycles); };
  const auto most =
      std::max_element(lines_.begin(), lines_.end(), [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
  return most == lines_.end() || most->code.empty() ? -1 : static_cast<int>(most - lines_.begin());
}

TableCell SourceModel::cell(int row, int column) const {
  const engine::AnnotatedLine& line = lines_[static_cast<std::size_t>(row)];
  const bool hot = hits_ > 0 && line.hits * 10 > hits_;
  const Tone tone = hot ? Tone::kWarning : line.code.empty() ? Tone::kMuted : Tone::kNeutral;
  switch (column) {
    case 0: return {line.line > 0 ? QString::number(line.line) : QString(), {}, line.line, Tone::kMuted};
    case 1: {
      const QString text = line.line > 0 ? text_of(line.source) : tr("(instructions without a line)");
      return {text, text, {}, tone};
    }
    case 2:
      return {line.code.empty() ? QString() : QString::number(line.code.size()), {}, static_cast<qlonglong>(line.code.size())};
    case 3: return {line.cycles > 0 ? QString::number(line.cycles, 'f', 2) : QString(), {}, line.cycles};
    default:
      if (line.hits == 0 || hits_ == 0) return {};
      return {percent_text(static_cast<double>(line.hits) / static_cast<double>(hits_)),
              {},
              static_cast<qlonglong>(line.hits),
              tone,
              hot};
  }
}

}  // namespace fuselab::gui
