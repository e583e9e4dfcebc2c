// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMainWindow>
#include <array>
#include <optional>

#include "app/gui/models/note_model.h"
#include "app/gui/models/trial_queue_model.h"
#include "app/gui/pages/page.h"

class QLabel;
class QListWidget;
class QProgressBar;
class QStackedWidget;

namespace fuselab::gui {

class CommandPalette;
class ModelBar;

// The main window: navigation, tool bar, status bar with the running job. Pages are built when first shown; the engine is opened
// after the first paint. Owns everything that the pages work with.
class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  struct Options {
    bool read_only = false;
    bool run = false;                   // start the default job as soon as the engine is open
    engine::JobSpec default_spec;       // of the main job
    QString database;                   // for the title
    engine::Config config;              // of the engine, for what is looked at without it
    std::vector<std::string> subjects;  // built-in models and workloads, by name
    QStringList history_files;          // as Workbench has them
    QStringList other_databases;
  };
  // In a smaller window the tables show too little of what they compare.
  static constexpr QSize kSmallest{960, 600}, kUsual{1280, 800};

  MainWindow(EngineFactory factory, Settings& settings, Options options);

  void show_page(PageId page, const QString& key = {});
  Page* page(PageId id);  // builds it when needed
  PageId current_page() const { return current_; }
  Workbench bench();
  void stop_and_close();  // asks nothing while a job runs
  // Returns whether nothing is being fetched and all that was fetched is shown; screenshots wait for it.
  bool is_settled() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void build_navigation();
  void build_tool_bar();
  void build_status_bar();
  void build_shortcuts();
  void build_menus();
  void hand_over(PageId page, const Handed& handed);
  void hand_model_over();  // to the page that is shown
  void hand_scope_over();
  void name_run();                          // on every page
  void check_model();                       // marks what the engine does not know of it
  void open_database(const QString& file);  // in a window of its own; empty: asks for one
  std::vector<Command> commands();          // of the window and of the page that is shown
  void set_theme(ThemeChoice choice);
  void show_progress(const engine::JobProgress& progress);
  void show_message(const QString& message, Tone tone);
  void show_stored();
  void follow_run();  // says what Run does on the page that is shown
  void press_run();
  void show_last_note();
  void end_wait();
  void job_ended(engine::JobState state, const QString& error);

  Settings& settings_;
  Options options_;
  EngineLink engine_;
  JobBridge job_;
  JobControl control_;
  Snapshots views_;
  RunList runs_;
  TrialQueueModel trials_;
  NoteModel notes_;
  CurrentModel model_;
  PageId current_ = PageId::kCompare;
  std::array<Page*, std::size(kAllPages)> pages_{};
  std::array<ModelChoice, std::size(kAllPages)> taken_{};  // by the pages
  std::array<WorkScope, std::size(kAllPages)> taken_scopes_{};
  QListWidget* navigation_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  CommandPalette* palette_ = nullptr;
  ModelBar* model_bar_ = nullptr;
  QList<QAction*> commands_;  // those of the window
  QList<QAction*> page_actions_, theme_actions_;
  QAction* palette_action_ = nullptr;
  QLabel* state_ = nullptr;
  QLabel* activity_ = nullptr;
  QLabel* note_ = nullptr;  // the last message of the job
  // The progress from before the job began to wait for another process; set while it waits.
  std::optional<engine::JobProgress> waiting_;
  QProgressBar* bar_ = nullptr;
  QLabel* counts_ = nullptr;
  bool closes_ = false;  // whatever runs
  bool painted_ = false;
  bool opened_ = false;
  bool shown_stored_ = false;  // said that all that is stored was read, or what went wrong
};

}  // namespace fuselab::gui
