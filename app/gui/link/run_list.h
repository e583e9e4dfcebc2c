// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "app/engine/compare/runs/run_list.h"
#include "app/gui/link/engine_link.h"
#include "app/gui/link/snapshots.h"

namespace fuselab::gui {

// The runs of the window's database that have trials, newest first, which the bar and the pages choose from. Read after the
// catalogue has come, and again with it. GUI thread only.
class RunList : public QObject {
  Q_OBJECT

 public:
  RunList(EngineLink& engine, Snapshots& views, QObject* parent = nullptr);

  const std::vector<engine::ListedRun>& runs() const { return runs_; }
  const QString& failure() const { return failure_; }  // why they could not be read; empty: they were, or are not read yet
  // Returns what a run is called here: its name, else what it measured; for an id that is not in the list its beginning.
  QString name_of(const QString& id) const;
  void reload();

 signals:
  void changed();

 private:
  EngineLink& engine_;
  Snapshots& views_;
  std::vector<engine::ListedRun> runs_;
  QString failure_;
  int asked_ = 0;  // number of the latest question; answers to earlier ones are dropped
};

}  // namespace fuselab::gui
