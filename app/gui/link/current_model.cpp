// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/current_model.h"

#include <QFileInfo>

namespace fuselab::gui {
namespace {

const QString kRecentKey = QStringLiteral("models");

}  // namespace

std::vector<std::string> WorkScope::only() const {
  std::vector<std::string> ids;
  for (const QString& device : devices) ids.push_back(device.toStdString());
  return ids;
}

CurrentModel::CurrentModel(Settings& settings, QObject* parent) : QObject(parent), settings_(settings) {}

void CurrentModel::choose(const ModelChoice& choice) {
  if (choice.subject.isEmpty() || choice == choice_) return;
  QStringList recent = settings_.files(kRecentKey);
  recent.removeAll(choice.subject);
  recent.prepend(choice.subject);
  settings_.set_files(kRecentKey, recent.mid(0, kMostRecent));
  if (!choice_.subject.isEmpty()) begin_history();
  go_on({choice, scope_.run});
}

void CurrentModel::take_shown(const ModelChoice& choice) {
  if (!choice_.subject.isEmpty() || choice.subject.isEmpty()) return;
  choice_ = choice;
  emit changed();
}

void CurrentModel::name_shown(const QString& name) {
  if (name == shown_name_) return;
  shown_name_ = name;
  emit shown_changed();
}

// What a page showed first is the first place, once there is a second one.
void CurrentModel::begin_history() {
  if (!visited_.empty()) return;
  visited_.push_back({choice_, scope_.run});
  at_ = 0;
}

// Another choice ends the way forward.
void CurrentModel::go_on(const Place& place) {
  visited_.erase(visited_.begin() + at_ + 1, visited_.end());
  if (visited_.size() == kMostVisited) visited_.erase(visited_.begin());
  visited_.push_back(place);
  go_to(static_cast<int>(visited_.size()) - 1);
}

void CurrentModel::forget(const QString& subject) {
  QStringList recent = settings_.files(kRecentKey);
  if (recent.removeAll(subject) > 0) settings_.set_files(kRecentKey, recent);
}

void CurrentModel::go_back() {
  if (can_go_back()) go_to(at_ - 1);
}

void CurrentModel::go_forward() {
  if (can_go_forward()) go_to(at_ + 1);
}

void CurrentModel::go_to(int at) {
  at_ = at;
  const Place place = visited_[static_cast<std::size_t>(at)];
  const bool other_run = place.run != scope_.run;
  const bool other_model = place.choice != choice_ && !place.choice.subject.isEmpty();  // no model is no choice
  if (other_model) choice_ = place.choice;
  scope_.run = place.run;
  if (other_model) emit changed();
  if (other_run) emit scope_changed();
  if (!other_model && !other_run) emit changed();  // the ways back and forward
}

void CurrentModel::set_scope(const WorkScope& scope) {
  if (scope == scope_) return;
  const QString run_before = scope_.run;
  scope_ = scope;
  if (scope.run == run_before) return emit scope_changed();
  scope_.run = run_before;
  begin_history();
  go_on({choice_, scope.run});
}

void CurrentModel::choose_run(const QString& id) {
  WorkScope scope = scope_;
  scope.run = id;
  set_scope(scope);
}

QString CurrentModel::subject_of(const QString& name) const {
  for (const QString& subject : QStringList(choice_.subject) + recent()) {
    if (subject != name && !subject.contains(u'(') && QFileInfo(subject).fileName() == name) return subject;
  }
  return name;
}

QStringList CurrentModel::recent() const {
  return settings_.files(kRecentKey);
}

}  // namespace fuselab::gui
