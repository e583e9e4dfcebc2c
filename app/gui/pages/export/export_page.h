// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <utility>
#include <vector>

#include "app/deploy/export_preview.h"
#include "app/deploy/verify/verify_bundle.h"
#include "app/gui/pages/page.h"
#include "core/kernel/drawback.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QStackedWidget;
class QTabWidget;

namespace fuselab::gui {

class BundleModel;
class ExportModel;
class VerifyModel;

// The page of what goes out to production: how each piece of a model would be exported, what is missing and why, what leaving
// libraries behind costs; it writes the bundle, shows what is in one, and verifies that it still loads, matches and is as fast
// here.
class ExportPage : public Page {
  Q_OBJECT

 public:
  explicit ExportPage(Workbench bench, QWidget* parent = nullptr);
  ~ExportPage() override;
  void go_to(const QString& key) override;  // a subject, or the file of a bundle

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void build_header();
  void build_body();
  QWidget* build_outgoing();
  QWidget* build_options();
  QWidget* build_accepted();
  QWidget* build_target();
  QWidget* build_bundle();
  deploy::ExportSpec spec() const;
  void load();
  void take(Result<std::vector<deploy::ExportPreview>> previews);
  void propose_file();
  void choose_file();
  deploy::ExportFormat format() const;
  void write();
  void written(Result<deploy::ExportedBundle> done, bool was_header);
  void open_bundle();
  void open_folder();
  void show_bundle(const QString& file);
  void inspect(const QString& file);
  void verify();
  void verified(const Result<deploy::VerifiedBundle>& done);
  void update_buttons();

  ExportModel* pieces_;
  ExportModel* bundle_pieces_;
  BundleModel* bundle_;
  VerifyModel* verified_;
  std::stop_source stop_;
  bool exporting_ = false;
  bool verifying_ = false;
  QString shown_;      // the file of the bundle that is open
  bool stale_ = true;  // what is stored has changed since the preview was asked for
  int asked_ = 0;      // previews
  QString refused_;    // why the options let nothing out
  QString proposed_;   // file

  QComboBox* subject_ = nullptr;
  QLineEdit* binding_ = nullptr;
  QComboBox* level_ = nullptr;
  QComboBox* dtype_ = nullptr;
  QComboBox* format_ = nullptr;
  std::vector<std::pair<Drawback, QCheckBox*>> accepted_;
  QCheckBox* unconfirmed_ = nullptr;
  QCheckBox* complete_ = nullptr;
  QCheckBox* invent_ = nullptr;
  QCheckBox* baselines_ = nullptr;
  QDoubleSpinBox* loss_ = nullptr;
  QLineEdit* file_ = nullptr;
  QPushButton* export_ = nullptr;
  QPushButton* cancel_ = nullptr;
  QPushButton* verify_ = nullptr;
  QPushButton* stop_verifying_ = nullptr;
  QLabel* loss_line_ = nullptr;
  QLabel* line_ = nullptr;
  QLabel* bundle_line_ = nullptr;
  TableView* table_ = nullptr;
  TableView* verified_table_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QStackedWidget* bundle_stack_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
};

}  // namespace fuselab::gui
