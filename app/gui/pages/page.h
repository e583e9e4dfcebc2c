// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "app/gui/link/command.h"
#include "app/gui/link/current_model.h"
#include "app/gui/link/engine_link.h"
#include "app/gui/link/job_bridge.h"
#include "app/gui/link/job_control.h"
#include "app/gui/link/settings.h"
#include "app/gui/link/snapshots.h"
#include "app/gui/parts/arrangement.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QSplitter;
class QVBoxLayout;

namespace fuselab::gui {

class EmptyState;
class TableView;
class TrialQueueModel;
class NoteModel;

// The pages, by their rows in pages.def.
enum class PageId {
#define PAGE(id, name, title, shortcut, icon, stored) id,
#include "app/gui/pages/pages.def"
#undef PAGE
};
inline constexpr PageId kAllPages[] = {
#define PAGE(id, name, title, shortcut, icon, stored) PageId::id,
#include "app/gui/pages/pages.def"
#undef PAGE
};
QString name_of(PageId page);  // "compare": settings, command line
QString title_of(PageId page);
std::optional<PageId> parse_page(const QString& name);

// The services that every page works with. Owned by the main window; outlives the pages.
struct Workbench {
  EngineLink& engine;
  JobBridge& job;
  JobControl& control;
  Snapshots& views;
  TrialQueueModel& trials;
  NoteModel& notes;
  Settings& settings;
  const std::vector<std::string>& subjects;  // subjects that can be named: built-in models and workloads
  const QStringList& history_files;          // runs of the gate to open History on; empty: those opened last time
  const QStringList& other_databases;        // databases whose runs Diff offers, too
  CurrentModel& model;                       // that the whole window works on
};

// A page answers one question. It receives immutable snapshots and sends only the user's intentions.
class Page : public QWidget {
  Q_OBJECT

 public:
  Page(PageId id, const QString& subtitle, Workbench bench, QWidget* parent = nullptr);

  PageId id() const { return id_; }
  // Brings one thing into view: a piece key on Compare, a trial on Results, a device on Devices.
  virtual void go_to(const QString& key);
  // Shows the model that the window works on now; called for the page that is shown, and when it is shown with another one.
  virtual void take_model(const ModelChoice& /*choice*/) {}
  // Returns the job that Run (F5) starts while the page is shown; nullopt on a page that shows none: then it is the main job.
  virtual std::optional<engine::JobSpec> shown_job() const { return std::nullopt; }
  // Returns the page's commands: those added by offer(), and those of the plots and tables that are shown.
  std::vector<Command> commands() const;
  void save_layout();

 signals:
  void navigate(PageId page, const QString& key);

 protected:
  const Workbench& bench() const { return bench_; }
  QVBoxLayout* body() const { return body_; }
  QHBoxLayout* header() const { return header_; }  // beside the title, right-aligned
  void set_subtitle(const QString& text);
  // Adds a command to this page; it is enabled while `widget` is.
  void offer(const QString& text, const QKeySequence& shortcut, const QWidget* widget, std::function<void()> run);
  // Calls tell(reason) when the database cannot be opened, at once when that is already known: the page is unusable then.
  void when_unopened(const std::function<void(const QString& reason)>& tell);
  void explain_when_unopened(EmptyState* state);

  // Restores a layout now and stores it in save_layout().
  void remember(QSplitter* splitter, const QString& name);
  void remember(TableView* table, const QString& name);

 private:
  PageId id_;
  Workbench bench_;
  QVBoxLayout* body_;
  QHBoxLayout* header_;
  QLabel* subtitle_;
  std::vector<std::function<void()>> savers_;
  struct Offer {
    Command command;
    const QWidget* widget;
  };
  std::vector<Offer> offers_;
};

// The message that a page shows instead of an empty table: what is missing, and the one thing to do next.
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  EmptyState(const QString& title, const QString& text, QAction* action, QWidget* parent = nullptr);
  void set_text(const QString& title, const QString& text);
  void show_problem(const QString& title, const QString& text);  // without the action, since there is nothing to do now

 private:
  QLabel* title_;
  QLabel* text_;
  QPushButton* button_ = nullptr;
};

}  // namespace fuselab::gui
