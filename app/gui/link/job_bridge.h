// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <algorithm>
#include <memory>
#include <vector>

#include "app/engine/job/engine.h"

namespace fuselab::gui {

using TableList = std::vector<std::shared_ptr<const engine::CompareTable>>;
using TrialBatch = std::shared_ptr<const std::vector<engine::TrialFinished>>;

// Replaces the table with the same model and question, or adds it.
void put_table(TableList& tables, std::shared_ptr<const engine::CompareTable> table);

// Polls the running job and turns its events into signals with immutable values. The queue is drained every 100 ms so that it never
// overflows, but views are told at most four times a second, since painting competes for the CPU that is being timed. GUI thread
// only. At most one job at a time.
class JobBridge : public QObject {
  Q_OBJECT

 public:
  explicit JobBridge(QObject* parent = nullptr);
  ~JobBridge() override;

  void attach(std::unique_ptr<engine::Job> job);
  bool active() const { return job_ != nullptr; }  // until the job has ended
  const engine::JobProgress& progress() const { return progress_; }
  // Returns whether the job is paused and at rest. A job that is asked to pause first ends the block that it measures.
  bool stands_still() const { return stands_still_; }
  // Returns the trials of the running or the last job, as in progressed(); every view shows this number.
  int trials() const { return std::max(trials_heard_, progress_.trials); }  // some may come too fast to be handed on
  // Returns the latest progress from the engine, extrapolated to now: time passes and trials end while a long step runs.
  engine::JobProgress progress_now() const;
  // Returns the latest tables of the running or the last job, one for each model and question, with only its pieces and devices.
  const TableList& tables() const { return tables_; }

  // Each returns at once; the effect arrives as progress.
  void pause();
  void resume();
  void cancel();

 signals:
  void started();
  // Comes last, and once for all that arrived since the last time, however many tables that are. A view of several tables follows
  // this signal.
  void progressed(const engine::JobProgress& progress);
  void devices_found(std::shared_ptr<const std::vector<BackendReport>> backends);
  void table_changed(std::shared_ptr<const engine::CompareTable> table);
  void trials_finished(TrialBatch trials);
  void logged(const engine::LogLine& line);
  void ended(engine::JobState state, const QString& error);  // error is empty unless the job failed

 private:
  void poll();
  void collect();
  void publish();
  void publish_lines();
  bool goes_on() const;
  void finish();

  std::unique_ptr<engine::Job> job_;
  QTimer poll_timer_;
  QTimer publish_timer_;
  engine::JobProgress progress_;
  bool progress_dirty_ = false;
  bool stands_still_ = false;
  // The engine reports progress between two steps; meanwhile the time is extrapolated, unless the job stands still.
  QElapsedTimer since_look_;
  double seconds_since_progress_ = 0;
  double shown_done_ = 0;
  QElapsedTimer since_published_;
  int trials_heard_ = 0;  // handed on so far
  std::shared_ptr<const std::vector<BackendReport>> devices_;
  TableList tables_;
  TableList fresh_tables_;  // those of them that came since the last publish
  std::vector<engine::TrialFinished> trials_;
  std::vector<engine::LogLine> lines_;
  bool lines_came_first_ = false;  // the last trial ended after the last line was logged
};

}  // namespace fuselab::gui
