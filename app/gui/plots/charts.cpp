// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/charts.h"

#include <QEvent>
#include <QGraphicsLayout>
#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QBarSeries>
#include <QtCharts/QBarSet>
#include <QtCharts/QBoxPlotSeries>
#include <QtCharts/QBoxSet>
#include <QtCharts/QLegend>
#include <QtCharts/QValueAxis>
#include <algorithm>
#include <cmath>

#include "app/gui/figures.h"
#include "app/gui/theme.h"

namespace fuselab::gui {
namespace {

// Colours follow the palette, so they are set again whenever that changes.
void color_chart(QChartView& view) {
  const ThemeColors& colors = colors_for(&view);
  QChart* chart = view.chart();
  chart->setBackgroundBrush(colors.surface);
  chart->setBackgroundRoundness(0);
  chart->setTitleBrush(colors.muted);
  chart->legend()->setLabelColor(colors.text);
  for (QAbstractAxis* axis : chart->axes()) {
    axis->setLabelsColor(colors.muted);
    axis->setTitleBrush(colors.muted);
    axis->setGridLineColor(colors.grid);
    axis->setLinePenColor(colors.border);
  }
  for (QAbstractSeries* series : chart->series()) {
    if (auto* box = qobject_cast<QBoxPlotSeries*>(series)) {
      QColor fill = colors.series_color(0);
      box->setPen(QPen(fill, 1.6));
      fill.setAlphaF(0.3F);
      box->setBrush(fill);
    } else if (auto* bars = qobject_cast<QBarSeries*>(series)) {
      const int order[] = {1, 0, 7};  // unfused, fused, ideal: as on the plots
      for (int i = 0; i < bars->count(); ++i) {
        bars->barSets()[i]->setColor(colors.series_color(order[i % 3]));
        bars->barSets()[i]->setBorderColor(colors.surface);
      }
    }
  }
}

void clear(QChart& chart) {
  chart.removeAllSeries();
  for (QAbstractAxis* axis : chart.axes()) {
    chart.removeAxis(axis);
    delete axis;
  }
}

struct Unit {
  double factor;
  QString name;
};

Unit unit_of(double ns) {
  if (ns >= 1e9) return {1e9, QStringLiteral("s")};
  if (ns >= 1e6) return {1e6, QStringLiteral("ms")};
  if (ns >= 1e3) return {1e3, QStringLiteral("µs")};
  return {1, QStringLiteral("ns")};
}

double quantile(const std::vector<double>& sorted, double share) {
  double const position = share * static_cast<double>(sorted.size() - 1);
  auto const below = static_cast<std::size_t>(position);
  std::size_t const above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void set_up(QChartView& view) {
  view.setRenderHint(QPainter::Antialiasing);
  view.setFrameShape(QFrame::NoFrame);
  view.chart()->setMargins(QMargins(4, 4, 4, 4));
  view.chart()->layout()->setContentsMargins(0, 0, 0, 0);
  view.chart()->legend()->setAlignment(Qt::AlignRight);  // height is what there is least of
  view.viewport()->setFocusPolicy(Qt::NoFocus);
  view.setFocusPolicy(Qt::TabFocus);  // so that its figures are read out
  view.setMinimumSize(160, 110);
  color_chart(view);
}

}  // namespace

QString chart_unit(double ns) {
  return unit_of(ns).name;
}

FiveNumbers five_numbers(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {samples.front(), quantile(samples, 0.25), quantile(samples, 0.5), quantile(samples, 0.75), samples.back()};
}

BoxChart::BoxChart(QWidget* parent) : QChartView(parent) {
  chart()->legend()->hide();
  set_up(*this);
}

void BoxChart::set_samples(const std::vector<double>& samples_ns) {
  clear(*chart());
  if (samples_ns.empty()) {
    setAccessibleName(tr("Box plot: no samples"));
    return;
  }
  FiveNumbers const five = five_numbers(samples_ns);
  Unit const unit = unit_of(five.median);
  auto* box = new QBoxSet(five.minimum / unit.factor, five.lower / unit.factor, five.median / unit.factor, five.upper / unit.factor,
                          five.maximum / unit.factor, tr("n = %1").arg(samples_ns.size()));
  auto* series = new QBoxPlotSeries;
  series->append(box);
  series->setBoxWidth(0.4);
  chart()->addSeries(series);
  auto* x = new QBarCategoryAxis;
  x->append(box->label());
  auto* y = new QValueAxis;
  double const room = std::max((five.maximum - five.minimum) * 0.1, five.median * 0.01) / unit.factor;
  y->setRange(five.minimum / unit.factor - room, five.maximum / unit.factor + room);
  y->setTickCount(4);
  y->setLabelFormat(QStringLiteral("%.3g"));
  chart()->addAxis(x, Qt::AlignBottom);
  chart()->addAxis(y, Qt::AlignLeft);
  series->attachAxis(x);
  series->attachAxis(y);
  setAccessibleName(tr("Box plot: minimum %1, quartiles %2 and %3, median %4, maximum %5")
                        .arg(duration_text(five.minimum), duration_text(five.lower), duration_text(five.upper),
                             duration_text(five.median), duration_text(five.maximum)));
  color_chart(*this);
}

void BoxChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) color_chart(*this);
}

TotalsChart::TotalsChart(QWidget* parent) : QChartView(parent) {
  setAccessibleName(tr("Bar chart of the model totals"));
  set_up(*this);
}

void TotalsChart::set_totals(const std::vector<session::ModelTotal>& totals) {
  clear(*chart());
  totals_ = totals;
  double largest = 0;
  for (const session::ModelTotal& total : totals) largest = std::max({largest, total.unfused_ns, total.fused_ns, total.ideal_ns});
  chart()->setTitle(largest > 0 ? QString() : tr("No piece of this model has a figure yet."));
  if (largest <= 0) return color_chart(*this);
  Unit const unit = unit_of(largest);
  auto* unfused = new QBarSet(tr("unfused"));
  auto* fused = new QBarSet(tr("fused"));
  auto* ideal = new QBarSet(tr("ideal"));
  auto* x = new QBarCategoryAxis;
  for (const session::ModelTotal& total : totals) {
    *unfused << total.unfused_ns / unit.factor;
    *fused << total.fused_ns / unit.factor;
    *ideal << total.ideal_ns / unit.factor;
    x->append(text_of(total.device_id));
  }
  auto* series = new QBarSeries;
  series->append({unfused, fused, ideal});
  chart()->addSeries(series);
  auto* y = new QValueAxis;
  y->setRange(0, largest / unit.factor * 1.05);
  y->setLabelFormat(QStringLiteral("%.3g"));
  y->applyNiceNumbers();
  chart()->addAxis(x, Qt::AlignBottom);
  chart()->addAxis(y, Qt::AlignLeft);
  series->attachAxis(x);
  series->attachAxis(y);
  color_chart(*this);
}

void TotalsChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) color_chart(*this);
}

}  // namespace fuselab::gui
