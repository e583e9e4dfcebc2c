// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>

#include "app/engine/profile/profile_subject.h"
#include "app/gui/pages/page.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTextBrowser;

namespace fuselab::gui {

class RefusedModel;
class CodeView;
class PlotPanel;
class SpanModel;
class WordTableModel;

// Why a plan is as fast as it is: the verdict with its evidence, where the plan stands between the levels of the roofline, its
// loops, its kernels, its counters, source and machine code side by side, what fusion saved, and the profile that was shown before
// it beside it. Profiles in the background, one at a time, and never while a job measures.
class ProfilePage : public Page {
  Q_OBJECT

 public:
  explicit ProfilePage(Workbench bench, QWidget* parent = nullptr);
  ~ProfilePage() override;
  // "trial:ID" profiles a stored trial, "choose:SUBJECT" chooses a subject alone; anything else is a subject to profile.
  void go_to(const QString& key) override;
  void take_model(const ModelChoice& choice) override;
  void take_scope(const WorkScope& scope) override;
  void receive(const Handed& handed) override;
  std::string own_command() const override;
  // Shows a profile that was made elsewhere, with the timeline of its making, if any.
  void show_profile(engine::ProfileView view, std::shared_ptr<TraceRecorder> trace);

 private:
  void build_header();
  void build_body();
  TableView* add_words(const QString& title, const char* name, WordTableModel*& model);
  void fill_devices();
  void fill_pieces();
  void choose_piece(const QString& key, const QString& name);
  void show_price();
  engine::ProfileSpec spec() const;  // as the fields say; the configuration of a target apart
  Handed shown_plan() const;
  void profile();
  void take(Result<engine::ProfileView> made);
  void show_view(const engine::ProfileView& view);
  void show_device(const Profile& profile);
  void export_json();
  void export_timeline();
  void update_buttons();

  std::shared_ptr<const engine::ProfileView> shown_, before_;  // and the one shown before it
  std::shared_ptr<TraceRecorder> trace_;                       // of the profile that is shown or made
  std::stop_source stop_;
  QString trial_;          // its id, in the place of a subject
  QString scope_dtype_;    // of the bar
  QString dtype_, level_;  // of the subject, as it was handed over; empty: as the window and the engine say
  bool busy_ = false;

  QComboBox* subject_ = nullptr;
  RefusedModel* refused_ = nullptr;
  QLineEdit* binding_ = nullptr;
  QLineEdit* config_ = nullptr;  // for a target alone
  QComboBox* device_ = nullptr;
  QComboBox* piece_ = nullptr;  // by their keys; empty: the slowest
  QPushButton* start_ = nullptr;
  QPushButton* cancel_ = nullptr;
  QPushButton* save_ = nullptr;
  QPushButton* save_timeline_ = nullptr;
  EmptyState* empty_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  QLabel* line_ = nullptr;
  QTextBrowser* verdict_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  PlotPanel* roofline_ = nullptr;
  PlotPanel* sweep_ = nullptr;
  PlotPanel* timeline_ = nullptr;
  PlotPanel* device_lanes_ = nullptr;
  PlotPanel* series_ = nullptr;
  QSplitter* device_page_ = nullptr;
  WordTableModel* standing_ = nullptr;
  WordTableModel* loops_ = nullptr;
  WordTableModel* counters_ = nullptr;
  WordTableModel* split_ = nullptr;
  WordTableModel* kernels_ = nullptr;
  WordTableModel* beside_ = nullptr;
  WordTableModel* traced_ = nullptr;
  WordTableModel* stalls_ = nullptr;
  TableView* kernels_table_ = nullptr;
  TableView* beside_table_ = nullptr;
  TableView* traced_table_ = nullptr;
  TableView* stalls_table_ = nullptr;
  CodeView* code_ = nullptr;
  SpanModel* spans_ = nullptr;
};

}  // namespace fuselab::gui
