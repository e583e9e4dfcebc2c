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
  visited_.erase(visited_.begin() + at_ + 1, visited_.end());  // another choice ends the way forward
  if (visited_.size() == kMostVisited) visited_.erase(visited_.begin());
  visited_.push_back(choice);
  QStringList recent = settings_.files(kRecentKey);
  recent.removeAll(choice.subject);
  recent.prepend(choice.subject);
  settings_.set_files(kRecentKey, recent.mid(0, kMostRecent));
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
  choice_ = visited_[static_cast<std::size_t>(at)];
  emit changed();
}

void CurrentModel::set_scope(const WorkScope& scope) {
  if (scope == scope_) return;
  scope_ = scope;
  emit scope_changed();
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
