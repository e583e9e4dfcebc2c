// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/builders.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>

#include "app/gui/figures.h"
#include "app/gui/models/ceiling_model.h"
#include "app/gui/models/compare_model.h"
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

PlotPoint bar(double x, const session::Cell& cell, const session::CompareRow& row) {
  PlotPoint point{x, kNoValue, kNoValue, kNoValue, text_of(row.name), text_of(row.piece_key)};
  if (!cell.figure) return point;
  point.y = cell.figure->median_ns;
  point.low = cell.figure->interval.low;
  point.high = cell.figure->interval.high;
  return point;
}

// "encoder/layer.0/attention/softmax" → "attention/softmax": the end of a path tells pieces apart.
QString short_name(const std::string& name) {
  QString const text = text_of(name);
  QStringList const parts = text.split(QLatin1Char('/'));
  return parts.size() > 2 ? parts.mid(parts.size() - 2).join(QLatin1Char('/')) : text;
}

std::int64_t largest_footprint(const CeilingTable& ceilings) {
  std::int64_t largest = 0;
  for (const Ceiling& row : ceilings.rows) {
    if (row.kind != "flops") largest = std::max(largest, row.footprint.count);
  }
  return largest;
}

// Corner points of the roof: memory slope, ridge, peak. Bandwidth from the largest working set: that is memory, not cache.
std::vector<std::pair<double, double>> roof(const CeilingTable& ceilings, double low, double high) {
  double bandwidth = 0, peak = 0;
  std::int64_t const largest = largest_footprint(ceilings);
  for (const Ceiling& row : ceilings.rows) {
    bool const flops = row.kind == "flops";
    if (flops) peak = std::max(peak, row.per_second);
    if (!flops && row.footprint.count == largest) bandwidth = std::max(bandwidth, row.per_second);
  }
  if (bandwidth <= 0) return {};
  if (peak <= 0) return {{low, low * bandwidth}, {high, high * bandwidth}};
  double const ridge = peak / bandwidth;
  return {{low, std::min(peak, low * bandwidth)},
          {std::clamp(ridge, low, high), std::min(peak, std::clamp(ridge, low, high) * bandwidth)},
          {high, std::min(peak, high * bandwidth)}};
}

}  // namespace

PlotSpec compare_plot(const session::CompareTable& table, const std::vector<std::string>& piece_keys, const std::string& device) {
  PlotSpec spec;
  spec.title = tr("Unfused, fused and ideal time on %1").arg(text_of(device));
  spec.y = time_axis(tr("time"));
  spec.x.scale = Scale::kCategory;
  spec.empty_text = tr("Nothing measured for this selection yet.\nSelect measured rows, or press Run.");
  Series unfused{tr("unfused"), Mark::kBars, 1, {}, false, true};
  Series fused{tr("fused"), Mark::kBars, 0, {}, false, true};
  Series ideal{tr("ideal (ceiling)"), Mark::kBars, 7, {}, true, true};
  double x = 0;
  for (const session::CompareRow& row : table.rows) {
    bool const wanted = piece_keys.empty() || std::find(piece_keys.begin(), piece_keys.end(), row.piece_key) != piece_keys.end();
    const session::CompareCell* cell = find_cell(row, device);
    if (!wanted || cell == nullptr || (!cell->fused.figure && !cell->unfused.figure)) continue;
    spec.x.categories << short_name(row.name);
    if (cell->unfused.figure) unfused.points.push_back(bar(x, cell->unfused, row));
    if (cell->fused.figure) fused.points.push_back(bar(x, cell->fused, row));
    if (cell->ideal_ns) ideal.points.push_back({x, *cell->ideal_ns, kNoValue, kNoValue, text_of(row.name), text_of(row.piece_key)});
    x += 1;
  }
  spec.series = {std::move(unfused), std::move(fused), std::move(ideal)};
  return spec;
}

