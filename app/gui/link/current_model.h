// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <vector>

#include "app/gui/link/settings.h"

namespace fuselab::gui {

// A model, file, workload or graph text with its extents.
struct ModelChoice {
  QString subject;  // as a job takes it: "resnet50", "/home/me/model.onnx"
  QString binding;  // "batch=8,seq=128"; empty: as the model says
  bool operator==(const ModelChoice&) const = default;
};

// What of the machine the window works on.
struct WorkScope {
  QStringList devices;                    // by their ids; empty: every usable one
  QString dtype;                          // "f16", of built-in models and workloads; empty: as each page says
  std::vector<std::string> only() const;  // the devices, as the engine takes them
  bool operator==(const WorkScope&) const = default;
};

// The one model that the whole window works on, with the way back to earlier ones. Pages take it when they are shown, and tell it
// what the user chose on them. GUI thread.
class CurrentModel : public QObject {
  Q_OBJECT

 public:
  explicit CurrentModel(Settings& settings, QObject* parent = nullptr);

  const ModelChoice& choice() const { return choice_; }
  // Does nothing for the same choice or an empty subject.
  void choose(const ModelChoice& choice);
  bool can_go_back() const { return at_ > 0; }
  bool can_go_forward() const { return at_ + 1 < static_cast<int>(visited_.size()); }
  void go_back();
  void go_forward();
  const WorkScope& scope() const { return scope_; }
  void set_scope(const WorkScope& scope);
  // Returns the subject that a stored model's name means: the file of that name that was chosen last, else the name itself.
  QString subject_of(const QString& name) const;
  // Takes a subject that cannot be read out of those that were chosen last.
  void forget(const QString& subject);
  // Returns the subjects that were chosen last, of earlier starts too, newest first.
  QStringList recent() const;

 signals:
  void changed();
  void scope_changed();

 private:
  void go_to(int at);

  static constexpr int kMostRecent = 12;
  static constexpr std::size_t kMostVisited = 100;

  Settings& settings_;
  ModelChoice choice_;
  WorkScope scope_;
  std::vector<ModelChoice> visited_;
  int at_ = -1;  // in visited_
};

}  // namespace fuselab::gui
