// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/run_plots.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/models/diff_model.h"
#include "app/gui/models/history_model.h"

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::plots", text);
}

constexpr double kNormal95 = 1.959964;  // two-sided 95 % of a standard normal
constexpr int kOthers = 7;              // the grey of the series' colours

QString run_label(const HistoryPoint& point) {
  const QString commit = commit_text(point.commit);
  return point.started_at.empty() ? commit : QStringLiteral("%1 · %2").arg(commit, text_of(point.started_at));
}

// Beyond these an outlier is drawn at the edge: else everything else lies on one line.
Interval visible_range(const ChangePoints& found) {
  if (found.levels.empty() || !(found.deviation > 0))
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  constexpr double kRoom = 8;
  const auto [low, high] = std::minmax_element(found.levels.begin(), found.levels.end());
  return {*low - kRoom * found.deviation, *high + kRoom * found.deviation};
}

void add_runs(PlotSpec& spec, const JudgedHistory& judged) {
  Series runs{tr("one run, 95 %"), Mark::kPoints, 0, {}, false, true};
  Series outliers{tr("outlier, at the edge"), Mark::kPoints, 3, {}, false, true};
  const Interval visible = visible_range(judged.found);
  const std::vector<HistoryPoint>& points = judged.history.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Observation& seen = points[i].observation;
    const auto x = static_cast<double>(i + 1);
    const double drawn = std::clamp(seen.value, visible.low, visible.high);
    PlotPoint point{x, std::exp(drawn), kNoValue, kNoValue, run_label(points[i]), QString::number(i)};
    if (drawn != seen.value) {
      point.label = tr("%1: %2×").arg(point.label).arg(std::exp(seen.value), 0, 'f', 3);
      outliers.points.push_back(std::move(point));
      continue;
    }
    if (seen.standard_error > 0) {
      point.low = std::exp(seen.value - kNormal95 * seen.standard_error);
      point.high = std::exp(seen.value + kNormal95 * seen.standard_error);
    }
    runs.points.push_back(std::move(point));
  }
  spec.series.push_back(std::move(runs));
  spec.series.push_back(std::move(outliers));
}

void add_levels(PlotSpec& spec, const JudgedHistory& judged) {
  std::size_t first = 0;
  for (std::size_t stretch = 0; stretch < judged.found.levels.size(); ++stretch) {
    const std::size_t end = stretch < judged.found.changes.size() ? judged.found.changes[stretch].at : judged.history.points.size();
    const double level = std::exp(judged.found.levels[stretch]);
    Series line{tr("level"), Mark::kLine, 1, {}, false, stretch == 0};
    const QString label = tr("median of %1").arg(counted_text(static_cast<std::int64_t>(end - first), tr("run"), tr("runs")));
    for (const double x : {static_cast<double>(first) + 0.5, static_cast<double>(end) + 0.5})
      line.points.push_back({x, level, kNoValue, kNoValue, label, {}});
    spec.series.push_back(std::move(line));
    first = end;
  }
}

// A step between its two levels, and how far to either side it may lie.
void add_changes(PlotSpec& spec, const JudgedHistory& judged) {
  for (std::size_t i = 0; i < judged.found.changes.size(); ++i) {
    const ChangePoint& change = judged.found.changes[i];
    const double before = std::exp(judged.found.levels[i]), after = std::exp(judged.found.levels[i + 1]);
    const QString label = tr("%1 since %2").arg(change_text(change.change), commit_text(judged.history.points[change.at].commit));
    Series step{tr("change"), Mark::kLine, 1, {}, true, i == 0};
    const auto at = static_cast<double>(change.at) + 0.5;
    for (const double y : {before, after}) step.points.push_back({at, y, kNoValue, kNoValue, label, {}});
    Series where{tr("where it lies, 95 %"), Mark::kLine, 2, {}, true, i == 0};
    const double middle = std::sqrt(before * after);
    for (const double x : {static_cast<double>(change.earliest) + 0.5, static_cast<double>(change.latest) + 0.5})
      where.points.push_back({x, middle, kNoValue, kNoValue, label, {}});
    spec.series.push_back(std::move(step));
    if (change.earliest != change.latest) spec.series.push_back(std::move(where));
  }
}

// After over before; what the machine did meanwhile is left out where it is known.
double drawn_ratio(const engine::DiffRow& row) {
  return row.result.without_drift.value_or(row.result.ratio);
}

}  // namespace