PlotSpec roofline_plot(const session::CompareTable& table, const std::vector<DeviceCeilings>& ceilings) {
  PlotSpec spec;
  spec.title = tr("Roofline: attained rate below the measured ceilings");
  spec.x = {
      tr("arithmetic intensity (FLOP/byte)"), Scale::kLog, {}, {}, {}, [](double value) { return QString::number(value, 'g', 3); }};
  spec.y = {tr("rate"), Scale::kLog, {}, {}, {}, [](double value) { return text_of(format_flop_rate(value)); }};
  spec.empty_text = tr("No piece has both a figure and arithmetic to place it here.\nPress Run to measure.");
  std::map<std::string, Series> dots;
  double low = 0.05, high = 16;
  for (const session::CompareRow& row : table.rows) {
    if (row.cost.flops <= 0) continue;
    for (const session::CompareCell& cell : row.cells) {
      if (!cell.fused.figure || cell.fused.figure->median_ns <= 0) continue;
      const session::Figure& figure = *cell.fused.figure;
      double const scale = row.cost.flops * 1e9;
      low = std::min(low, row.cost.intensity() / 2);
      high = std::max(high, row.cost.intensity() * 2);
      dots[cell.device_id].points.push_back({row.cost.intensity(), scale / figure.median_ns, scale / figure.interval.high,
                                             scale / figure.interval.low, text_of(row.name), text_of(row.piece_key)});
    }
  }
  int color = 0;
  for (auto& [device, series] : dots) {
    series.name = tr("%1 fused").arg(text_of(device));
    series.color = color;
    auto const found =
        std::find_if(ceilings.begin(), ceilings.end(), [&id = device](const auto& entry) { return entry.device_id == id; });
    if (found != ceilings.end()) {
      Series line{tr("%1 ceiling").arg(text_of(device)), Mark::kLine, color, {}, false, true};
      for (auto const& [x, y] : roof(found->table, low, high))
        line.points.push_back({x, y, kNoValue, kNoValue, tr("measured ceiling"), {}});
      if (!line.points.empty()) spec.series.push_back(std::move(line));
    }
    spec.series.push_back(std::move(series));
    ++color;
  }
  return spec;
}

PlotSpec convergence_plot(const std::vector<ConvergencePoint>& points, bool by_seconds, const QString& piece) {
  PlotSpec spec;
  spec.title = piece.isEmpty() ? tr("Convergence") : tr("Convergence of %1").arg(piece);
  spec.x.title = by_seconds ? tr("seconds since the start") : tr("trial");
  spec.x.text = [](double value) { return QString::number(value, 'g', 4); };
  spec.y = time_axis(tr("median time"));
  spec.y.scale = Scale::kLog;
  spec.empty_text = tr("No trial has been timed yet.\nStart a job to watch it converge.");
  Series trials{tr("timed trial"), Mark::kPoints, 7, {}, false, true};
  Series best{tr("best so far"), Mark::kSteps, 0, {}, false, true};
  for (const ConvergencePoint& point : points) {
    double const x = by_seconds ? point.seconds : point.trial;
    if (point.median_ns > 0) trials.points.push_back({x, point.median_ns, kNoValue, kNoValue, point.label, point.key});
    if (point.best_ns > 0) best.points.push_back({x, point.best_ns, kNoValue, kNoValue, point.label, point.key});
  }
  spec.series = {std::move(trials), std::move(best)};
  return spec;
}

PlotSpec ceiling_plot(const CeilingTable& ceilings, const QString& device) {
  PlotSpec spec;
  spec.title = device.isEmpty() ? tr("Measured bandwidth") : tr("Measured bandwidth of %1").arg(device);
  spec.x = {
      tr("working set"), Scale::kLog, {}, {}, {}, [](double value) { return text_of(format_bytes(Bytes{std::llround(value)})); }};
  spec.y = {tr("bandwidth"), Scale::kLinear, {}, 0.0, {}, [](double value) {
              return value == 0 ? QStringLiteral("0") : text_of(format_bandwidth(value));
            }};
  spec.empty_text = tr("The ceilings of this device are not measured yet.\nThe first Run measures them.");
  std::map<QString, Series> lines;
  for (const Ceiling& row : ceilings.rows) {
    if (row.kind == "flops") continue;
    QString const mix = stream_mix_text(row) + (row.threads > 1 ? tr(", %1 threads").arg(row.threads) : QString());
    lines[mix].points.push_back({static_cast<double>(row.footprint.count), row.per_second, row.low, row.high, mix, {}});
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

PlotSpec run_order_plot(const std::vector<double>& samples_ns, double median_ns) {
  PlotSpec spec;
  spec.title = tr("Samples in run order");
  spec.x.title = tr("sample");
  spec.y = time_axis(tr("time per run"));
  spec.empty_text = tr("This trial has no samples: it was not timed.");
  Series samples{tr("sample"), Mark::kPoints, 0, {}, false, true};
  for (std::size_t i = 0; i < samples_ns.size(); ++i)
    samples.points.push_back({static_cast<double>(i + 1), samples_ns[i], kNoValue, kNoValue, {}, {}});
  spec.series.push_back(std::move(samples));
  if (median_ns > 0 && !samples_ns.empty()) {
    Series median{tr("median"), Mark::kLine, 1, {}, true, true};
    for (double x : {1.0, static_cast<double>(samples_ns.size())})
      median.points.push_back({x, median_ns, kNoValue, kNoValue, {}, {}});
    spec.series.push_back(std::move(median));
  }
  return spec;
}

}  // namespace fuselab::gui
