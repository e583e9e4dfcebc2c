// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/tuning/piece_queue_model.h"

#include <algorithm>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/views/decision_words.h"
#include "core/stats/comparison.h"

namespace fuselab::gui {
namespace {

TableCell decided_cell(const engine::CompareCell& cell) {
  const TuningDecision& decision = cell.tuning;
  if (!cell.given_up.empty()) return {PieceQueueModel::tr("given up"), text_of(cell.given_up), {}, Tone::kMuted};
  if (!decision.is_known()) return {QStringLiteral("–"), {}, {}, Tone::kMuted};
  const bool won = decision.verdict == name_of(Verdict::kImproved);
  return {text_of(engine::decision_word(decision)),
          text_of(engine::decision_text(decision)),
          {},
          won             ? Tone::kGood
          : decision.open ? Tone::kWarning
                          : Tone::kNeutral};
}

}  // namespace

PieceQueueModel::PieceQueueModel(JobBridge& job, QObject* parent) : TableModelBase(parent), job_(job) {
  set_columns({{tr("State"), tr("Measured: once, with the configuration known best. Confirmed: tuned and re-timed"), false, 104},
               {tr("Piece"), tr("In the order of their turn: largest headroom first"), false, 300, 140, false, true},
               {tr("Model"), {}, false, 220, 96, false, true},
               {tr("Device"), {}, false, 66},
               {tr("Fused"), tr("The whole piece as one kernel: best so far, median and 95 % interval"), true, 140, 114},
               {tr("Gain"), tr("Unfused / fused with its 95 % interval"), true, 150, 0, true},
               {tr("Significance"), tr("The search's fastest against what the search began with, as the gate compares"), true, 150,
                0, true},
               {tr("Headroom"), tr("Count × (best − ideal)"), true, 96, 0, true}});
  connect(&job_, &JobBridge::started, this, &PieceQueueModel::rebuild);
  connect(&job_, &JobBridge::progressed, this, &PieceQueueModel::rebuild);
  connect(&job_, &JobBridge::ended, this, &PieceQueueModel::rebuild);
  rebuild();
}

int PieceQueueModel::unmeasured() const {
  return static_cast<int>(
      std::count_if(lines_.begin(), lines_.end(), [](const Line& line) { return line.state == State::kWaiting; }));
}

Handed PieceQueueModel::handed(int row) const {
  Handed handed;
  if (row < 0 || row >= rows()) return handed;
  const Line& line = lines_[static_cast<std::size_t>(row)];
  handed.model = text_of(line.table->model);
  handed.binding = text_of(line.table->binding);
  handed.dtype = text_of(line.table->dtype);
  handed.level = text_of(line.table->level);
  handed.piece_key = text_of(line.row->piece_key);
  handed.piece = text_of(line.row->name);
  handed.graph = text_of(line.row->graph);
  handed.device = text_of(line.cell->device_id);
  if (line.cell->fused.figure) handed.trial = text_of(line.cell->fused.figure->trial_id);
  return handed;
}

bool PieceQueueModel::Line::same_as(const Line& other) const {
  return row->piece_key == other.row->piece_key && cell->device_id == other.cell->device_id && table->model == other.table->model &&
         table->question() == other.table->question();
}

PieceQueueModel::State PieceQueueModel::state_of(const engine::CompareTable& table, const engine::CompareRow& row,
                                                 const engine::CompareCell& cell) const {
  const engine::JobProgress& progress = job_.progress();
  // The engine says what it works on in words: "resnet50: stem/conv1 on cpu:0".
  const std::string words = row.name + " on " + cell.device_id;
  const bool named = progress.activity == words || progress.activity == table.model + ": " + words;
  return job_.active() && named ? State::kRunning : state_of(cell);
}

PieceQueueModel::State PieceQueueModel::state_of(const engine::CompareCell& cell) {
  if (cell.fused.state == engine::CellState::kFailed) return State::kFailed;
  if (cell.fused.state == engine::CellState::kWithheld) return State::kWithheld;
  if (!cell.fused.figure) return State::kWaiting;
  return cell.fused.figure->confirmed ? State::kConfirmed : State::kMeasured;
}

void PieceQueueModel::rebuild() {
  std::vector<Line> lines;
  bool running = false;  // one at a time: equal pieces of two models are measured once
  for (const TablePtr& table : job_.tables()) {
    for (const engine::CompareRow& row : table->rows) {
      for (const engine::CompareCell& cell : row.cells) {
        if (cell.fused.state == engine::CellState::kExcluded) continue;
        State state = state_of(*table, row, cell);
        if (state == State::kRunning && !running) {
          running = true;
        } else if (state == State::kRunning) {
          state = state_of(cell);
        }
        lines.push_back({table, &row, &cell, state});
      }
    }
  }
  const auto rank = [](const Line& line) { return line.state == State::kRunning ? 0 : line.state == State::kWaiting ? 1 : 2; };
  std::stable_sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) { return rank(a) < rank(b); });
  // In place while the order stays: a selection lasts, and nothing jumps.
  const bool same = std::equal(lines.begin(), lines.end(), lines_.begin(), lines_.end(),
                               [](const Line& a, const Line& b) { return a.same_as(b); });
  if (same) {
    const bool turned = std::exchange(shown_active_, job_.active()) != job_.active();  // other words for what waits
    int first = rows(), last = -1;
    for (int line = 0; line < rows(); ++line) {
      const Line &before = lines_[static_cast<std::size_t>(line)], &now = lines[static_cast<std::size_t>(line)];
      if (!turned && before.table == now.table && before.state == now.state) continue;
      first = std::min(first, line);
      last = line;
    }
    lines_ = std::move(lines);
    if (last >= 0) emit dataChanged(index(first, 0), index(last, columnCount() - 1));
  } else {
    shown_active_ = job_.active();
    beginResetModel();
    lines_ = std::move(lines);
    endResetModel();
  }
  emit changed();
}

