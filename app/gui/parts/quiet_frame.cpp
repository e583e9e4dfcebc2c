// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/quiet_frame.h"

#include <QEvent>

namespace fuselab::gui {

// Without a layout of its own it hears of its content's changes and does nothing.
QuietFrame::QuietFrame(QWidget* content, QWidget* parent) : QWidget(parent), content_(content) {
  content_->setParent(this);
  setSizePolicy(content_->sizePolicy());
}

void QuietFrame::resizeEvent(QResizeEvent* /*event*/) {
  content_->setGeometry(rect());
}

void QuietFrame::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) updateGeometry();
}

}  // namespace fuselab::gui
