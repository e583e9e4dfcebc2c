// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>

#include "app/gui/pages/page.h"
#include "core/store/result_store.h"

class QCheckBox;
class QComboBox;
class QPushButton;
class QStackedWidget;

namespace fuselab::gui {

class ResultModel;
class TrialDetail;

// The page of every stored trial, losers included: filter them, page through them, look into one.
class ResultsPage : public Page {
  Q_OBJECT

 public:
  explicit ResultsPage(Workbench bench, QWidget* parent = nullptr);
  void go_to(const QString& key) override;  // a piece key, which becomes the filter

  void receive(const Handed& handed) override;
  void take_scope(const WorkScope& scope) override;

  ResultModel* model() const { return model_; }

 protected:
  QString run_words(const QString& name) const override { return only_run_words(name); }

 private:
  int place_of_run() const;  // of the window's run among the filters
  QComboBox* make_filter(const QString& name, const QString& label, const QString& all);
  void build_filters();
  void build_body();
  void fill_filters();  // from the catalogue
  void fill_pieces();
  const CatalogWords::Model* chosen_model() const;
  TrialFilter filter() const;
  bool filtered() const;
  Handed chosen_trial() const;
  void clear_filters();
  void build_orders();
  TrialOrder order() const;
  void sort_by(int column);
  void show_order();
  void ask_for_outcomes();
  void fill_outcomes(const std::vector<std::pair<std::string, std::int64_t>>& counts);
  void build_columns();
  void show_columns();
  void columns_chosen();
  void run_query();
  void news_arrived();
  void counted(qint64 rows);
  void explain_emptiness();

  ResultModel* model_;
  QTimer news_timer_;
  QComboBox *model_box_ = nullptr, *piece_ = nullptr, *mode_ = nullptr, *device_ = nullptr, *backend_ = nullptr, *kind_ = nullptr,
            *outcome_ = nullptr, *run_ = nullptr, *order_ = nullptr;
  QCheckBox* synthetic_ = nullptr;
  QPushButton* clear_ = nullptr;
  QPushButton* columns_ = nullptr;
  QStringList turned_columns_;    // titles of those that the user hid, or showed where they are hidden otherwise
  int outcomes_asked_ = 0;        // older answers do not count
  QPushButton* fresh_ = nullptr;  // "New trials": shown when the view is scrolled and must not jump
  TableView* table_ = nullptr;
  TrialDetail* detail_ = nullptr;
  QString wanted_trial_;  // that was handed over: shown once its piece's trials are counted
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
};

}  // namespace fuselab::gui
