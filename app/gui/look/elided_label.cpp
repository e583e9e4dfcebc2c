// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace fuselab::gui {

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent) : QLabel(text, parent) {
  setTextFormat(Qt::PlainText);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a long name must not push its neighbours away
}

QString ElidedLabel::shown_text() const {
  const int room = contentsRect().width() - 2 * margin();
  const bool whole = brief_.isEmpty() || fontMetrics().horizontalAdvance(text()) <= room;
  return fontMetrics().elidedText(whole ? text() : brief_, Qt::ElideRight, room);
}

QSize ElidedLabel::minimumSizeHint() const {
  return {0, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(contentsRect().adjusted(margin(), 0, -margin(), 0), static_cast<int>(alignment()) | Qt::TextSingleLine,
                   shown_text());
}

bool ElidedLabel::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !toolTip().isEmpty()) return QLabel::event(event);
  if (shown_text() != text()) QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
  return true;
}

}  // namespace fuselab::gui
