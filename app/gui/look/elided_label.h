// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace fuselab::gui {

// One line of text that adapts to the width there is. When the text does not fit, its brief form is shown, if it has one; what
// still does not fit ends in "…", and the whole text is then the tooltip.
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
