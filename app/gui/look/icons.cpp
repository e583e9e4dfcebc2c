// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/icons.h"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>

namespace fuselab::gui {
namespace {

// All glyphs are drawn on a 24 × 24 grid.
void draw_devices(QPainter& p) {
  p.drawRoundedRect(QRectF(6, 6, 12, 12), 2, 2);
  p.drawRect(QRectF(10, 10, 4, 4));
  for (double at : {9.0, 12.0, 15.0}) {
    p.drawLine(QPointF(at, 2.5), QPointF(at, 6));
    p.drawLine(QPointF(at, 18), QPointF(at, 21.5));
    p.drawLine(QPointF(2.5, at), QPointF(6, at));
    p.drawLine(QPointF(18, at), QPointF(21.5, at));
  }
}

void draw_models(QPainter& p) {
  p.drawRoundedRect(QRectF(8.5, 3, 7, 5), 1.5, 1.5);
  p.drawRoundedRect(QRectF(3, 16, 7, 5), 1.5, 1.5);
  p.drawRoundedRect(QRectF(14, 16, 7, 5), 1.5, 1.5);
  p.drawPolyline(QPolygonF({{6.5, 16}, {6.5, 12}, {17.5, 12}, {17.5, 16}}));
  p.drawLine(QPointF(12, 8), QPointF(12, 12));
}

void draw_tuning(QPainter& p) {
  for (double y : {6.0, 12.0, 18.0}) p.drawLine(QPointF(3, y), QPointF(21, y));
  p.setBrush(p.pen().color());
  p.drawEllipse(QPointF(15, 6), 2.2, 2.2);
  p.drawEllipse(QPointF(8, 12), 2.2, 2.2);
  p.drawEllipse(QPointF(17, 18), 2.2, 2.2);
}

void draw_compare(QPainter& p) {
  p.drawLine(QPointF(3, 21), QPointF(21, 21));
  p.setBrush(p.pen().color());
  p.drawRect(QRectF(5, 5, 3.5, 13));
  p.setBrush(Qt::NoBrush);
  p.drawRect(QRectF(10.5, 10, 3.5, 8));
  p.drawRect(QRectF(16, 13, 3.5, 5));
}

void draw_results(QPainter& p) {
  p.drawRoundedRect(QRectF(3, 4, 18, 16), 2, 2);
  p.drawLine(QPointF(3, 9), QPointF(21, 9));
  p.drawLine(QPointF(3, 14.5), QPointF(21, 14.5));
  p.drawLine(QPointF(10, 9), QPointF(10, 20));
}

// One bar before, a shorter one after.
void draw_diff(QPainter& p) {
  p.drawRect(QRectF(4, 5, 5, 15));
  p.drawRect(QRectF(15, 11, 5, 9));
  p.drawLine(QPointF(11, 6), QPointF(20, 6));
  p.drawPolyline(QPolygonF({{17, 3}, {20, 6}, {17, 9}}));
}

// A level, and the next one.
void draw_history(QPainter& p) {
  p.drawLine(QPointF(3, 21), QPointF(21, 21));
  p.drawPolyline(QPolygonF({{3, 16}, {12, 16}, {12, 8}, {21, 8}}));
  p.setBrush(p.pen().color());
  for (const QPointF& at : {QPointF(6, 13), QPointF(9, 17.5), QPointF(15, 5.5), QPointF(18, 10)}) p.drawEllipse(at, 0.9, 0.9);
}

// A box that something leaves.
void draw_export(QPainter& p) {
  p.drawPolyline(QPolygonF({{8, 9}, {4, 9}, {4, 21}, {20, 21}, {20, 9}, {16, 9}}));
  p.drawLine(QPointF(12, 3), QPointF(12, 15));
  p.drawPolyline(QPolygonF({{8, 7}, {12, 3}, {16, 7}}));
}

// A roof, and a dot below it.
void draw_profile(QPainter& p) {
  p.drawPolyline(QPolygonF({{3, 18}, {12, 7}, {21, 7}}));
  p.setBrush(p.pen().color());
  p.drawEllipse(QPointF(14, 13), 2, 2);
}

void draw_program(QPainter& p) {
  // Two streams that become one.
  QPainterPath path;
  path.moveTo(3, 5);
  path.cubicTo(11, 5, 9, 12, 21, 12);
  path.moveTo(3, 19);
  path.cubicTo(11, 19, 9, 12, 21, 12);
  QPen pen = p.pen();
  pen.setWidthF(3);
  pen.setColor(QColor(0x3d8bf2));
  p.setPen(pen);
  p.drawPath(path);
}

void draw(QPainter& p, Glyph glyph) {
  switch (glyph) {
    case Glyph::kDevices: return draw_devices(p);
    case Glyph::kModels: return draw_models(p);
    case Glyph::kTuning: return draw_tuning(p);
    case Glyph::kCompare: return draw_compare(p);
    case Glyph::kResults: return draw_results(p);
    case Glyph::kDiff: return draw_diff(p);
    case Glyph::kHistory: return draw_history(p);
    case Glyph::kExport: return draw_export(p);
    case Glyph::kProfile: return draw_profile(p);
    case Glyph::kProgram: return draw_program(p);
    case Glyph::kRun:
      p.setBrush(p.pen().color());
      p.drawPolygon(QPolygonF({{7, 4}, {20, 12}, {7, 20}}));
      return;
    case Glyph::kPause:
      p.setBrush(p.pen().color());
      p.drawRect(QRectF(6, 4, 4, 16));
      p.drawRect(QRectF(14, 4, 4, 16));
      return;
    case Glyph::kStop:
      p.setBrush(p.pen().color());
      p.drawRoundedRect(QRectF(5, 5, 14, 14), 1, 1);
      return;
  }
}

class GlyphEngine : public QIconEngine {
 public:
  explicit GlyphEngine(Glyph glyph) : glyph_(glyph) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State /*state*/) override {
    const QPalette palette = QApplication::palette();
    QColor color = palette.color(mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active, QPalette::WindowText);
    if (mode == QIcon::Selected) color = palette.color(QPalette::HighlightedText);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(rect.topLeft());
    painter->scale(rect.width() / 24.0, rect.height() / 24.0);
    painter->setPen(QPen(color, 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    draw(*painter, glyph_);
    painter->restore();
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    return pixmap;
  }

  QIconEngine* clone() const override { return new GlyphEngine(glyph_); }

 private:
  Glyph glyph_;
};

}  // namespace

QIcon icon(Glyph glyph) {
  return QIcon(new GlyphEngine(glyph));
}

}  // namespace fuselab::gui
