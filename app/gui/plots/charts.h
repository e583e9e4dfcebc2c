// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtCharts/QChartView>
#include <vector>

#include "app/views/snapshots.h"

namespace fuselab::gui {

// Charts drawn by Qt Charts: a box plot of one trial's samples, and bars of the model totals. Raster only: OpenGL series crash on
// platforms without it. At most 10⁴ values each.
class BoxChart : public QChartView {
  Q_OBJECT

 public:
  explicit BoxChart(QWidget* parent = nullptr);
  void set_samples(const std::vector<double>& samples_ns);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  double low_ = 0, high_ = 1;  // of the samples shown, in the axis' unit
};

class TotalsChart : public QChartView {
  Q_OBJECT

 public:
  explicit TotalsChart(QWidget* parent = nullptr);
  void set_totals(const std::vector<engine::ModelTotal>& totals);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  // Hatches the part of a device's bar that stands for pieces which run elsewhere.
  void drawForeground(QPainter* painter, const QRectF& area) override;
  void hatch(QPainter& painter, std::size_t bar, std::size_t set, double from, double to) const;

  double largest_ = 1;                     // in the axis' unit
  double factor_ = 1;                      // of that unit, in nanoseconds
  std::vector<engine::ModelTotal> shown_;  // those with bars
};

// Returns the unit of a chart's axis for this largest total or median. It is shown in the title: the axis has no room for it, and
// Qt's label formats have no "µ".
QString chart_unit(double ns);

// Minimum, lower quartile, median, upper quartile, maximum (linear interpolation between order statistics); zeros when empty.
struct FiveNumbers {
  double minimum = 0, lower = 0, median = 0, upper = 0, maximum = 0;
};
FiveNumbers five_numbers(std::vector<double> samples);

}  // namespace fuselab::gui
