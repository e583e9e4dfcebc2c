// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/runs/run_model.h"

#include <algorithm>

#include "app/gui/look/figures.h"
#include "core/base/words.h"

namespace fuselab::gui {

RunModel::RunModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Run"), tr("Its name, or what it measured"), false, 260, 160, false, true},
               {tr("Baseline"), tr("Runs of the same models are compared with it"), false, 76, 60},
               {tr("When"), {}, false, 150, 150},
               {tr("Tags"), {}, false, 110, 50},
               {tr("Devices"), {}, false, 120, 60, true},
               {tr("Trials"), {}, true, 60},
               {tr("State"), {}, false, 80, 60, true}});
}

void RunModel::set_runs(std::vector<engine::ListedRun> runs) {
  beginResetModel();
  runs_ = std::move(runs);
  endResetModel();
}

const engine::ListedRun* RunModel::run(int row) const {
  return row >= 0 && row < rows() ? &runs_[static_cast<std::size_t>(row)] : nullptr;
}

int RunModel::row_of(const std::string& id) const {
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&](const engine::ListedRun& listed) { return listed.run.id == id; });
  return found == runs_.end() ? -1 : static_cast<int>(found - runs_.begin());
}

TableCell RunModel::cell(int row, int column) const {
  const engine::ListedRun& listed = runs_[static_cast<std::size_t>(row)];
  const RunRecord& run = listed.run;
  switch (column) {
    case kName: {
      const QString note = run.marks.note.empty() ? QString() : QLatin1Char('\n') + text_of(run.marks.note);
      return {text_of(listed.name()), text_of(listed.called()) + note, {}, Tone::kNeutral, true};
    }
    case kBaseline: return {run.marks.pinned ? tr("● pinned") : QString(), {}, run.marks.pinned ? 0 : 1, Tone::kGood};
    case kWhen: return {time_text(run.started_unix_ms), {}, static_cast<qlonglong>(run.started_unix_ms)};
    case kTags: return {text_of(joined(run.marks.tags))};
    case kDevices: return {text_of(joined(listed.devices))};
    case kTrials: return {count_text(listed.trials), {}, static_cast<qlonglong>(listed.trials)};
    default: return {text_of(run.state), {}, {}, run.state == "finished" ? Tone::kMuted : Tone::kWarning};
  }
}

CardModel::CardModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Environment"), {}, false, 120}, {tr("Value"), {}, false, 240, 80, false, true}});
}

void CardModel::set_lines(Lines lines) {
  beginResetModel();
  lines_ = std::move(lines);
  endResetModel();
}

TableCell CardModel::cell(int row, int column) const {
  const auto& [name, value] = lines_[static_cast<std::size_t>(row)];
  const QString text = text_of(column == 0 ? name : value);
  return {text, text, {}, column == 0 ? Tone::kMuted : Tone::kNeutral};
}

}  // namespace fuselab::gui
