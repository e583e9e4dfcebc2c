// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/drawing/plot_export.h"

#include <QApplication>
#include <QGraphicsScene>
#include <QGraphicsView>
#include <QPainter>
#include <QSaveFile>
#include <cmath>
#include <functional>

#include "app/gui/plots/drawing/plot_painter.h"
#include "app/gui/plots/drawing/svg_device.h"

namespace fuselab::gui {
namespace {

void paint_all(QPainter& painter, const PlotSpec& spec, const ThemeColors& colors, const QSize& size) {
  const QRectF area(QPointF(0, 0), QSizeF(size));
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
      const QString x = spec.x.scale == Scale::kCategory ? quoted(value_text(spec.x, point.x)) : plain(point.x);
      text += QStringLiteral("%1,%2,%3,%4,%5,%6\r\n")
                  .arg(quoted(series.name), quoted(point.label), x, plain(point.y), plain(point.low), plain(point.high));
    }
  }
  return text;
}

QImage chart_image(QGraphicsView& chart, double ratio) {
  QImage image(chart.size() * ratio, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio);
  image.fill(colors_for(&chart).surface);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF area(QPointF(0, 0), QSizeF(chart.size()));
  chart.scene()->render(&painter, area, chart.sceneRect());
  return image;
}

QString chart_svg(QGraphicsView& chart, const QString& title) {
  SvgDevice device(chart.size(), title);
  QPainter painter(&device);
  chart.scene()->render(&painter, QRectF(QPointF(0, 0), QSizeF(chart.size())), chart.sceneRect());
  painter.end();
  return device.document();
}

namespace {

// The one place that knows the endings.
Status save_as(const QString& file, const std::function<QImage()>& image, const std::function<QString()>& svg,
               const std::function<QString()>& csv) {
  if (file.endsWith(QLatin1String(".csv"))) return write_file(file, csv().toUtf8());
  if (file.endsWith(QLatin1String(".svg"))) return write_file(file, svg().toUtf8());
  if (!file.endsWith(QLatin1String(".png")))
    return invalid_argument(file.toStdString() + ": the name must end in .png, .svg or .csv");
  if (!image().save(file, "PNG")) return Error{ErrorCode::kIo, file.toStdString() + ": cannot be written"};
  return {};
}

}  // namespace

Status save_plot(const PlotSpec& spec, const ThemeColors& colors, const QSize& size, const QString& file) {
  return save_as(
      file, [&] { return plot_image(spec, colors, size, 2); }, [&] { return plot_svg(spec, colors, size); },
      [&] { return plot_csv(spec); });
}

Status save_chart(QGraphicsView& chart, const PlotSpec& figures, const QString& file) {
  return save_as(
      file, [&] { return chart_image(chart, 2); }, [&] { return chart_svg(chart, figures.title); },
      [&] { return plot_csv(figures); });
}

}  // namespace fuselab::gui
