// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <stop_token>

#include "app/deploy/verify/verify_bundle.h"
#include "app/gui/pages/page.h"

class QStackedWidget;

namespace fuselab::gui {

class BundleModel;
class ExportModel;
class VerifyModel;

inline constexpr int kPanelMargin = 8;  // pixels inside a tab

// What is in a bundle, and whether it still loads, matches and is as fast here.
class BundlePanel : public QWidget {
  Q_OBJECT

 public:
  explicit BundlePanel(const Workbench& bench, QWidget* parent = nullptr);
  ~BundlePanel() override;

  void open_bundle();  // asks for the file
  void open_folder();
  void inspect(const QString& file);
  bool verifying() const { return verifying_; }
  // Enables what may be done now. `busy`: an export or a job is running, which verifying would disturb.
  void update_buttons(bool busy);

  QPushButton* verify_button() const { return verify_; }
  TableView* pieces() const { return pieces_; }
  QSplitter* parts() const { return parts_; }

 signals:
  void chosen(const QString& file);  // by the user, to be shown
  void changed();                    // a bundle is open, or verifying has begun or ended

 private:
  QWidget* build_tables();
  void verify();
  void verified(const Result<deploy::VerifiedBundle>& done);

  Workbench bench_;
  BundleModel* facts_;
  ExportModel* bundle_pieces_;
  VerifyModel* verified_;
  std::stop_source stop_;
  bool verifying_ = false;
  QString shown_;  // the file of the bundle that is open
  QPushButton* verify_ = nullptr;
  QPushButton* cancel_ = nullptr;
  QLabel* line_ = nullptr;
  TableView* pieces_ = nullptr;
  TableView* verified_table_ = nullptr;
  QSplitter* parts_ = nullptr;
  QStackedWidget* stack_ = nullptr;
};

}  // namespace fuselab::gui
