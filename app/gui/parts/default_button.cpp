// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/default_button.h"

#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <set>

#include "app/engine/compare/standing/backend_standing.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {
namespace {

// "fastest for 7 of 62 pieces, 2.90× the best's time on the 55 that it runs".
QString standing_text(const engine::BackendStanding& standing, int pieces) {
  const QString fastest = DefaultButton::tr("fastest for %1 of %2")
                              .arg(standing.fastest)
                              .arg(counted_text(pieces, DefaultButton::tr("piece"), DefaultButton::tr("pieces")));
  const QString times = QString::number(standing.slow_down, 'f', 2);
  return standing.measured == pieces
             ? DefaultButton::tr("%1, %2× the best's time over all").arg(fastest, times)
             : DefaultButton::tr("%1, %2× the best's time on the %3 that it runs").arg(fastest, times).arg(standing.measured);
}

QString figure_of(const engine::BackendStandings& standings, const std::string& backend) {
  const engine::BackendStanding* const standing = standings.find(backend);
  return standing == nullptr ? DefaultButton::tr("no figure yet") : standing_text(*standing, standings.pieces);
}

}  // namespace

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
    setToolTip(window_words(state.error()));
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
  const engine::BackendStandings standings = engine::backend_standings(views_.tables());
  for (const std::string& backend : backends) {
    QString text = tr("Set %1 as default").arg(text_of(backend));
    if (standings.pieces > 0) text += tr(": %1").arg(figure_of(standings, backend));
    QAction* const action = menu_->addAction(text, this, [this, backend] { choose(backend); });
    action->setData(text_of(backend));
    action->setCheckable(true);
    action->setChecked(is_set_ && backend == in_force_);
  }
  if (!backends.empty()) menu_->addSeparator();
  menu_->addAction(tr("Let measurements decide"), this, &DefaultButton::clear)->setEnabled(is_set_);
}

void DefaultButton::choose(const std::string& backend) {
  const engine::BackendStandings standings = engine::backend_standings(views_.tables());
  if (standings.pieces == 0 || standings.backends.front().backend == backend) return set(backend);
  const engine::BackendStanding& best = standings.backends.front();
  const engine::BackendStanding* const chosen = standings.find(backend);
  if (chosen != nullptr && chosen->fastest == best.fastest) return set(backend);
  auto* const box = new QMessageBox(QMessageBox::Warning, tr("Set %1 as default?").arg(text_of(backend)),
                                    tr("%1 is the slower choice here: %2.").arg(text_of(backend), figure_of(standings, backend)),
                                    QMessageBox::Cancel, this);
  box->setInformativeText(tr("%1: %2.").arg(text_of(best.backend), standing_text(best, standings.pieces)));
  box->setObjectName(QStringLiteral("default.ask"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto* const anyway = box->addButton(tr("Set anyway"), QMessageBox::AcceptRole);
  anyway->setObjectName(QStringLiteral("default.anyway"));
  connect(anyway, &QAbstractButton::clicked, this, [this, backend] { set(backend); });
  box->open();
}

// A tooltip alone would not be seen.
void DefaultButton::refuse(const Error& error) {
  setToolTip(text_of(error.message));
  auto* const box =
      new QMessageBox(QMessageBox::Warning, tr("The default was not changed"), text_of(error.message), QMessageBox::Close, this);
  box->setObjectName(QStringLiteral("default.refused"));
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->open();
}

void DefaultButton::set(const std::string& backend) {
  if (!engine_.is_open()) return;
  engine_.query(
      this, [backend](engine::Engine& engine) { return engine::set_default(engine, backend, {}); },
      [this](const Result<engine::StoredDefault>& done) {
        if (!done.ok()) return refuse(done.error());
        views_.reload_stored();  // ties may be decided otherwise now
        ask();
      });
}

void DefaultButton::clear() {
  if (!engine_.is_open()) return;
  engine_.query(
      this, [](engine::Engine& engine) { return engine::clear_default(engine); },
      [this](const Result<bool>& done) {
        if (!done.ok()) return refuse(done.error());
        views_.reload_stored();
        ask();
      });
}

}  // namespace fuselab::gui
