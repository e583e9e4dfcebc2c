// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <functional>
#include <stop_token>

#include "app/gui/link/engine_link.h"
#include "app/gui/link/job_bridge.h"
#include "app/gui/parts/stack_model.h"

class QLabel;
class QPushButton;

namespace fuselab::gui {

class TableView;

// Shows the stacks that `fuselab backends` fetches, and installs or removes the chosen one in the background, one at a time. A
// proprietary licence is asked for first.
class StackPanel : public QWidget {
  Q_OBJECT

 public:
  StackPanel(EngineLink& engine, JobBridge& job, QWidget* parent = nullptr);
  ~StackPanel() override;

  TableView* table() const { return table_; }
  void reload();

 signals:
  void changed();  // a stack was installed or removed: backends are to be probed again

 private:
  using Act = std::function<Status(const engine::Config&, const std::stop_token&)>;

  void install();
  void remove();
  bool accepts(const InstallableStack& stack);
  void begin(const QString& what, Act act, const QString& done);
  void tell(const QString& text);
  void update_buttons();

  EngineLink& engine_;
  JobBridge& job_;
  StackModel* stacks_;
  std::stop_source stop_;
  bool busy_ = false;

  TableView* table_ = nullptr;
  QPushButton* install_ = nullptr;
  QPushButton* remove_ = nullptr;
  QPushButton* cancel_ = nullptr;
  QLabel* line_ = nullptr;
};

}  // namespace fuselab::gui
