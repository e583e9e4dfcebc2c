// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>

#include "app/gui/link/job_bridge.h"
#include "app/gui/models/convergence_point.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

// The trials of the running job as they end, newest first, and the convergence curve of each piece. Bounded: the table keeps only
// the newest trials; the Results page has all of them.
class TrialQueueModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns { kPiece, kDevice, kKind, kOutcome, kMedian, kBest, kConfig, kReason };
  static constexpr std::size_t kKept = 5000;

  explicit TrialQueueModel(JobBridge& job, QObject* parent = nullptr);

  // The trials of one piece on a device, fused or unfused.
  struct Search {
    QString title;
    CacheMode mode = CacheMode::kWarm;
    std::vector<ConvergencePoint> points;
    std::int64_t started_unix_ms = 0;
  };
  const std::map<QString, Search>& searches() const { return searches_; }
  const QString& latest_search() const { return latest_; }
  static QString search_of(const TrialRow& row);  // its key among searches()
  const engine::TrialFinished* trial(int row) const;

 signals:
  void grown();

 protected:
  int rows() const override { return static_cast<int>(trials_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  void clear();
  void add(const TrialBatch& batch);
  void record(const engine::TrialFinished& trial);

  std::deque<engine::TrialFinished> trials_;  // newest first
  std::map<QString, Search> searches_;
  QString latest_;
};

}  // namespace fuselab::gui
