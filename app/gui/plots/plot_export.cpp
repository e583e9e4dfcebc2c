// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/plot_export.h"

#include <QApplication>
#include <QPainter>
#include <QSaveFile>
#include <cmath>

#include "app/gui/plots/plot_painter.h"
#include "app/gui/plots/svg_device.h"

namespace fuselab::gui {
namespace {

void paint_all(QPainter& painter, const PlotSpec& spec, const ThemeColors& colors, const QSize& size) {
  QRectF const area(QPointF(0, 0), QSizeF(size));
  painter.setFont(QApplication::font());
  paint_plot(painter, spec, layout_plot(spec, area, painter.font()), PlotState(), colors, area);
}

QString plain(double value) {
  return std::isfinite(value) ? QString::number(value, 'g', 12) : QString();
}

QString quoted(QString text) {
  return QLatin1Char('"') + text.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
}

Status write_file(const QString& file, const QByteArray& bytes) {
  QSaveFile out(file);
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit()) {
    return Error{ErrorCode::kIo, file.toStdString() + ": " + out.errorString().toStdString()};
  }
  return {};
}

}  // namespace

QImage plot_image(const PlotSpec& spec, const ThemeColors& colors, const QSize& size, double ratio) {
  QImage image(size * ratio, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio);
  image.fill(colors.surface);
  QPainter painter(&image);
  paint_all(painter, spec, colors, size);
  return image;
}

QString plot_svg(const PlotSpec& spec, const ThemeColors& colors, const QSize& size) {
  SvgDevice device(size, spec.title);
  QPainter painter(&device);
  paint_all(painter, spec, colors, size);
  painter.end();
  return device.document();
}

QString plot_csv(const PlotSpec& spec) {
  QString text = QStringLiteral("series,label,%1,%2,low,high\r\n").arg(quoted(spec.x.title), quoted(spec.y.title));
  for (const Series& series : spec.series) {
    for (const PlotPoint& point : series.points) {
      QString const x = spec.x.scale == Scale::kCategory ? quoted(value_text(spec.x, point.x)) : plain(point.x);
      text += QStringLiteral("%1,%2,%3,%4,%5,%6\r\n")
                  .arg(quoted(series.name), quoted(point.label), x, plain(point.y), plain(point.low), plain(point.high));
    }
  }
  return text;
}

Status save_plot(const PlotSpec& spec, const ThemeColors& colors, const QSize& size, const QString& file) {
  if (file.endsWith(QLatin1String(".csv"))) return write_file(file, plot_csv(spec).toUtf8());
  if (file.endsWith(QLatin1String(".svg"))) return write_file(file, plot_svg(spec, colors, size).toUtf8());
  if (!file.endsWith(QLatin1String(".png")))
    return invalid_argument(file.toStdString() + ": the name must end in .png, .svg or .csv");
  if (!plot_image(spec, colors, size, 2).save(file, "PNG"))
    return Error{ErrorCode::kIo, file.toStdString() + ": cannot be written"};
  return {};
}

}  // namespace fuselab::gui
