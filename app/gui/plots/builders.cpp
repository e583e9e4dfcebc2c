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
#include "core/backend/last_cache.h"
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

// A bandwidth and the working set that it was measured at.
struct Slope {
  double per_second = 0;
  std::int64_t footprint = 0;
};

// Returns the slope of the largest working set: memory's, if that set fits no cache.
Slope largest_slope(const CeilingTable& ceilings) {
  Slope slope;
  for (const Ceiling& row : ceilings.rows) {
    if (row.kind != "stream" || row.footprint.count < slope.footprint) continue;
    const bool larger = row.footprint.count > slope.footprint;
    slope = {larger ? row.per_second : std::max(slope.per_second, row.per_second), row.footprint.count};
  }
  return slope;
}

// Returns the steepest slope: a cache's, where there is one.
Slope steepest_slope(const CeilingTable& ceilings) {
  Slope slope;
  for (const Ceiling& row : ceilings.rows) {
    if (row.kind == "stream" && row.per_second > slope.per_second) slope = {row.per_second, row.footprint.count};
  }
  return slope;
}

// Corner points of a roof: slope, ridge, peak.
std::vector<std::pair<double, double>> roof(double bandwidth, double peak, double low, double high) {
  if (bandwidth <= 0) return {};
  if (peak <= 0) return {{low, low * bandwidth}, {high, high * bandwidth}};
  const double ridge = peak / bandwidth;
  return {{low, std::min(peak, low * bandwidth)},
          {std::clamp(ridge, low, high), std::min(peak, std::clamp(ridge, low, high) * bandwidth)},
          {high, std::min(peak, high * bandwidth)}};
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

namespace {

const engine::Cell& planned(const engine::CompareCell& cell, PlanKind plan) {
  return plan == PlanKind::kFused ? cell.fused : cell.unfused;
}

PlotPoint dot(const engine::CompareRow& row, const engine::Figure& figure, const QString& plan) {
  const double scale = row.cost.flops * 1e9;
  return {row.cost.intensity(),
          scale / figure.median_ns,
          scale / figure.interval.high,
          scale / figure.interval.low,
          tr("%1, %2").arg(text_of(row.name), plan),
          text_of(row.piece_key)};
}

// Every measured plan of every piece: what is recommended by device, and together the plans that lost.
struct RooflineDots {
  std::map<std::string, Series> recommended;
  Series others{tr("other plans"), Mark::kPoints, 7, {}, true, true};
  double low = 0.05, high = 16;  // intensities
};

RooflineDots roofline_dots(const engine::CompareTable& table) {
  RooflineDots dots;
  QStringList names;
  for (const engine::CompareRow& row : table.rows) names << text_of(row.name);
  names = shortest_names(names);
  for (const engine::CompareRow& row : table.rows) {
    if (row.cost.flops <= 0) continue;
    for (const engine::CompareCell& cell : row.cells) {
      for (const PlanKind plan : {PlanKind::kFused, PlanKind::kUnfused}) {
        const auto& figure = planned(cell, plan).figure;
        if (!figure || figure->median_ns <= 0) continue;
        const bool recommended = cell.device_id == row.recommended_device && plan == row.recommended_plan;
        const bool same_as_fused =
            plan == PlanKind::kUnfused && cell.fused.figure && cell.fused.figure->trial_id == figure->trial_id;
        if (same_as_fused) continue;  // a single operator: both plans are one
        const QString words = tr("%1 on %2").arg(plan_text(plan, has_one_plan(cell)), text_of(cell.device_id));
        PlotPoint point = dot(row, *figure, words);
        if (recommended) point.name = names[&row - table.rows.data()];
        (recommended ? dots.recommended[cell.device_id] : dots.others).points.push_back(std::move(point));
        dots.low = std::min(dots.low, row.cost.intensity() / 2);
        dots.high = std::max(dots.high, row.cost.intensity() * 2);
      }
    }
  }
  return dots;
}

void add_roofs(PlotSpec& spec, const DeviceCeilings& device, int color, double low, double high) {
  const double peak = device.table.peak_flops();
  const Slope largest = largest_slope(device.table), steepest = steepest_slope(device.table);
  const auto add = [&](const Slope& slope, bool memory, bool dashed) {
    const QString name =
        tr(memory ? "%1 memory, %2" : "%1 cache, %2").arg(text_of(device.device_id), text_of(format_bytes(Bytes{slope.footprint})));
    Series line{name, Mark::kLine, color, {}, dashed, true};
    for (const auto& [x, y] : roof(slope.per_second, peak, low, high))
      line.points.push_back(
          {x, y, kNoValue, kNoValue, tr("measured ceiling: %1").arg(text_of(format_bandwidth(slope.per_second))), {}});
    if (!line.points.empty()) spec.series.push_back(std::move(line));
  };
  const bool exceeds = device.last_cache > 0 && !fits_cache(Bytes{steepest.footprint}, device.last_cache);
  add(largest, !fits_cache(Bytes{largest.footprint}, device.last_cache), false);
  if (steepest.footprint != largest.footprint) add(steepest, exceeds, true);
}

}  // namespace

PlotSpec roofline_plot(const engine::CompareTable& table, const std::vector<DeviceCeilings>& ceilings) {
  PlotSpec spec;
  spec.title = tr("Roofline: attained rate below the measured ceilings");
  spec.brief_title = tr("Roofline");
  spec.x = {
      tr("arithmetic intensity (FLOP/byte)"), Scale::kLog, {}, {}, {}, [](double value) { return QString::number(value, 'g', 3); }};
  spec.y = {tr("rate"), Scale::kLog, {}, {}, {}, [](double value) { return text_of(format_flop_rate(value)); }};
  spec.empty_text = tr("No piece has both a figure and arithmetic to place it here.");
  RooflineDots dots = roofline_dots(table);
  int color = 0;
  for (auto& [device, series] : dots.recommended) {
    series.name = tr("%1 recommended").arg(text_of(device));
    series.color = color;
    const auto found =
        std::find_if(ceilings.begin(), ceilings.end(), [&id = device](const auto& entry) { return entry.device_id == id; });
    if (found != ceilings.end()) add_roofs(spec, *found, color, dots.low, dots.high);
    ++color;
  }
  if (!dots.others.points.empty()) spec.series.push_back(std::move(dots.others));
  for (auto& [device, series] : dots.recommended) spec.series.push_back(std::move(series));
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
