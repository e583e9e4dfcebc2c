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

// In the place of the older one about the same question of the same model.
void put_table(TableList& tables, std::shared_ptr<const engine::CompareTable> table);

// Polls the running job and turns its events into signals with immutable values. The queue is drained every 100 ms so that it
// never overflows, but views hear of it at most four times a second: painting competes for the CPU that is being timed.
// GUI thread only. At most one job at a time.
class JobBridge : public QObject {
  Q_OBJECT

 public:
  explicit JobBridge(QObject* parent = nullptr);
  ~JobBridge() override;

  void attach(std::unique_ptr<engine::Job> job);
  bool active() const { return job_ != nullptr; }  // until the job has ended
  const engine::JobProgress& progress() const { return progress_; }
  // Paused and at rest. A job that is asked to pause first ends the block that it measures.
  bool stands_still() const { return stands_still_; }
  // Of the running or the last job, as progressed() says it: the one number that every view shows.
  int trials() const { return std::max(trials_heard_, progress_.trials); }  // some may come too fast to be handed on
  // What the engine said last, carried on to now: time passes and trials end while a long step runs.
  engine::JobProgress progress_now() const;
  // The latest tables of the running or the last job, one of each model and question: its pieces and its devices, nothing else.
  const TableList& tables() const { return tables_; }

  // Each returns at once; the job's answer arrives as progress.
  void pause();
  void resume();
  void cancel();

 signals:
  void started();
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
  // The engine tells of progress between two steps; in between time goes on, unless the job stands still.
  QElapsedTimer since_look_;
  double seconds_since_progress_ = 0;
  QElapsedTimer since_published_;
  int trials_heard_ = 0;  // handed on so far
  std::shared_ptr<const std::vector<BackendReport>> devices_;
  TableList tables_;
  TableList fresh_tables_;  // those of them that came since the last publish
  std::vector<engine::TrialFinished> trials_;
  std::vector<engine::LogLine> lines_;
  bool lines_came_first_ = false;  // the last trial ended after the last line was said
};

}  // namespace fuselab::gui
