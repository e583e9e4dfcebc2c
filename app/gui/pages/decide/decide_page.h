// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "app/gui/pages/decide/decide_model.h"
#include "app/gui/pages/page.h"

class QComboBox;
class QStackedWidget;
class QTabWidget;

namespace fuselab::gui {

class DefaultButton;
class PlotPanel;

// The page for the choice of a default backend: each device beside the best mix over all measured models, in one sentence, one
// table and one plot, with what each cannot run and how good the evidence is.
class DecidePage : public Page {
  Q_OBJECT

 public:
  explicit DecidePage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // a device id
  void receive(const Handed& handed) override { go_to(handed.device); }
  std::string own_command() const override;

 protected:
  QString run_words(const QString& name) const override { return only_run_words(name); }

 private:
  void build_header();
  void build_body();
  QWidget* build_crossover();
  void refresh();
  Handed chosen_cell() const;  // a device, and a model in its column
  void choose(int row);
  void ask_for_crossovers();  // once the tab is shown, and again when other figures are stored
  struct Read {
    std::shared_ptr<const Selector> selector;
    QString words;  // how well it chooses, or why there is none
  };
  void take_crossovers(Read read);
  void show_crossover();
  void explain_emptiness();

  DecideModel* model_;
  MissingModel* missing_;
  EvidenceModel* evidence_;
  std::shared_ptr<const Selector> selector_;
  std::vector<const CrossoverSeries*> series_;  // of the selector: those measured on two devices at two sizes or more
  bool crossovers_are_of_now_ = false;
  DefaultButton* default_ = nullptr;
  QPushButton* make_ = nullptr;
  QPushButton* export_ = nullptr;
  QLabel* sentence_ = nullptr;
  TableView* table_ = nullptr;
  PlotPanel* plot_ = nullptr;
  PlotPanel* crossover_ = nullptr;
  QComboBox* kinds_ = nullptr;
  QLabel* regret_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
};

}  // namespace fuselab::gui
