// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "app/gui/pages/gate/gate_model.h"
#include "app/gui/pages/page.h"

class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace fuselab::gui {

class PlotPanel;

// The page of one run of the gate: its cases and verdicts, the samples of each in run order, and the command that repeats it. A
// record of CI is opened, or a check is run here.
class GatePage : public Page {
  Q_OBJECT

 public:
  explicit GatePage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;   // a case's name, or a file to open
  std::string own_command() const override;  // of the last run, else of the chosen case

  void open_record(const QString& file);
  // Runs the gate of a fuselab.toml, with the baseline that the file names; or keeps today's kernels in that baseline.
  void run_check(const QString& config);
  void save_baseline(const QString& config);

 private:
  void build_header();
  void build_body();
  QPushButton* add_button(const QString& name, const QString& text, const QString& tip, void (GatePage::*act)());
  void ask_for_record();
  void ask_for_check();
  void ask_for_baseline();
  void cancel();
  QString ask_for_config(const QString& title);
  void set_busy(bool busy, const QString& what);
  void take(const QString& name, Result<CheckReport> loaded);
  void show_case(int row);
  Handed chosen_case() const;

  GateModel* model_;
  QPushButton *open_ = nullptr, *check_ = nullptr, *save_ = nullptr, *cancel_ = nullptr;
  TableView* table_ = nullptr;
  PlotPanel* plot_ = nullptr;
  QPlainTextEdit* facts_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
  std::stop_source stop_;
};

}  // namespace fuselab::gui
