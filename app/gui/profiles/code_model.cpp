// SPDX-License-Identifier: Apache-2.0
#include "app/gui/profiles/code_model.h"

#include "app/gui/look/figures.h"

namespace fuselab::gui {

CodeModel::CodeModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Address"), {}, true, 70},
               {tr("Instruction"), {}, false, 300, 260, false, true},
               {tr("Cycles"), tr("That a unit is busy with it, by the model of the CPU (llvm-mca)"), true, 60},
               {tr("Latency"), tr("Cycles until its result is there, by the same model"), true, 60},
               {tr("Samples"), tr("Share of the samples in this kernel that fell on it"), true, 70},
               {tr("Loop"), tr("The innermost loop around it, by its number in the table of loops"), true, 50},
               {tr("Line"), tr("Of the source"), true, 50}});
}

void CodeModel::show(const std::vector<CodeLine>& code) {
  beginResetModel();
  code_.clear();
  hits_ = 0;
  const bool has_headings = !code.empty() && code.front().function != code.back().function;
  for (const CodeLine& line : code) {
    if (has_headings && (code_.empty() || code_.back().function != line.function)) code_.emplace_back().function = line.function;
    code_.push_back(line);
    hits_ += line.hits;
  }
  endResetModel();
}

std::vector<int> CodeModel::rows_of(int line) const {
  std::vector<int> found;
  for (std::size_t row = 0; row < code_.size(); ++row) {
    if (code_[row].line == line && !code_[row].text.empty()) found.push_back(static_cast<int>(row));
  }
  return found;
}

TableCell CodeModel::cell(int row, int column) const {
  const CodeLine& code = code_[static_cast<std::size_t>(row)];
  if (code.text.empty())
    return column == 1 ? TableCell{text_of(code.function), text_of(code.function), {}, Tone::kAccent, true} : TableCell{};
  const bool hot = hits_ > 0 && code.hits * 20 > hits_;
  const Tone tone = hot ? Tone::kWarning : Tone::kNeutral;
  const auto number = [](double value, int digits) { return value > 0 ? QString::number(value, 'f', digits) : QString(); };
  switch (column) {
    case 0: return {QString::number(code.address, 16), {}, static_cast<qlonglong>(code.address), Tone::kMuted};
    case 1: return {text_of(code.text), text_of(code.text), {}, tone};
    case 2: return {number(code.cycles, 2), {}, code.cycles};
    case 3: return {number(code.latency, 0), {}, code.latency};
    case 4:
      if (code.hits == 0 || hits_ == 0) return {};
      return {percent_text(static_cast<double>(code.hits) / static_cast<double>(hits_)),
              {},
              static_cast<qlonglong>(code.hits),
              tone,
              hot};
    case 5: return {code.loop >= 0 ? QString::number(code.loop + 1) : QString(), {}, code.loop};
    default: return {code.line > 0 ? QString::number(code.line) : QString(), {}, code.line, Tone::kMuted};
  }
}

}  // namespace fuselab::gui
