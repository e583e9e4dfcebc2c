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
#include "app/gui/link/run_list.h"
#include "app/gui/link/settings.h"
#include "app/gui/link/snapshots.h"
#include "app/gui/pages/hand_over.h"
#include "app/gui/pages/page_id.h"
#include "app/gui/parts/arrangement.h"

class QAbstractButton;
class QAbstractItemView;
class QHBoxLayout;
class QLabel;
class QMenu;
class QPushButton;
class QSplitter;
class QVBoxLayout;

namespace fuselab::gui {

class EmptyState;
class TableView;
class TrialQueueModel;
class NoteModel;

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
  const engine::Config& config;              // of the engine, for the commands that do the same
  RunList& runs;
};

// A page answers one question. It receives immutable snapshots and sends only the user's intentions.
class Page : public QWidget {
  Q_OBJECT

 public:
  Page(PageId id, const QString& subtitle, Workbench bench, QWidget* parent = nullptr);

  PageId id() const { return id_; }
  // Brings one thing into view: a piece key on Compare, a trial on Results, a device on Devices.
  virtual void go_to(const QString& key);
  // Shows what another page handed over, after take_model().
  virtual void receive(const Handed& handed) { go_to(handed.piece_key); }
  // Shows the model that the window works on now; called for the page that is shown, and when it is shown with another one.
  virtual void take_model(const ModelChoice& /*choice*/) {}
  // Shows at once what came while the page was hidden.
  void catch_up();
  // Works on these devices, this element type and this run from now on, as take_model().
  virtual void take_scope(const WorkScope& /*scope*/) {}
  // Says in the subtitle what the run of this name means for the page; empty: every run is looked at.
  void show_run(const QString& name);
  // Returns the command that does what the page does or shows as a whole; empty: none.
  virtual std::string own_command() const { return {}; }
  // Fills a menu with the ways on from the chosen mark, and with the commands to copy.
  void fill_ways_on(QMenu& menu);
  // Returns the button that Run (F5) presses while the page is shown; null on a page that only shows what is stored.
  QAbstractButton* run_button() const { return run_button_; }
  // Returns the page's commands: those added by offer(), and those of the plots and tables that are shown.
  std::vector<Command> commands() const;
  void save_layout();

 signals:
  void navigate(PageId page, const QString& key);
  void handed_over(PageId page, const Handed& handed);
  void told(const QString& message);  // for the status bar
  void run_changed();                 // run_button() is enabled, disabled or explained in other words

 protected:
  const Workbench& bench() const { return bench_; }
  QVBoxLayout* body() const { return body_; }
  QHBoxLayout* header() const { return header_; }  // beside the title, right-aligned
  void set_subtitle(const QString& text);
  // Returns what the run that the window looks at means for the page, said before the subtitle; empty: nothing.
  virtual QString run_words(const QString& name) const;
  static QString only_run_words(const QString& name);  // of a page that shows that run alone
  // Makes Run (F5) press this button of the page.
  void run_by(QAbstractButton* button);
  // Adds a command to this page; it is enabled while `widget` is.
  void offer(const QString& text, const QKeySequence& shortcut, const QWidget* widget, std::function<void()> run);
  QStringList known_subjects() const;      // that can be named: built-in ones and those chosen last
  bool opens(const QString& model) const;  // whether another page could: the file of a stored name may not be known here
  // Gives the marks of a widget a context menu: by the right button, the menu key and the menu bar. `chosen` returns what the
  // chosen mark stands for.
  void hand_over_from(QWidget* marks, std::function<Handed()> chosen);
  // Calls tell(reason) when the database cannot be opened, at once when that is already known: the page is unusable then.
  void when_unopened(const std::function<void(const QString& reason)>& tell);
  void explain_when_unopened(EmptyState* state);

  // Restores a layout now and stores it in save_layout().
  void remember(QSplitter* splitter, const QString& name);
  // `grows`: columns come while it is looked at, and the user's widths stay then.
  void remember(TableView* table, const QString& name, bool grows = false);

  // Calls `refresh` now where the page is shown, else once, when it is shown next: a hidden page takes no time from a job.
  void refresh_when_shown(std::function<void()> refresh);

  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  PageId id_;
  Workbench bench_;
  QVBoxLayout* body_;
  QHBoxLayout* header_;
  std::vector<WayOn> ways_on_from_chosen() const;
  void copy_command(const std::string& command);

  void show_subtitle();

  QLabel* subtitle_;
  QString said_, run_name_;  // in the subtitle
  QAbstractButton* run_button_ = nullptr;
  std::function<void()> missed_refresh_;
  std::vector<std::function<void()>> savers_;
  struct Marks {
    QWidget* widget;
    std::function<Handed()> chosen;
  };
  std::vector<Marks> marks_;
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
