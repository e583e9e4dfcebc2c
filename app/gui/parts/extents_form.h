// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

#include "app/views/model_facts.h"
#include "core/types/shape.h"

class QGridLayout;
class QLabel;
class QPushButton;
class QSpinBox;

namespace fuselab::gui {

// Asks for the extents that a model's inputs leave open, each with a proposal.
class ExtentsForm : public QWidget {
  Q_OBJECT

 public:
  // Asks for the first open extents of a model that has more, then for the next: a longer form would not be filled in.
  static constexpr std::size_t kMostAsked = 40;

  explicit ExtentsForm(QWidget* parent = nullptr);
  // `known`: extents that the model was shown with before; others get a usual one.
  void ask(const QString& model, const std::vector<engine::OpenExtent>& open, const Bindings& known);
  QString binding() const;  // "batch=1,seq=128": what the fields say

 signals:
  void answered(const QString& binding);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QLabel* title_;
  QLabel* hint_;
  QWidget* fields_ = nullptr;
  QGridLayout* rows_ = nullptr;
  QPushButton* show_;
  std::vector<std::pair<QString, QSpinBox*>> extents_;
};

}  // namespace fuselab::gui
