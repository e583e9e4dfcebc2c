// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/trial_queue_model.h"

#include <algorithm>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {

TrialQueueModel::TrialQueueModel(JobBridge& job, QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Piece"), {}, false, 200},
               {tr("Device"), {}, false, 76},
               {tr("Kind"), {}, false, 96},
               {tr("Outcome"), {}, false, 130},
               {tr("Median"), tr("Median time per run"), true, 90},
               {tr("Best so far"),
                tr("Of this piece on this device, of the same kind of plan and with the caches in the same state"), true, 100},
               {tr("Configuration"), tr("Launch configuration"), false, 240},
               {tr("Reason"), tr("Why it was not timed"), false, 240}});
  connect(&job, &JobBridge::started, this, &TrialQueueModel::clear);
  connect(&job, &JobBridge::trials_finished, this, &TrialQueueModel::add);
}

const engine::TrialFinished* TrialQueueModel::trial(int row) const {
  return row >= 0 && row < rows() ? &trials_[static_cast<std::size_t>(row)] : nullptr;
}

void TrialQueueModel::clear() {
  beginResetModel();
  trials_.clear();
  searches_.clear();
  latest_.clear();
  endResetModel();
  emit grown();
}

void TrialQueueModel::add(const TrialBatch& batch) {
  const std::size_t count = std::min(batch->size(), kKept);
  beginInsertRows({}, 0, static_cast<int>(count) - 1);
  for (std::size_t i = batch->size() - count; i < batch->size(); ++i) trials_.push_front((*batch)[i]);
  endInsertRows();
  for (const engine::TrialFinished& trial : *batch) record(trial);
  if (trials_.size() > kKept) {
    beginRemoveRows({}, static_cast<int>(kKept), rows() - 1);
    trials_.resize(kKept);
    endRemoveRows();
  }
  emit grown();
}

QString TrialQueueModel::search_of(const TrialRow& row) {
  return QStringLiteral("%1|%2|%3").arg(text_of(row.piece_key), text_of(row.device_id)).arg(static_cast<int>(row.kind));
}

void TrialQueueModel::record(const engine::TrialFinished& trial) {
  const TrialRow& row = trial.row;
  const QString key = search_of(row);
  Search& search = searches_[key];
  if (search.points.empty()) {
    search.title =
        tr("%1 on %2, %3").arg(text_of(row.piece_name), text_of(row.device_id), plan_text(row.kind, trial.single_operator));
    search.started_unix_ms = row.created_unix_ms;
    search.mode = trial.mode;
  }
  if (trial.mode != search.mode) return;  // the winners once more in the other mode: no step of the search
  ConvergencePoint point;
  point.trial = static_cast<int>(search.points.size()) + 1;
  point.seconds = static_cast<double>(row.created_unix_ms - search.started_unix_ms) * 1e-3;
  point.median_ns = row.median_ns;
  point.best_ns = trial.best_ns.value_or(0);
  point.label = text_of(row.config);
  point.key = text_of(row.id);
  if (row.median_ns <= 0) point.outcome = outcome_text(text_of(row.outcome));
  search.points.push_back(std::move(point));
  latest_ = key;
}

TableCell TrialQueueModel::cell(int row, int column) const {
  const engine::TrialFinished& trial = trials_[static_cast<std::size_t>(row)];
  const TrialRow& line = trial.row;
  const TableCell none{QStringLiteral("–"), {}, {}, Tone::kMuted};
  switch (column) {
    case kPiece: return {text_of(line.piece_name), text_of(line.piece_name)};
    case kDevice: return {text_of(line.device_id)};
    case kKind: {
      const QString plan = plan_text(line.kind, trial.single_operator);
      if (trial.mode == CacheMode::kWarm) return {plan};
      return {tr("%1, %2").arg(plan, text_of(name_of(trial.mode)))};
    }
    case kOutcome: {
      const QString outcome = text_of(line.outcome);
      return {outcome_text(outcome), window_words(line.reason), {}, outcome_tone(outcome)};
    }
    case kMedian:
      if (line.median_ns <= 0) return none;
      return {duration_text(line.median_ns), interval_text(line.low_ns, line.high_ns, line.median_ns), line.median_ns};
    case kBest:
      if (!trial.best_ns) return none;
      return {duration_text(*trial.best_ns), {}, *trial.best_ns, Tone::kNeutral, *trial.best_ns == line.median_ns};
    case kConfig: return {text_of(line.config), text_of(line.config)};
    default: return {window_words(line.reason), window_words(line.reason)};
  }
}

}  // namespace fuselab::gui
