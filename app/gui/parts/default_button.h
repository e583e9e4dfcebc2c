// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QToolButton>

#include "app/engine/compare/chosen_default.h"
#include "app/gui/link/engine_link.h"
#include "app/gui/link/snapshots.h"

class QMenu;

namespace fuselab::gui {

// Shows the default backend, and sets or clears it from its menu, where each backend stands with its figure. Before a slower one is
// set the user is asked; a refusal is a message.
class DefaultButton : public QToolButton {
  Q_OBJECT

 public:
  DefaultButton(EngineLink& engine, Snapshots& views, QWidget* parent = nullptr);
  void choose(const std::string& backend);  // asks first where another one is faster

 private:
  void ask();        // the engine, which answers with take()
  void fill_menu();  // with what can be used here
  void take(const Result<engine::DefaultState>& state);
  void set(const std::string& backend);
  void clear();
  void refuse(const Error& error);

  EngineLink& engine_;
  Snapshots& views_;
  QMenu* menu_;
  bool is_set_ = false;
  std::string in_force_;
};

}  // namespace fuselab::gui
