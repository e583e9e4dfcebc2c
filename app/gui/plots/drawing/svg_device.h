// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPaintDevice>
#include <QSize>
#include <QString>
#include <memory>

namespace fuselab::gui {

class SvgPaintEngine;

// A paint device that writes SVG 1.1 text: shapes, clips and real text (not outlines), so that a figure can be searched and edited.
// It replaces Qt's own generator, a separate package that the program does not otherwise need. Paint with a QPainter, end it, then
// take document().
class SvgDevice : public QPaintDevice {
 public:
  SvgDevice(const QSize& size, const QString& title);
  ~SvgDevice() override;

  QPaintEngine* paintEngine() const override;
  QString document() const;

 protected:
  int metric(PaintDeviceMetric metric) const override;

 private:
  QSize size_;
  QString title_;
  std::unique_ptr<SvgPaintEngine> engine_;
};

}  // namespace fuselab::gui
