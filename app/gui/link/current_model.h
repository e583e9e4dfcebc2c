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
  QString run;                            // the id of the stored run to look at; empty: of every run the newest figures
  std::vector<std::string> only() const;  // the devices, as the engine takes them
  bool operator==(const WorkScope&) const = default;
};

// The one model and run that the whole window works on, with the way back to earlier ones. Pages take them when they are shown, and
// tell what the user chose on them. GUI thread.
class CurrentModel : public QObject {
  Q_OBJECT

 public:
  explicit CurrentModel(Settings& settings, QObject* parent = nullptr);

  const ModelChoice& choice() const { return choice_; }
  // Does nothing for the same choice or an empty subject.
  void choose(const ModelChoice& choice);
  // While no model is chosen: takes the one that a page shows, without a way back to none.
  void take_shown(const ModelChoice& choice);
  // While no model is chosen: says which one the page shows, where no other page can open it: its file is not known. Empty: none.
  void name_shown(const QString& name);
  const QString& shown_name() const { return shown_name_; }
  bool can_go_back() const { return at_ > 0; }
  bool can_go_forward() const { return at_ + 1 < static_cast<int>(visited_.size()); }
  void go_back();
  void go_forward();
  const WorkScope& scope() const { return scope_; }
  void set_scope(const WorkScope& scope);
  void choose_run(const QString& id);  // empty: every run
  // Returns the subject that a stored model's name means: the file of that name that was chosen last, else the name itself.
  QString subject_of(const QString& name) const;
  // Takes a subject that cannot be read out of those that were chosen last.
  void forget(const QString& subject);
  // Returns the subjects that were chosen last, of earlier starts too, newest first.
  QStringList recent() const;

 signals:
  void changed();
  void scope_changed();
  void shown_changed();

 private:
  struct Place {
    ModelChoice choice;
    QString run;
  };
  void begin_history();
  void go_on(const Place& place);
  void go_to(int at);

  static constexpr int kMostRecent = 12;
  static constexpr std::size_t kMostVisited = 100;

  Settings& settings_;
  ModelChoice choice_;
  WorkScope scope_;
  QString shown_name_;
  std::vector<Place> visited_;
  int at_ = -1;  // in visited_
};

}  // namespace fuselab::gui