PlotSpec history_plot(const JudgedHistory& judged) {
  PlotSpec spec;
  const History& history = judged.history;
  spec.title = tr("%1 on %2, beside %3").arg(text_of(history.name), text_of(history.device), text_of(history.beside));
  spec.brief_title = text_of(history.name);
  spec.x.title = tr("run");
  spec.x.whole = true;
  spec.x.text = [](double value) { return QString::number(value, 'g', 6); };
  spec.y.title = tr("time over what it is measured beside");
  spec.y.text = [](double value) { return QStringLiteral("%1×").arg(value, 0, 'g', 4); };
  spec.empty_text = tr("No run has a figure that can be compared.");
  if (history.points.empty()) return spec;
  add_levels(spec, judged);
  add_changes(spec, judged);
  add_runs(spec, judged);
  return spec;
}

PlotSpec diff_plot(const engine::RunDiff& diff) {
  PlotSpec spec;
  spec.title = tr("Time after over time before");
  spec.y.title = tr("after / before");
  spec.y.text = [](double value) { return QStringLiteral("%1×").arg(value, 0, 'g', 4); };
  spec.x.scale = Scale::kCategory;
  spec.empty_text = tr("No kernel was timed in both runs.");
  std::vector<const engine::DiffRow*> rows;
  for (const engine::DiffRow& row : diff.rows) {
    if (row.is_judged()) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const engine::DiffRow* a, const engine::DiffRow* b) {
    if (a->same_kernel != b->same_kernel) return b->same_kernel;
    return std::fabs(std::log(drawn_ratio(*a))) > std::fabs(std::log(drawn_ratio(*b)));
  });
  if (rows.size() > kMostDiffBars) {
    spec.title = tr("Time after over time before: %1 of %2 kernels").arg(kMostDiffBars).arg(rows.size());
    rows.resize(kMostDiffBars);
  }
  const bool drift_known =
      std::any_of(rows.begin(), rows.end(), [](const auto* row) { return row->result.without_drift.has_value(); });
  if (drift_known) spec.y.title = tr("after / before, without drift");
  Series called{tr("changed"), Mark::kPoints, 1, {}, false, true};
  Series open{tr("no change shown"), Mark::kPoints, 0, {}, false, true};
  Series same{tr("the very same kernel"), Mark::kPoints, kOthers, {}, false, true};
  // On the same axis as what is free of it: told apart, for such a ratio may be the machine's alone.
  Series raw{tr("drift not known: as measured"), Mark::kPoints, 3, {}, false, true};
  Series one{tr("no difference"), Mark::kLine, 2, {}, true, true};
  QStringList names;
  for (const engine::DiffRow* row : rows) names << text_of(row->name);
  const bool several_devices =
      std::any_of(rows.begin(), rows.end(), [&](const auto* row) { return row->device_id != rows.front()->device_id; });
  for (const engine::DiffRow* row : rows) {
    const auto x = static_cast<double>(spec.x.categories.size());
    const ApartResult& result = row->result;
    const QString name = text_of(row->name);
    QString label = names.count(name) > 1 ? tr("%1, %2").arg(name, kind_text(row->kind)) : name;
    if (several_devices) label += tr(" on %1").arg(text_of(row->device_id));
    spec.x.categories << label;
    const bool bounded = std::isfinite(result.interval.high);
    PlotPoint point{x,
                    drawn_ratio(*row),
                    kNoValue,
                    kNoValue,
                    tr("%1 on %2: %3").arg(text_of(row->name), text_of(row->device_id), text_of(name_of(result.verdict))),
                    key_of(*row)};
    if (bounded) {
      point.low = result.interval.low;
      point.high = result.interval.high;
    }
    const bool is_called = result.verdict == Verdict::kRegressed || result.verdict == Verdict::kImproved;
    const bool is_raw = drift_known && !result.without_drift;
    (is_raw ? raw : result.verdict == Verdict::kSame ? same : is_called ? called : open).points.push_back(std::move(point));
  }
  if (rows.empty()) return spec;
  for (const double x : {-0.5, static_cast<double>(rows.size()) - 0.5}) one.points.push_back({x, 1, kNoValue, kNoValue, {}, {}});
  spec.x.categories = short_names(spec.x.categories);
  spec.series = {std::move(one), std::move(same)};
  if (!raw.points.empty()) spec.series.push_back(std::move(raw));
  spec.series.push_back(std::move(open));
  spec.series.push_back(std::move(called));
  return spec;
}

