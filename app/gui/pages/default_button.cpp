// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/default_button.h"

#include <QMenu>
#include <set>

#include "app/gui/look/figures.h"

namespace fuselab::gui {

DefaultButton::DefaultButton(EngineLink& engine, Snapshots& views, QWidget* parent)
    : QToolButton(parent), engine_(engine), views_(views), menu_(new QMenu(this)) {
  setObjectName(QStringLiteral("compare.default"));
  setAccessibleName(tr("Default backend"));
  setText(tr("Default"));
  setToolTip(tr("The backend to take where several are equally fast"));
  setPopupMode(QToolButton::InstantPopup);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  setMenu(menu_);
  connect(menu_, &QMenu::aboutToShow, this, &DefaultButton::fill_menu);
  connect(&views_, &Snapshots::devices_changed, this, &DefaultButton::ask);
  connect(&views_, &Snapshots::catalog_changed, this, &DefaultButton::ask);
  fill_menu();
}

void DefaultButton::ask() {
  if (!engine_.is_open()) return;
  engine_.query(
      this, [](engine::Engine& engine) { return engine::default_state(engine); },
      [this](const Result<engine::DefaultState>& state) { take(state); });
}

void DefaultButton::take(const Result<engine::DefaultState>& state) {
  if (!state.ok()) {
    setToolTip(text_of(state.error().message));
    return;
  }
  is_set_ = state.value().set.has_value();
  in_force_ = state.value().in_force;
  setText(in_force_.empty() ? tr("Default: none") : tr("Default: %1").arg(text_of(in_force_)));
  const QString why = text_of(state.value().reason);
  setToolTip(is_set_ ? tr("Set by you (%1): %2").arg(text_of(state.value().set->evidence), why) : why);
}

void DefaultButton::fill_menu() {
  menu_->clear();
  std::set<std::string> backends;
  for (const DeviceInfo& device : views_.usable_devices()) {
    if (!device.synthetic) backends.insert(device.backend);
  }
  for (const std::string& backend : backends) {
    QAction* const action =
        menu_->addAction(tr("Set %1 as default").arg(text_of(backend)), this, [this, backend] { set(backend); });
    action->setCheckable(true);
    action->setChecked(is_set_ && backend == in_force_);
  }
  if (!backends.empty()) menu_->addSeparator();
  menu_->addAction(tr("Let measurements decide"), this, &DefaultButton::clear)->setEnabled(is_set_);
}

void DefaultButton::set(const std::string& backend) {
  if (!engine_.is_open()) return;
  engine_.query(
      this, [backend](engine::Engine& engine) { return engine::set_default(engine, backend, {}); },
      [this](const Result<engine::StoredDefault>& done) {
        if (!done.ok()) return setToolTip(text_of(done.error().message));
        views_.reload_stored();  // ties may be decided otherwise now
        ask();
      });
}

void DefaultButton::clear() {
  if (!engine_.is_open()) return;
  engine_.query(
      this, [](engine::Engine& engine) { return engine::clear_default(engine); },
      [this](const Result<bool>& done) {
        if (!done.ok()) return setToolTip(text_of(done.error().message));
        views_.reload_stored();
        ask();
      });
}

}  // namespace fuselab::gui
