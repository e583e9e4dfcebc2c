// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace fuselab::gui {

// One line of text that takes the room there is and ends in "…" when that is too little; the whole of it is its tooltip then.
class ElidedLabel : public QLabel {
 public:
  explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);

  QString shown_text() const;  // as painted
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;
};

}  // namespace fuselab::gui
