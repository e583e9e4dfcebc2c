// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "app/gui/link/command.h"
#include "app/gui/link/engine_link.h"
#include "app/gui/link/job_bridge.h"
#include "app/gui/link/job_control.h"
#include "app/gui/link/settings.h"
#include "app/gui/link/snapshots.h"

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

// What every page works with; owned by the main window and outlives the pages.
struct Workbench {
  EngineLink& engine;
  JobBridge& job;
  JobControl& control;
  Snapshots& views;
  TrialQueueModel& trials;
  NoteModel& notes;
  Settings& settings;
  const std::vector<std::string>& subjects;  // what can be asked for by name: built-in models and workloads
  const QStringList& history_files;          // runs of the gate to open History on; empty: those of last time
  const QStringList& other_databases;        // whose runs Diff offers, too
};

// A page answers one question. It receives immutable snapshots and sends only intentions.
class Page : public QWidget {
  Q_OBJECT

 public:
  Page(PageId id, const QString& subtitle, Workbench bench, QWidget* parent = nullptr);

  PageId id() const { return id_; }
  // Brings one thing into view: a piece key on Compare, a trial on Results, a device on Devices.
  virtual void go_to(const QString& key);
  // What can be done here, by name: what was offered, and what the plots and the tables that are shown can do.
  std::vector<Command> commands() const;
  void save_layout();

 signals:
  void navigate(PageId page, const QString& key);

 protected:
  const Workbench& bench() const { return bench_; }
  QVBoxLayout* body() const { return body_; }
  QHBoxLayout* header() const { return header_; }  // beside the title, right-aligned
  void set_subtitle(const QString& text);
  // A command of this page; it can be used while `widget` can.
  void offer(const QString& text, const QKeySequence& shortcut, const QWidget* widget, std::function<void()> run);
  // tell(reason) once the database cannot be opened, at once when that is known: nothing of the page can be used then.
  void when_unopened(const std::function<void(const QString& reason)>& tell);
  void explain_when_unopened(EmptyState* state);

  // Restores a layout now and stores it in save_layout().
  void remember(QSplitter* splitter, const QString& name);
  void remember(TableView* table, const QString& name);
  static QSplitter* make_splitter(Qt::Orientation orientation, std::initializer_list<QWidget*> parts,
                                  std::initializer_list<int> sizes);

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

// What a page shows instead of an empty table: what is missing and the one thing to do next.
class EmptyState : public QWidget {
  Q_OBJECT

 public:
  EmptyState(const QString& title, const QString& text, QAction* action, QWidget* parent = nullptr);
  void set_text(const QString& title, const QString& text);
  void show_problem(const QString& title, const QString& text);  // nothing is to be done here: without the action

 private:
  QLabel* title_;
  QLabel* text_;
  QPushButton* button_ = nullptr;
};

}  // namespace fuselab::gui
