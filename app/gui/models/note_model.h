// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "app/gui/link/job_bridge.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

// The messages of the job: waits, pieces left out and why, failures. Oldest first; bounded.
class NoteModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kWhen, kNote };
  static constexpr std::size_t kKept = 1000;

  explicit NoteModel(JobBridge& job, QObject* parent = nullptr);

  const engine::LogLine* last() const { return notes_.empty() ? nullptr : &notes_.back().line; }
  int warnings() const;  // errors included

 signals:
  void changed();

 protected:
  int rows() const override { return static_cast<int>(notes_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  struct Note {
    engine::LogLine line;
    qint64 unix_ms = 0;  // when it arrived
  };
  void clear();
  void add(const engine::LogLine& line);

  std::deque<Note> notes_;
};

Tone tone_of(engine::LogLine::Level level);

}  // namespace fuselab::gui
