// SPDX-License-Identifier: Apache-2.0
#include "app/gui/profiles/profile_plots.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>

#include "app/gui/look/figures.h"
#include "core/base/units.h"
#include "core/profile/vocabulary.h"

namespace fuselab::gui {
namespace {

PlotPoint point_at(double x, double y) {
  PlotPoint point;
  point.x = x;
  point.y = y;
  return point;
}

QString tr(const char* text) {
  return QCoreApplication::translate("ProfilePlots", text);
}

PlotSpec empty_roofline(const QString& why) {
  PlotSpec spec;
  spec.title = tr("Roofline");
  spec.empty_text = why;
  return spec;
}

// Memory has one name on every plot.
QString roof_name(const RooflineLevel& level) {
  return level.level == "memory" ? tr("DRAM") : text_of(level.level);
}

}  // namespace

PlotSpec profile_roofline(const Profile& profile) {
  const Standing& standing = profile.standing;
  if (standing.levels.empty()) return empty_roofline(text_of(standing.why_no_levels));
  if (standing.flops <= 0) return empty_roofline(tr("The piece computes nothing by convention: see the levels in the table."));
  if (profile.median_ns <= 0) return empty_roofline(tr("The plan was not measured: there is no rate to draw."));
  PlotSpec spec;
  spec.title = tr("Roofline of %1 on %2").arg(text_of(profile.piece), text_of(profile.device_id));
  spec.brief_title = tr("Roofline");
  spec.x = {tr("arithmetic intensity (FLOP/byte)"), Scale::kLog, {}, {}, {}, {}};
  spec.y = {tr("FLOP/s"), Scale::kLog, {}, {}, {}, [](double rate) { return text_of(format_flop_rate(rate)); }};
  double least = 1e300, most = 0;
  for (const RooflineLevel& level : standing.levels) {
    if (level.bytes <= 0) continue;
    least = std::min(least, standing.flops / level.bytes);
    most = std::max(most, standing.flops / level.bytes);
  }
  // The ridges of all roofs lie inside: a slope that is cut off looks like no roof.
  double low = least / 4, high = most * 4, fastest = 0;
  for (const RooflineLevel& level : standing.levels) {
    if (level.bytes_per_second <= 0) continue;
    fastest = std::max(fastest, level.bytes_per_second);
    if (standing.peak_flops <= 0) continue;
    const double ridge = standing.peak_flops / level.bytes_per_second;
    low = std::min(low, ridge / 4);
    high = std::max(high, ridge * 4);
  }
  int color = 0;
  for (const RooflineLevel& level : standing.levels) {
    if (level.bytes_per_second <= 0) continue;
    const double ridge = std::clamp(standing.peak_flops > 0 ? standing.peak_flops / level.bytes_per_second : high, low, high);
    spec.series.push_back({tr("%1, %2").arg(roof_name(level), text_of(format_bandwidth(level.bytes_per_second))),
                           Mark::kLine,
                           color,
                           {point_at(low, low * level.bytes_per_second), point_at(ridge, ridge * level.bytes_per_second)},
                           false});
    if (level.bytes > 0) {
      Series dot{tr("%1 by %2 bytes").arg(text_of(level.level), text_of(level.source)), Mark::kPoints, color, {}, false};
      dot.points.push_back(point_at(standing.flops / level.bytes, standing.flops / profile.median_ns * 1e9));
      dot.points.back().label = tr("%1: %2 moved, %3 of its bandwidth")
                                    .arg(text_of(level.level), text_of(format_bytes({static_cast<std::int64_t>(level.bytes)})),
                                         percent_text(level.share));
      spec.series.push_back(std::move(dot));
    }
    ++color;
  }
  if (standing.peak_flops > 0) {
    spec.series.push_back(
        {tr("arithmetic, %1").arg(text_of(format_flop_rate(standing.peak_flops))),
         Mark::kLine,
         color,
         {point_at(fastest > 0 ? standing.peak_flops / fastest : low, standing.peak_flops), point_at(high, standing.peak_flops)},
         true});
  }
  return spec;
}

PlotSpec sweep_plot(const Profile& profile) {
  PlotSpec spec;
  spec.title = tr("Time over working set");
  spec.x = {tr("Bytes of the piece"), Scale::kLog, {}, {}, {}, [](double bytes) {
              return text_of(format_bytes({static_cast<std::int64_t>(bytes)}));
            }};
  spec.x.binary = true;
  spec.y = {tr("Time"), Scale::kLog, {}, {}, {}, [](double ns) { return duration_text(ns); }};
  spec.empty_text = profile.sweep.why_not.empty() ? tr("No other size was measured.") : text_of(profile.sweep.why_not);
  // On fewer threads the same size takes another time: those are points of another kind.
  std::map<int, Series> by_threads;
  for (const SweepPoint& point : profile.sweep.points) {
    if (point.median_ns <= 0 || point.bytes <= 0) continue;
    Series& series = by_threads[-point.threads];
    series.points.push_back({point.bytes, point.median_ns, point.low_ns, point.high_ns, text_of(point.what), {}});
    series.name = counted_text(point.threads, tr("thread"), tr("threads"));
  }
  for (auto& [threads, series] : by_threads) {
    series.color = static_cast<int>(spec.series.size());
    spec.series.push_back(std::move(series));
  }
  return spec;
}

PlotSpec series_plot(const DeviceSeries& series) {
  PlotSpec spec;
  spec.title = tr("Counters over the time of the plan");
  spec.empty_text = series.why_not.empty() ? tr("No counters were sampled over time.") : text_of(series.why_not);
  spec.x = {tr("since the first sample"), Scale::kLinear, {}, {}, {}, [](double ns) { return duration_text(ns); }};
  spec.y = {tr("share of its most"), Scale::kLinear, {}, 0.0, 1.0, [](double share) { return percent_text(share); }};
  int color = 0;
  for (const SeriesRow& row : series.rows) {
    if (row.values.empty()) continue;
    const double most = *std::ranges::max_element(row.values);
    if (most <= 0) continue;
    const MetricInfo* const info = find_metric(row.name);
    const QString title = info == nullptr ? text_of(row.name) : text_of(std::string(info->title));
    Series line{title, Mark::kLine, color++, {}, false};
    for (std::size_t i = 0; i < std::min(row.values.size(), series.starts_ns.size()); ++i) {
      line.points.push_back(point_at(series.starts_ns[i], row.values[i] / most));
      line.points.back().label = tr("%1: %2").arg(title).arg(row.values[i]);
    }
    spec.series.push_back(std::move(line));
  }
  return spec;
}

PlotSpec timeline_plot(const std::vector<TraceSpan>& spans) {
  constexpr std::size_t kMostDrawn = 500;
  constexpr double kLeastNs = 1e-3;  // no clock tells less apart
  PlotSpec spec;
  spec.title = tr("Timeline");
  spec.empty_text = tr("No timeline was taken of this profile.");
  // A tick beside zero may be a rounding error away from it.
  spec.x = {tr("since the first span"), Scale::kLinear, {}, {}, {}, [](double ns) {
              return std::abs(ns) < kLeastNs ? QStringLiteral("0") : duration_text(ns);
            }};
  spec.y = {{}, Scale::kCategory, {}, {}, {}, {}};
  std::vector<const TraceSpan*> drawn;
  for (const TraceSpan& span : spans) drawn.push_back(&span);
  std::stable_sort(drawn.begin(), drawn.end(), [](const auto* a, const auto* b) { return a->duration.count > b->duration.count; });
  if (drawn.size() > kMostDrawn) drawn.resize(kMostDrawn);
  std::vector<std::string> kinds;
  for (const TraceSpan* const span : drawn) {
    const QString lane = text_of(span->track.process + ", " + span->track.thread);
    if (!spec.y.categories.contains(lane)) spec.y.categories << lane;
    const auto kind = std::find(kinds.begin(), kinds.end(), span->category);
    Series bar{text_of(span->category), Mark::kLine, static_cast<int>(kind - kinds.begin()), {}, false, kind == kinds.end()};
    if (kind == kinds.end()) kinds.push_back(span->category);
    const double began = span->start.count - spans.front().start.count;
    for (const double x : {began, began + span->duration.count}) {
      bar.points.push_back(point_at(x, static_cast<double>(spec.y.categories.indexOf(lane))));
      bar.points.back().label = text_of(span->name + ", " + format_duration(span->duration));
    }
    spec.series.push_back(std::move(bar));
  }
  spec.x.low = 0;
  spec.y.low = -0.5;
  spec.y.high = static_cast<double>(spec.y.categories.size()) - 0.5;
  return spec;
}

}  // namespace fuselab::gui
