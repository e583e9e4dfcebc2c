// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/builders.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>

#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/look/window_words.h"
#include "app/gui/models/ceiling_model.h"
#include "app/gui/models/compare_model.h"
#include "app/gui/plots/charts.h"
#include "core/base/units.h"

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::plots", text);
}

PlotAxis time_axis(const QString& title) {
  PlotAxis axis;
  axis.title = title;
  axis.text = [](double ns) { return ns == 0 ? QStringLiteral("0") : duration_text(ns); };
  return axis;
}

PlotPoint bar(double x, const engine::Cell& cell, const engine::CompareRow& row) {
  PlotPoint point{x, kNoValue, kNoValue, kNoValue, text_of(row.name), text_of(row.piece_key)};
  if (!cell.figure) return point;
  point.y = cell.figure->median_ns;
  point.low = cell.figure->interval.low;
  point.high = cell.figure->interval.high;
  return point;
}

}  // namespace

QString file_name_for(const QString& title) {
  QString name;
  for (const QChar letter : title) {
    const bool kept = letter.isLetterOrNumber() || letter == QLatin1Char('.') || letter == QLatin1Char('+');
    if (kept) {
      name += letter;
    } else if (!name.isEmpty() && !name.endsWith(QLatin1Char('-'))) {
      name += QLatin1Char('-');
    }
  }
  while (name.endsWith(QLatin1Char('-'))) name.chop(1);
  return name.isEmpty() ? QStringLiteral("plot") : name;
}

PlotSpec compare_plot(const engine::CompareTable& table, const std::vector<std::string>& piece_keys, const std::string& device) {
  PlotSpec spec;
  spec.title = tr("Unfused, fused and ideal time on %1").arg(text_of(device));
  spec.brief_title = tr("Times on %1").arg(text_of(device));
  spec.y = time_axis(tr("time"));
  spec.x.scale = Scale::kCategory;
  spec.empty_text = tr("Nothing measured for this selection yet.\nSelect measured rows, or measure on Tuning.");
  Series unfused{tr("unfused"), Mark::kBars, 1, {}, false, true};
  Series fused{tr("fused"), Mark::kBars, 0, {}, false, true};
  Series ideal{tr("ideal (ceiling)"), Mark::kBars, 7, {}, true, true};
  double x = 0;
  for (const engine::CompareRow& row : table.rows) {
    const bool wanted = piece_keys.empty() || std::find(piece_keys.begin(), piece_keys.end(), row.piece_key) != piece_keys.end();
    const engine::CompareCell* cell = find_cell(row, device);
    if (!wanted || cell == nullptr || (!cell->fused.figure && !cell->unfused.figure)) continue;
    spec.x.categories << text_of(row.name);
    if (cell->unfused.figure) unfused.points.push_back(bar(x, cell->unfused, row));
    if (cell->fused.figure && !has_one_plan(*cell)) fused.points.push_back(bar(x, cell->fused, row));
    if (cell->ideal_ns) ideal.points.push_back({x, *cell->ideal_ns, kNoValue, kNoValue, text_of(row.name), text_of(row.piece_key)});
    x += 1;
  }
  spec.x.categories = short_names(brief_names(spec.x.categories));
  spec.series = {std::move(unfused), std::move(fused), std::move(ideal)};
  return spec;
}

