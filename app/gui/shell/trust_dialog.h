// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>

#include "app/engine/maintenance.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace fuselab::gui {

// Whose signed binaries are accepted here: the user's own key, the trusted ones, and a field for another one.
class TrustDialog : public QDialog {
  Q_OBJECT

 public:
  TrustDialog(engine::Config config, QWidget* parent);

 signals:
  void trusted();  // another key is accepted from now on

 private:
  void show_keys();
  void add();

  engine::Config config_;
  QLineEdit* own_;
  QPlainTextEdit* known_;
  QLineEdit* key_;
  QLabel* answer_;
};

}  // namespace fuselab::gui
