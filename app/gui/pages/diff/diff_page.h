// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "app/engine/compare/runs/run_list.h"
#include "app/gui/models/diff_model.h"
#include "app/gui/pages/page.h"

class QComboBox;
class QSortFilterProxyModel;
class QStackedWidget;

namespace fuselab::gui {

class PlotPanel;

// The page that compares two runs, of this database or of other files: the kernels that became slower, beside those that cannot
// have.
class DiffPage : public Page {
  Q_OBJECT

 public:
  explicit DiffPage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // the id of the run after
  void receive(const Handed& handed) override { go_to(handed.run); }
  void take_scope(const WorkScope& scope) override;
  std::string own_command() const override;  // empty where a run is of another database

 protected:
  QString run_words(const QString& /*name*/) const override { return {}; }  // the boxes say which runs

 private:
  // A run that can be chosen, and where it is stored.
  struct Choice {
    std::shared_ptr<ResultQueries> other;  // nullptr: the window's own database
    QString file;                          // of the other database
    engine::ListedRun listed;
    const RunRecord& run() const { return listed.run; }
  };

  void build_header();
  void build_body();
  QComboBox* make_choice(const QString& name, const QString& label);
  void ask_for_file();
  void add_file(const QString& file);
  void refresh_runs();  // of the window's own database
  QString run_text(const Choice& choice) const;
  void fill_choices();
  std::pair<int, int> usual_choice() const;  // (before, after)
  void swap();
  void load();
  void show_diff(RunDiffPtr diff);
  void show_problem(const QString& title, const QString& text);
  void show_row(int row);                           // of the proxy
  const Choice* shown(const QComboBox* box) const;  // nullptr: none
  Handed chosen_kernel() const;
  QString summary() const;

  DiffModel* model_;
  EnvironmentDiffModel* environment_;
  QSortFilterProxyModel* proxy_;
  std::vector<Choice> own_, others_, choices_;
  RunDiffPtr diff_;
  QString scope_run_;     // of the window, as it was taken
  std::string wanted_;    // id of the run after that go_to() asked for; empty: the usual one
  bool chosen_ = false;   // the user chose; the choice stays as long as both runs are there
  QString newest_file_;   // the file added last
  QString refused_file_;  // why the last one could not be added; empty: it was
  int asked_ = 0;         // number of the latest question; answers to earlier ones are dropped
  QComboBox *before_ = nullptr, *after_ = nullptr;
  TableView *table_ = nullptr, *environment_table_ = nullptr;
  PlotPanel *changes_ = nullptr, *samples_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
};

}  // namespace fuselab::gui
