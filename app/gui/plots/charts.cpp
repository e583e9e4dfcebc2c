// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/charts.h"

#include <QEvent>
#include <QGraphicsLayout>
#include <QPainter>
#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QBarSeries>
#include <QtCharts/QBarSet>
#include <QtCharts/QBoxPlotSeries>
#include <QtCharts/QBoxSet>
#include <QtCharts/QLegend>
#include <QtCharts/QValueAxis>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/gui/look/figures.h"
#include "app/gui/look/theme.h"
#include "app/gui/plots/drawing/axis_scale.h"

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
        const QColor color = colors.series_color(order[i % 3]);
        const bool bound = order[i % 3] == 7;  // a bound, not a measurement: hollow and dashed, as on the plots
        QColor fill = color;
        if (bound) fill.setAlphaF(0.18F);
        bars->barSets()[i]->setBrush(fill);
        bars->barSets()[i]->setPen(bound ? QPen(color, 1.4, Qt::DashLine) : QPen(colors.surface));
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

// From one round number to another, with as many labels as there is height for.
void set_round_labels(QChartView& view, double low, double high) {
  auto* axis = qobject_cast<QValueAxis*>(view.chart()->axes(Qt::Vertical).value(0));
  if (axis == nullptr) return;
  constexpr int kAround = 46, kEach = 34;  // pixels: what is no axis, and one label with its room
  const double step = round_step(high - low, std::clamp((view.height() - kAround) / kEach, 1, 6));
  const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
  axis->setRange(first * step, last * step);
  axis->setTickCount(static_cast<int>(std::lround(last - first)) + 1);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  axis->setLabelFormat(QStringLiteral("%.%1f").arg(decimals));
}

double quantile(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

void set_up(QChartView& view) {
  view.setRenderHint(QPainter::Antialiasing);
  view.setFrameShape(QFrame::NoFrame);
  view.chart()->setMargins(QMargins(2, 0, 2, 0));
  view.chart()->layout()->setContentsMargins(0, 0, 0, 0);
  view.chart()->legend()->setAlignment(Qt::AlignRight);  // height is what there is least of
  view.chart()->legend()->layout()->setContentsMargins(0, 0, 0, 0);
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
  const FiveNumbers five = five_numbers(samples_ns);
  const Unit unit = unit_of(five.median);
  auto* box = new QBoxSet(five.minimum / unit.factor, five.lower / unit.factor, five.median / unit.factor, five.upper / unit.factor,
                          five.maximum / unit.factor, tr("n = %1").arg(samples_ns.size()));
  auto* series = new QBoxPlotSeries;
  series->append(box);
  series->setBoxWidth(0.4);
  chart()->addSeries(series);
  auto* x = new QBarCategoryAxis;
  x->append(box->label());
  auto* y = new QValueAxis;
  const double room = std::max((five.maximum - five.minimum) * 0.05, five.median * 0.005) / unit.factor;
  low_ = five.minimum / unit.factor - room;
  high_ = five.maximum / unit.factor + room;
  chart()->addAxis(x, Qt::AlignBottom);
  chart()->addAxis(y, Qt::AlignLeft);
  series->attachAxis(x);
  series->attachAxis(y);
  set_round_labels(*this, low_, high_);
  setAccessibleName(tr("Box plot: minimum %1, quartiles %2 and %3, median %4, maximum %5")
                        .arg(duration_text(five.minimum), duration_text(five.lower), duration_text(five.upper),
                             duration_text(five.median), duration_text(five.maximum)));
  color_chart(*this);
}

void BoxChart::resizeEvent(QResizeEvent* event) {
  set_round_labels(*this, low_, high_);
  QChartView::resizeEvent(event);
}

void BoxChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) color_chart(*this);
}

TotalsChart::TotalsChart(QWidget* parent) : QChartView(parent) {
  setAccessibleName(tr("Bar chart of the model totals"));
  set_up(*this);
}

void TotalsChart::set_totals(const std::vector<engine::ModelTotal>& totals) {
  clear(*chart());
  shown_.clear();
  std::copy_if(totals.begin(), totals.end(), std::back_inserter(shown_), [](const auto& total) { return total.fused_ns > 0; });
  double largest = 0;
  for (const engine::ModelTotal& total : shown_) largest = std::max({largest, total.unfused_ns, total.fused_ns, total.ideal_ns});
  const bool completed = std::any_of(shown_.begin(), shown_.end(), [](const auto& total) { return total.completed_pieces > 0; });
  chart()->setTitle(largest <= 0 ? tr("No piece of this model has a figure yet.")
                    : completed  ? tr("hatched: runs elsewhere")
                                 : QString());
  if (largest <= 0) return color_chart(*this);
  const Unit unit = unit_of(largest);
  factor_ = unit.factor;
  auto* unfused = new QBarSet(tr("unfused"));
  auto* fused = new QBarSet(tr("fused"));
  auto* ideal = new QBarSet(tr("ideal"));
  auto* x = new QBarCategoryAxis;
  for (const engine::ModelTotal& total : shown_) {
    *unfused << total.unfused_ns / unit.factor;
    *fused << total.fused_ns / unit.factor;
    *ideal << total.ideal_ns / unit.factor;
    x->append(text_of(total.device_id));
  }
  auto* series = new QBarSeries;
  series->append({unfused, fused, ideal});
  chart()->addSeries(series);
  auto* y = new QValueAxis;
  largest_ = largest / unit.factor;
  chart()->addAxis(x, Qt::AlignBottom);
  chart()->addAxis(y, Qt::AlignLeft);
  series->attachAxis(x);
  series->attachAxis(y);
  set_round_labels(*this, 0, largest_);
  color_chart(*this);
}

void TotalsChart::drawForeground(QPainter* painter, const QRectF& area) {
  QChartView::drawForeground(painter, area);
  for (std::size_t bar = 0; bar < shown_.size(); ++bar) {
    const engine::ModelTotal& total = shown_[bar];
    if (total.completed_pieces == 0) continue;
    hatch(*painter, bar, 0, total.unfused_ns - total.completed_unfused_ns, total.unfused_ns);
    hatch(*painter, bar, 1, total.fused_ns - total.completed_ns, total.fused_ns);
  }
}

void TotalsChart::hatch(QPainter& painter, std::size_t bar, std::size_t set, double from, double to) const {
  const auto* bars = qobject_cast<QBarSeries*>(chart()->series().value(0));
  if (bars == nullptr) return;
  const double each = bars->barWidth() / bars->count();
  const double left = static_cast<double>(bar) - bars->barWidth() / 2 + each * static_cast<double>(set);
  const auto at = [&](double x, double ns) {
    return chart()->mapToScene(chart()->mapToPosition({x, ns / factor_}, chart()->series().value(0)));
  };
  painter.fillRect(QRectF(at(left, to), at(left + each, from)), QBrush(colors_for(this).surface, Qt::BDiagPattern));
}

// A legend beside the bars takes the room of their names: in a narrow chart it stands above them.
void TotalsChart::resizeEvent(QResizeEvent* event) {
  constexpr int kNarrow = 420;
  chart()->legend()->setAlignment(width() < kNarrow ? Qt::AlignTop : Qt::AlignRight);
  set_round_labels(*this, 0, largest_);
  QChartView::resizeEvent(event);  // lays out: after it knows how many labels there are
}

void TotalsChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) color_chart(*this);
}

}  // namespace fuselab::gui
