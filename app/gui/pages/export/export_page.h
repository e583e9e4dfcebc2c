// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "app/deploy/export_preview.h"
#include "app/gui/pages/page.h"

class QComboBox;
class QLineEdit;
class QStackedWidget;
class QTabWidget;

namespace fuselab::gui {

class RefusedField;
class RefusedModel;
class BundlePanel;
class ExportModel;
class ExportOptions;

// The page of what goes out to production: how each piece of a model would be exported, what is missing and why, what leaving
// libraries behind costs; it writes the bundle, shows what is in one, and verifies that it still loads, matches and is as fast
// here.
class ExportPage : public Page {
  Q_OBJECT

 public:
  explicit ExportPage(Workbench bench, QWidget* parent = nullptr);
  ~ExportPage() override;
  void go_to(const QString& key) override;  // a subject, or the file of a bundle
  void take_model(const ModelChoice& choice) override;
  void take_scope(const WorkScope& scope) override;
  void receive(const Handed& handed) override;
  std::string own_command() const override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void build_header();
  void build_body();
  QWidget* build_outgoing();
  QWidget* build_target();
  deploy::ExportSpec spec() const;
  Handed chosen_piece() const;
  void load();
  QString named() const;
  bool is_pending() const;  // the fields hold something else than the figures are of
  void fields_edited();
  bool is_about_file(const QString& reason) const;
  void take(Result<std::vector<deploy::ExportPreview>> previews);
  void propose_file();
  void choose_file();
  deploy::ExportFormat format() const;
  void write();
  void written(Result<deploy::ExportedBundle> done, bool was_header);
  void show_bundle(const QString& file);
  void update_buttons();

  ExportModel* pieces_;
  BundlePanel* bundle_;
  std::stop_source stop_;
  bool exporting_ = false;
  bool stale_ = true;  // what is stored has changed since the preview was asked for
  int asked_ = 0;      // previews
  QString asked_for_;  // what the figures are of
  QString refused_;    // why the options let nothing out
  QString proposed_;   // file

  QComboBox* subject_ = nullptr;
  RefusedModel* fields_ = nullptr;
  QLineEdit* binding_ = nullptr;
  QComboBox* level_ = nullptr;
  QComboBox* dtype_ = nullptr;
  QComboBox* format_ = nullptr;
  ExportOptions* options_ = nullptr;
  QLineEdit* file_ = nullptr;
  RefusedField* refused_file_ = nullptr;
  QPushButton* export_ = nullptr;
  QPushButton* cancel_ = nullptr;
  QLabel* loss_line_ = nullptr;
  QLabel* line_ = nullptr;
  TableView* table_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  EmptyState* empty_ = nullptr;
};

}  // namespace fuselab::gui
