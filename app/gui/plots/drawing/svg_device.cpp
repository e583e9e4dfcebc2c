// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/drawing/svg_device.h"

#include <QBuffer>
#include <QImage>
#include <QPaintEngine>
#include <QPainterPath>
#include <QStringList>

namespace fuselab::gui {
namespace {

constexpr int kDotsPerInch = 96;

QString number(double value) {
  return QString::number(value, 'f', 2);
}

QString path_data(const QPainterPath& path) {
  QStringList parts;
  for (int i = 0; i < path.elementCount(); ++i) {
    const QPainterPath::Element& element = path.elementAt(i);
    const char* const letter = element.isMoveTo()                             ? "M"
                               : element.isLineTo()                           ? "L"
                               : element.type == QPainterPath::CurveToElement ? "C"
                                                                              : "";
    parts << QLatin1String(letter) + number(element.x) + QLatin1Char(' ') + number(element.y);
  }
  return parts.join(QLatin1Char(' '));
}

QString dash_array(const QPen& pen) {
  if (pen.style() == Qt::SolidLine) return {};
  QStringList lengths;
  for (double length : pen.dashPattern()) lengths << number(length * std::max(1.0, pen.widthF()));
  return QStringLiteral(" stroke-dasharray=\"%1\"").arg(lengths.join(QLatin1Char(',')));
}

}  // namespace

// Qt hands over everything that is not listed in the features as paths; the state is written with every element.
class SvgPaintEngine : public QPaintEngine {
 public:
  SvgPaintEngine()
      : QPaintEngine(PainterPaths | AlphaBlend | PrimitiveTransform | PixmapTransform | Antialiasing | ConstantOpacity) {}

  bool begin(QPaintDevice* /*device*/) override {
    body_.clear();
    clips_ = 0;
    clip_.clear();
    return true;
  }
  bool end() override { return true; }
  Type type() const override { return User; }
  const QString& body() const { return body_; }

  void updateState(const QPaintEngineState& now) override {
    if (now.state() & (DirtyClipPath | DirtyClipRegion | DirtyClipEnabled)) update_clip(now);
  }

  void drawPath(const QPainterPath& path) override {
    const QString rule = path.fillRule() == Qt::OddEvenFill ? QStringLiteral(" fill-rule=\"evenodd\"") : QString();
    write(QStringLiteral("<path d=\"%1\"%2%3%4/>").arg(path_data(path), rule, pen_attributes(), fill_attributes()));
  }

  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
    if (count < 1) return;
    QPainterPath path(points[0]);
    for (int i = 1; i < count; ++i) path.lineTo(points[i]);
    const bool open = mode == PolylineMode;
    if (!open) path.closeSubpath();
    const QString fill = open ? QStringLiteral(" fill=\"none\"") : fill_attributes();
    write(QStringLiteral("<path d=\"%1\"%2%3/>").arg(path_data(path), pen_attributes(), fill));
  }

  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    const QFont font = item.font();
    const double pixels = font.pixelSize() > 0 ? font.pixelSize() : font.pointSizeF() * kDotsPerInch / 72.0;
    write(QStringLiteral("<text x=\"%1\" y=\"%2\" font-family=\"%3\" font-size=\"%4\" font-weight=\"%5\" fill=\"%6\" "
                         "textLength=\"%7\">%8</text>")
              .arg(number(at.x()), number(at.y()), font.family().toHtmlEscaped(), number(pixels), QString::number(font.weight()),
                   state->pen().color().name(), number(item.width()), item.text().toHtmlEscaped()));
  }

  void drawPixmap(const QRectF& target, const QPixmap& pixmap, const QRectF& source) override {
    drawImage(target, pixmap.toImage(), source, Qt::AutoColor);
  }

  void drawImage(const QRectF& target, const QImage& image, const QRectF& source, Qt::ImageConversionFlags /*flags*/) override {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.copy(source.toRect()).save(&buffer, "PNG");
    write(QStringLiteral("<image x=\"%1\" y=\"%2\" width=\"%3\" height=\"%4\" href=\"data:image/png;base64,%5\"/>")
              .arg(number(target.x()), number(target.y()), number(target.width()), number(target.height()),
                   QString::fromLatin1(bytes.toBase64())));
  }

 private:
  void write(const QString& element) {
    const QTransform t = state->transform();
    const QString matrix = t.isIdentity() ? QString()
                                          : QStringLiteral(" transform=\"matrix(%1 %2 %3 %4 %5 %6)\"")
                                                .arg(t.m11())
                                                .arg(t.m12())
                                                .arg(t.m21())
                                                .arg(t.m22())
                                                .arg(t.dx())
                                                .arg(t.dy());
    const QString clip = clip_.isEmpty() ? QString() : QStringLiteral(" clip-path=\"url(#%1)\"").arg(clip_);
    body_ += QStringLiteral("<g%1><g%2>%3</g></g>\n").arg(clip, matrix, element);
  }

  QString pen_attributes() const {
    const QPen pen = state->pen();
    if (pen.style() == Qt::NoPen) return QStringLiteral(" stroke=\"none\"");
    return QStringLiteral(" stroke=\"%1\" stroke-opacity=\"%2\" stroke-width=\"%3\"%4")
        .arg(pen.color().name(), number(pen.color().alphaF()), number(std::max(1.0, pen.widthF())), dash_array(pen));
  }

  QString fill_attributes() const {
    const QBrush brush = state->brush();
    if (brush.style() == Qt::NoBrush) return QStringLiteral(" fill=\"none\"");
    return QStringLiteral(" fill=\"%1\" fill-opacity=\"%2\"").arg(brush.color().name(), number(brush.color().alphaF()));
  }

  void update_clip(const QPaintEngineState& now) {
    clip_.clear();
    QPainterPath path;
    if (now.painter() == nullptr || !now.painter()->hasClipping()) return;
    path = now.painter()->clipPath();
    if (path.isEmpty()) return;
    clip_ = QStringLiteral("clip%1").arg(++clips_);
    body_ += QStringLiteral("<clipPath id=\"%1\"><path d=\"%2\"/></clipPath>\n")
                 .arg(clip_, path_data(now.painter()->transform().map(path)));
  }

  QString body_;
  QString clip_;
  int clips_ = 0;
};

SvgDevice::SvgDevice(const QSize& size, const QString& title)
    : size_(size), title_(title), engine_(std::make_unique<SvgPaintEngine>()) {}

SvgDevice::~SvgDevice() = default;

QPaintEngine* SvgDevice::paintEngine() const {
  return engine_.get();
}

QString SvgDevice::document() const {
  return QStringLiteral(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" height=\"%2\" "
             "viewBox=\"0 0 %1 %2\">\n<title>%3</title>\n%4</svg>\n")
      .arg(size_.width())
      .arg(size_.height())
      .arg(title_.toHtmlEscaped(), engine_->body());
}

int SvgDevice::metric(PaintDeviceMetric metric) const {
  switch (metric) {
    case PdmWidth: return size_.width();
    case PdmHeight: return size_.height();
    case PdmWidthMM: return size_.width() * 254 / kDotsPerInch / 10;
    case PdmHeightMM: return size_.height() * 254 / kDotsPerInch / 10;
    case PdmDepth: return 32;
    case PdmNumColors: return 1 << 24;
    case PdmDpiX:
    case PdmDpiY:
    case PdmPhysicalDpiX:
    case PdmPhysicalDpiY: return kDotsPerInch;
    case PdmDevicePixelRatio: return 1;
    case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
    default: return 0;
  }
}

}  // namespace fuselab::gui