TableCell PieceQueueModel::state_cell(const Line& line) const {
  switch (line.state) {
    case State::kRunning: return {tr("● running"), {}, 0, Tone::kAccent, true};
    case State::kWaiting: return {job_.active() ? tr("waiting") : tr("not measured"), {}, 1, Tone::kMuted};
    case State::kMeasured: return {tr("measured"), tr("With the configuration known best; not tuned yet"), 2, Tone::kNeutral};
    case State::kConfirmed: return {tr("✓ confirmed"), tr("Tuned and re-timed in a fresh process"), 3, Tone::kGood};
    case State::kWithheld: return {tr("withheld"), cell_tooltip(line.cell->fused), 4, Tone::kWarning};
    case State::kFailed: return {tr("✕ failed"), window_words(line.cell->fused.reason), 4, Tone::kBad};
  }
  return {};
}

TableCell PieceQueueModel::cell(int row, int column) const {
  const Line& line = lines_[static_cast<std::size_t>(row)];
  const TableCell pending{kPendingText, {}, {}, Tone::kMuted};
  switch (column) {
    case kState: return state_cell(line);
    case kPiece: return {text_of(line.row->name), text_of(line.row->pattern), {}, Tone::kNeutral, line.state == State::kRunning};
    case kModel: return {text_of(line.table->model), text_of(line.table->binding), {}, Tone::kMuted};
    case kDevice: return {text_of(line.cell->device_id)};
    case kFused:
      return {cell_text(line.cell->fused),      cell_tooltip(line.cell->fused), {}, cell_tone(line.cell->fused), false,
              brief_cell_text(line.cell->fused)};
    case kGain:
      if (!line.cell->gain) return line.cell->fused.figure ? TableCell{QStringLiteral("–"), {}, {}, Tone::kMuted} : pending;
      return {ratio_text(*line.cell->gain), gain_verdict(*line.cell), {}, ratio_tone(*line.cell->gain)};
    case kDecided: return decided_cell(*line.cell);
    default:
      if (line.row->to_be_won_ns <= 0)
        return line.cell->fused.figure ? TableCell{QStringLiteral("–"), {}, {}, Tone::kMuted} : pending;
      return {duration_text(line.row->to_be_won_ns), {}, line.row->to_be_won_ns};
  }
}

}  // namespace fuselab::gui