PlotSpec backends_plot(const engine::CompareRow& row) {
  PlotSpec spec;
  spec.title = tr("%1 on every device").arg(text_of(row.name));
  spec.brief_title = tr("On every device");
  spec.y = time_axis(tr("time"));
  spec.x.scale = Scale::kCategory;
  spec.empty_text = row.reason.empty() ? tr("This piece was not measured on any device yet.") : window_words(row.reason);
  Series unfused{tr("unfused"), Mark::kBars, 1, {}, false, true};
  Series fused{tr("fused"), Mark::kBars, 0, {}, false, true};
  Series ideal{tr("ideal (ceiling)"), Mark::kBars, 7, {}, true, true};
  double x = 0;
  for (const engine::CompareCell& cell : row.cells) {
    if (!cell.fused.figure && !cell.unfused.figure) continue;
    const QString device = text_of(cell.device_id);
    const bool recommended = cell.device_id == row.recommended_device;
    spec.x.categories << (recommended ? tr("%1 (recommended)").arg(device) : device);
    const auto add = [&](Series& series, const engine::Cell& plan) {
      PlotPoint point = bar(x, plan, row);
      point.label = tr("%1 on %2").arg(text_of(row.name), device);
      point.key = device;
      series.points.push_back(std::move(point));
    };
    if (cell.unfused.figure) add(unfused, cell.unfused);
    if (cell.fused.figure && !has_one_plan(cell)) add(fused, cell.fused);
    if (cell.ideal_ns) ideal.points.push_back({x, *cell.ideal_ns, kNoValue, kNoValue, device, device});
    x += 1;
  }
  spec.series = {std::move(unfused), std::move(fused), std::move(ideal)};
  return spec;
}

PlotSpec convergence_plot(const std::vector<ConvergencePoint>& points, bool by_seconds, const QString& piece) {
  PlotSpec spec;
  spec.title = piece.isEmpty() ? tr("Convergence") : tr("Convergence of %1").arg(piece);
  spec.brief_title = piece;
  spec.x.title = by_seconds ? tr("seconds since the start") : tr("trial");
  spec.x.whole = !by_seconds;
  spec.x.text = [](double value) { return QString::number(value, 'g', 4); };
  spec.y = time_axis(tr("median time"));
  spec.y.scale = Scale::kLog;
  Series trials{tr("timed trial"), Mark::kPoints, 7, {}, false, true};
  Series best{tr("best so far"), Mark::kSteps, 0, {}, false, true};
  // A search drops what is too slow before it is timed to the end: that is no failure.
  const QString too_slow = outcome_text(QStringLiteral("dropped"));
  Series dropped{too_slow, Mark::kCrosses, 1, {}, false, true};
  Series failed{tr("failed"), Mark::kCrosses, 3, {}, false, true};
  for (const ConvergencePoint& point : points) {
    const double x = by_seconds ? point.seconds : point.trial;
    if (point.median_ns > 0) {
      trials.points.push_back({x, point.median_ns, kNoValue, kNoValue, point.label, point.key});
    } else {
      QStringList what{point.outcome, point.label};
      what.removeAll(QString());
      (point.outcome == too_slow ? dropped : failed)
          .points.push_back({x, kNoValue, kNoValue, kNoValue, what.join(QStringLiteral(" · ")), point.key});
    }
    if (point.best_ns > 0) best.points.push_back({x, point.best_ns, kNoValue, kNoValue, point.label, point.key});
  }
  if (trials.points.empty()) {  // crosses without a scale would say nothing
    spec.empty_text = points.empty() ? tr("No trial has been timed yet.\nStart a job to watch it converge.")
                                     : tr("No trial has been timed yet: %1 dropped as too slow, %2 failed.")
                                           .arg(dropped.points.size())
                                           .arg(failed.points.size());
    return spec;
  }
  spec.series = {std::move(trials), std::move(best), std::move(dropped)};
  if (!failed.points.empty()) spec.series.push_back(std::move(failed));
  return spec;
}

