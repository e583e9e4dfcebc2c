// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/note_model.h"

#include <QDateTime>
#include <algorithm>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {

Tone tone_of(engine::LogLine::Level level) {
  switch (level) {
    case engine::LogLine::Level::kInfo: return Tone::kNeutral;
    case engine::LogLine::Level::kWarning: return Tone::kWarning;
    case engine::LogLine::Level::kError: return Tone::kBad;
  }
  return Tone::kNeutral;
}

NoteModel::NoteModel(JobBridge& job, QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("When"), {}, false, 76}, {tr("Note"), tr("What the job said"), false, 640}});
  connect(&job, &JobBridge::started, this, &NoteModel::clear);
  connect(&job, &JobBridge::logged, this, &NoteModel::add);
}

int NoteModel::warnings() const {
  return static_cast<int>(std::count_if(notes_.begin(), notes_.end(),
                                        [](const Note& note) { return note.line.level != engine::LogLine::Level::kInfo; }));
}

void NoteModel::clear() {
  beginResetModel();
  notes_.clear();
  endResetModel();
  emit changed();
}

void NoteModel::add(const engine::LogLine& line) {
  if (notes_.size() == kKept) {
    beginRemoveRows({}, 0, 0);
    notes_.pop_front();
    endRemoveRows();
  }
  beginInsertRows({}, rows(), rows());
  notes_.push_back({line, QDateTime::currentMSecsSinceEpoch()});
  endInsertRows();
  emit changed();
}

TableCell NoteModel::cell(int row, int column) const {
  const Note& note = notes_[static_cast<std::size_t>(row)];
  if (column == kWhen)
    return {QDateTime::fromMSecsSinceEpoch(note.unix_ms).toString(QStringLiteral("HH:mm:ss")), {}, note.unix_ms, Tone::kMuted};
  const QString text = window_words(note.line.text);
  return {text, text, {}, tone_of(note.line.level)};
}

}  // namespace fuselab::gui
