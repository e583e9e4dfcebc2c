// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace fuselab::gui {

// One line of text that takes the room there is. When that is too little, its brief form stands for it, if it has one, and what
// still does not fit ends in "…"; the whole text is its tooltip then.
class ElidedLabel : public QLabel {
 public:
  explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);

  void set_brief(const QString& text) { brief_ = text; }  // before setText()
  QString shown_text() const;                             // as painted
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QString brief_;
};

}  // namespace fuselab::gui