namespace {

PlotAxis sample_time_axis() {
  PlotAxis axis;
  axis.title = tr("time per run");
  axis.text = [](double ns) { return ns == 0 ? QStringLiteral("0") : duration_text(ns); };
  return axis;
}

Series points_of(const std::vector<double>& samples_ns, const QString& name, int color, std::size_t first, const QString& label) {
  Series series{name, Mark::kPoints, color, {}, false, true};
  for (std::size_t i = 0; i < samples_ns.size(); ++i)
    series.points.push_back({static_cast<double>(first + i + 1), samples_ns[i], kNoValue, kNoValue, label, {}});
  return series;
}

// Returns, as steps, the share of the values that are at most each of them.
Series shares_of(std::vector<double> values, const QString& name, int color, bool dashed) {
  std::sort(values.begin(), values.end());
  Series series{name, Mark::kSteps, color, {}, dashed, true};
  if (!values.empty()) series.points.push_back({values.front(), 0, kNoValue, kNoValue, {}, {}});
  for (std::size_t i = 0; i < values.size(); ++i)
    series.points.push_back(
        {values[i], static_cast<double>(i + 1) / static_cast<double>(values.size()), kNoValue, kNoValue, {}, {}});
  return series;
}

}  // namespace

PlotSpec diff_samples_plot(const engine::DiffRow& row) {
  PlotSpec spec;
  spec.title = tr("Samples of %1 in run order").arg(text_of(row.name));
  spec.brief_title = tr("Samples in run order");
  spec.x.title = tr("sample");
  spec.x.whole = true;
  spec.y = sample_time_axis();
  spec.empty_text = tr("Choose a kernel to see the samples of both runs.");
  spec.series = {points_of(row.before.samples, tr("before"), 0, 0, text_of(row.before.config)),
                 points_of(row.after.samples, tr("after"), 1, 0, text_of(row.after.config))};
  return spec;
}

PlotSpec run_order_plot(const std::vector<SampleBlock>& blocks) {
  PlotSpec spec;
  spec.title = tr("Samples in run order");
  spec.x.title = tr("sample");
  spec.x.whole = true;
  spec.y = sample_time_axis();
  spec.empty_text = tr("This trial has no samples: it was not timed.");
  Series chosen{tr("this trial"), Mark::kPoints, 0, {}, false, true};
  Series others{tr("other blocks of the same kernel"), Mark::kPoints, kOthers, {}, false, true};
  Series borders{tr("a new block"), Mark::kCrosses, 3, {}, false, true};
  std::vector<Series> medians;
  std::size_t first = 0;
  for (const SampleBlock& block : blocks) {
    if (block.samples_ns.empty()) continue;
    const Series points = points_of(block.samples_ns, {}, 0, first, block.label);
    Series& into = block.chosen ? chosen : others;
    into.points.insert(into.points.end(), points.points.begin(), points.points.end());
    Series line{tr("median"), Mark::kLine, block.chosen ? 1 : kOthers, {}, !block.chosen, block.chosen};
    const double end = static_cast<double>(first + block.samples_ns.size());
    for (const double x : {static_cast<double>(first) + 1, end})
      line.points.push_back({x, block.median_ns, kNoValue, kNoValue, block.label, {}});
    if (block.median_ns > 0) medians.push_back(std::move(line));
    if (first > 0) borders.points.push_back({static_cast<double>(first) + 0.5, kNoValue, kNoValue, kNoValue, block.label, {}});
    first += block.samples_ns.size();
  }
  if (first == 0) return spec;
  if (!others.points.empty()) spec.series.push_back(std::move(others));
  spec.series.push_back(std::move(chosen));
  for (Series& line : medians) spec.series.push_back(std::move(line));
  spec.series.push_back(std::move(borders));
  return spec;
}

PlotSpec distribution_plot(const std::vector<SampleBlock>& blocks) {
  PlotSpec spec;
  spec.title = tr("Distribution of the samples");
  spec.brief_title = tr("Distribution");
  spec.x = sample_time_axis();
  spec.y.title = tr("share that took at most this");
  spec.y.low = 0;
  spec.y.high = 1;
  spec.y.text = [](double share) { return percent_text(share); };
  spec.empty_text = tr("This trial has no samples: it was not timed.");
  std::vector<double> others;
  for (const SampleBlock& block : blocks) {
    if (!block.chosen) others.insert(others.end(), block.samples_ns.begin(), block.samples_ns.end());
  }
  for (const SampleBlock& block : blocks) {
    if (!block.chosen || block.samples_ns.empty()) continue;
    if (!others.empty()) spec.series.push_back(shares_of(others, tr("other blocks of the same kernel"), kOthers, true));
    spec.series.push_back(shares_of(block.samples_ns, tr("this trial"), 0, false));
    Series median{tr("median"), Mark::kLine, 1, {}, true, true};
    for (const double y : {0.0, 1.0}) median.points.push_back({block.median_ns, y, kNoValue, kNoValue, block.label, {}});
    if (block.median_ns > 0) spec.series.push_back(std::move(median));
  }
  return spec;
}

}  // namespace fuselab::gui