PlotSpec ceiling_plot(const CeilingTable& ceilings, const QString& device) {
  PlotSpec spec;
  spec.title = device.isEmpty() ? tr("Measured bandwidth") : tr("Measured bandwidth of %1").arg(device);
  spec.brief_title = device.isEmpty() ? tr("Bandwidth") : tr("Bandwidth of %1").arg(device);
  spec.x = {
      tr("working set"), Scale::kLog, {}, {}, {}, [](double value) { return text_of(format_bytes(Bytes{std::llround(value)})); }};
  spec.x.binary = true;
  spec.y = {tr("bandwidth"), Scale::kLinear, {}, 0.0, {}, [](double value) {
              return value == 0 ? QStringLiteral("0") : text_of(format_bandwidth(value));
            }};
  spec.empty_text = tr("The ceilings of this device are not measured yet.\nThe first Run measures them.");
  // One line per mix: at each working set the best over threads and kinds of store, which is what a piece is judged by.
  std::map<QString, Series> lines;
  for (const Ceiling& row : ceilings.rows) {
    if (row.kind != "stream") continue;
    const QString mix = tr("%1 read + %2 write").arg(row.read_streams).arg(row.write_streams);
    const QString how = QStringLiteral("%1, %2").arg(stream_mix_text(row), counted_text(row.threads, tr("thread"), tr("threads")));
    const PlotPoint point{static_cast<double>(row.footprint.count), row.per_second, row.low, row.high, how, {}};
    auto& points = lines[mix].points;
    const auto same = std::find_if(points.begin(), points.end(), [&](const PlotPoint& other) { return other.x == point.x; });
    if (same == points.end()) {
      points.push_back(point);
    } else if (same->y < point.y) {
      *same = point;
    }
  }
  int color = 0;
  for (auto& [mix, series] : lines) {
    std::sort(series.points.begin(), series.points.end(), [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    series.name = mix;
    series.color = color++;
    series.mark = series.points.size() > 1 ? Mark::kLine : Mark::kPoints;
    spec.series.push_back(std::move(series));
  }
  return spec;
}

PlotSpec totals_plot(const std::vector<engine::ModelTotal>& totals) {
  PlotSpec spec;
  double largest = 0;
  for (const engine::ModelTotal& total : totals) largest = std::max({largest, total.unfused_ns, total.fused_ns, total.ideal_ns});
  spec.title = largest > 0 ? tr("Model total (%1)").arg(chart_unit(largest)) : tr("Model total");
  const auto partial =
      std::find_if(totals.begin(), totals.end(), [](const auto& total) { return total.fused_ns > 0 && !total.is_whole(); });
  if (partial != totals.end()) spec.title = tr("%1, %2 of %3 pieces").arg(spec.title).arg(partial->covers()).arg(partial->pieces);
  spec.x.title = tr("device");
  spec.x.scale = Scale::kCategory;
  spec.y = time_axis(tr("total"));
  Series unfused{tr("unfused"), Mark::kBars, 1, {}, false, true};
  Series fused{tr("fused"), Mark::kBars, 0, {}, false, true};
  Series ideal{tr("ideal"), Mark::kBars, 7, {}, true, true};
  for (const engine::ModelTotal& total : totals) {
    if (total.fused_ns <= 0) continue;
    const auto x = static_cast<double>(spec.x.categories.size());
    const QString device = text_of(total.device_id);
    const auto elsewhere = [&](double ns) {
      return total.completed_pieces > 0 ? tr("%1 of it elsewhere").arg(duration_text(ns)) : QString();
    };
    spec.x.categories << device;
    unfused.points.push_back({x, total.unfused_ns, kNoValue, kNoValue, elsewhere(total.completed_unfused_ns), device});
    fused.points.push_back({x, total.fused_ns, kNoValue, kNoValue, elsewhere(total.completed_ns), device});
    if (total.ideal_ns > 0) ideal.points.push_back({x, total.ideal_ns, kNoValue, kNoValue, {}, device});
  }
  spec.series = {std::move(unfused), std::move(fused), std::move(ideal)};
  return spec;
}

PlotSpec spread_plot(const std::vector<double>& samples_ns) {
  PlotSpec spec;
  spec.title = tr("Spread");
  spec.x.title = tr("of the samples");
  spec.x.scale = Scale::kCategory;
  spec.x.categories = {tr("minimum"), tr("lower quartile"), tr("median"), tr("upper quartile"), tr("maximum")};
  spec.y = time_axis(tr("time per run"));
  if (samples_ns.empty()) return spec;
  const FiveNumbers five = five_numbers(samples_ns);
  spec.title = tr("Spread (%1)").arg(chart_unit(five.median));
  Series box{tr("%1 samples").arg(samples_ns.size()), Mark::kPoints, 0, {}, false, true};
  for (double value : {five.minimum, five.lower, five.median, five.upper, five.maximum})
    box.points.push_back({static_cast<double>(box.points.size()), value, kNoValue, kNoValue, {}, {}});
  spec.series.push_back(std::move(box));
  return spec;
}

}  // namespace fuselab::gui
