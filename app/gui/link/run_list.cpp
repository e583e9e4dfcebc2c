// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/run_list.h"

#include <algorithm>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {
namespace {

constexpr int kShownOfId = 8;

}  // namespace

RunList::RunList(EngineLink& engine, Snapshots& views, QObject* parent) : QObject(parent), engine_(engine), views_(views) {
  connect(&views_, &Snapshots::catalog_changed, this, &RunList::reload);
}

void RunList::reload() {
  if (!engine_.is_open()) return;
  using Listed = Result<std::vector<engine::ListedRun>>;
  const bool scripted = views_.compares_scripted() || views_.scripted_wanted();
  engine_.query(
      this,
      [scripted](engine::Engine& opened) -> Listed {
        return engine::list_runs(opened.config(), opened.config().database, scripted);
      },
      [this, question = ++asked_](Listed listed) {
        if (question != asked_) return;
        failure_ = listed.ok() ? QString() : window_words(listed.error());
        runs_ = listed.ok() ? std::move(listed).value() : std::vector<engine::ListedRun>();
        emit changed();
      });
}

QString RunList::name_of(const QString& id) const {
  const auto found =
      std::find_if(runs_.begin(), runs_.end(), [&](const engine::ListedRun& listed) { return text_of(listed.run.id) == id; });
  return found == runs_.end() ? id.left(kShownOfId) : text_of(found->name());
}

}  // namespace fuselab::gui
