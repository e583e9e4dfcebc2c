// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/diff_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/gui/look/catalog_words.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"

namespace fuselab::gui {
namespace {

QString times_text(double ratio) {
  return QStringLiteral("%1×").arg(ratio, 0, 'f', 3);
}

TableCell figure_cell(const engine::RunFigure& figure) {
  if (!figure.is_final()) {
    const QString trials = counted_text(figure.trials, QObject::tr("trial"), QObject::tr("trials"));
    return {QStringLiteral("–"),
            QCoreApplication::translate("fuselab::gui::DiffModel", "%1 of a search, no final figure").arg(trials),
            std::numeric_limits<double>::infinity(), Tone::kMuted};
  }
  const QString how =
      figure.confirmed ? QCoreApplication::translate("fuselab::gui::DiffModel", "reproduced in a fresh process")
      : figure.trials > 1
          ? QCoreApplication::translate("fuselab::gui::DiffModel", "the fastest of %1 trials, which flatters it").arg(figure.trials)
          : QCoreApplication::translate("fuselab::gui::DiffModel", "one trial");
  const QString interval = interval_text(figure.interval.low, figure.interval.high, figure.median_ns);
  return {duration_text(figure.median_ns) + (figure.confirmed ? QStringLiteral(" ✓") : QString()),
          QStringLiteral("%1, %2; %3").arg(interval, how, text_of(figure.config)), figure.median_ns};
}

TableCell change_cell(const engine::DiffRow& row) {
  const ApartResult& result = row.result;
  if (!result.without_drift) {
    const QString why = result.reason.empty() ? DiffModel::tr("Too few kernels are the very same on this device to tell its drift")
                                              : window_words(result.reason);
    return {QStringLiteral("–"), why, 0.0, Tone::kMuted};
  }
  const double change = *result.without_drift;
  QString text = times_text(change);
  if (std::isfinite(result.interval.high))
    text += QStringLiteral(" [%1, %2]").arg(result.interval.low, 0, 'f', 3).arg(result.interval.high, 0, 'f', 3);
  return {text,
          change > 1 ? QObject::tr("Slower than before") : QObject::tr("Faster than before"),
          change,
          row.same_kernel ? Tone::kMuted : verdict_tone(row),
          !row.same_kernel,
          times_text(change)};
}

}  // namespace

QString verdict_text(const engine::DiffRow& row) {
  if (!row.is_judged()) return DiffModel::tr("not measured to the end");
  if (!row.machine.empty()) return DiffModel::tr("another machine");
  switch (row.result.verdict) {
    case Verdict::kRegressed: return DiffModel::tr("▼ regressed");
    case Verdict::kImproved: return DiffModel::tr("▲ improved");
    case Verdict::kEquivalent: return DiffModel::tr("= equivalent");
    case Verdict::kSame: return DiffModel::tr("same kernel");
    case Verdict::kInconclusive: return DiffModel::tr("? inconclusive");
  }
  return {};
}

Tone verdict_tone(const engine::DiffRow& row) {
  if (!row.is_judged()) return Tone::kMuted;
  switch (row.result.verdict) {
    case Verdict::kRegressed: return Tone::kBad;
    case Verdict::kImproved: return Tone::kGood;
    case Verdict::kEquivalent: return Tone::kNeutral;
    case Verdict::kSame: return Tone::kMuted;
    case Verdict::kInconclusive: return row.machine.empty() ? Tone::kWarning : Tone::kMuted;
  }
  return Tone::kNeutral;
}

DiffModel::DiffModel(QObject* parent) : TableModelBase(parent) {
  set_columns(
      {{tr("Kernel"), {}, false, 210, 110},
       {tr("Verdict"), tr("As the gate's: beyond 1 % and beyond chance; hover for the reason"), false, 120, 90},
       {tr("Without drift"),
        tr("After over before, over what unchanged kernels of the same device and mode did meanwhile; with its 99 % interval"),
        true, 190, 70},
       {tr("Ratio"), tr("After over before, as measured"), true, 74},
       {tr("Before"), tr("Median; ✓ was reproduced in a fresh process"), true, 92},
       {tr("After"), tr("Median; ✓ was reproduced in a fresh process"), true, 92},
       {tr("Device"), {}, false, 80, 50},
       {tr("Plan"), {}, false, 76, 50},
       {tr("Cache state"), tr("Caches, and the number of samples where it is not the usual one"), false, 80, 50},
       {tr("Shape"), {}, false, 170, 70, true},
       {tr("q"), tr("Benjamini and Hochberg over the kernels that changed; 1 % stands"), true, 66, 0, true},
       {tr("Configuration"), tr("Before → after"), false, 220, 80, true}});
}

void DiffModel::set_diff(RunDiffPtr diff) {
  beginResetModel();
  diff_ = std::move(diff);
  endResetModel();
}

const engine::DiffRow* DiffModel::row(int row) const {
  return row >= 0 && row < rows() ? &diff_->rows[static_cast<std::size_t>(row)] : nullptr;
}

int DiffModel::row_of_key(const QString& key) const {
  for (int row = 0; row < rows(); ++row) {
    if (key_of(diff_->rows[static_cast<std::size_t>(row)]) == key) return row;
  }
  return -1;
}

TableCell DiffModel::cell(int row, int column) const {
  const engine::DiffRow& found = diff_->rows[static_cast<std::size_t>(row)];
  switch (column) {
    case kKernel: return {text_of(found.name), text_of(found.name), {}, Tone::kNeutral, true};
    case kVerdict:
      return {verdict_text(found), window_words(found.result.reason), static_cast<int>(found.result.verdict), verdict_tone(found),
              true};
    case kChange: return change_cell(found);
    case kRatio:
      if (!found.is_judged()) return {QStringLiteral("–"), {}, 0.0, Tone::kMuted};
      return {times_text(found.result.ratio), {}, found.result.ratio, found.same_kernel ? Tone::kMuted : Tone::kNeutral};
    case kBefore: return figure_cell(found.before);
    case kAfter: return figure_cell(found.after);
    case kDevice: return {text_of(found.device_id)};
    case kPlan: return {is_one_operator(found.graph) ? tr("single") : kind_text(found.kind)};
    case kMode: return {brief_metric_text(found.metric), metric_text(found.metric)};
    case kShape: return {shape_text(found.graph), text_of(found.graph), {}, Tone::kMuted};
    case kQ:
      if (found.result.q_value >= 1) return {QStringLiteral("–"), {}, 1.0, Tone::kMuted};
      return {QString::number(found.result.q_value, 'g', 2), {}, found.result.q_value};
    default: {
      const bool same = !found.is_judged() || found.before.config == found.after.config;
      const QString text = same ? text_of(found.after.is_final() ? found.after.config : found.before.config)
                                : QStringLiteral("%1 → %2").arg(text_of(found.before.config), text_of(found.after.config));
      return {text, text, {}, Tone::kMuted};
    }
  }
}

EnvironmentDiffModel::EnvironmentDiffModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Environment"), tr("What differs; nothing else does"), false, 100},
               {tr("Before"), {}, false, 190, 80, false, true},
               {tr("After"), {}, false, 190, 80, false, true}});
}

void EnvironmentDiffModel::set_diff(RunDiffPtr diff) {
  beginResetModel();
  diff_ = std::move(diff);
  endResetModel();
}

// "Nothing differs" is a finding, too: it has a row.
int EnvironmentDiffModel::rows() const {
  if (diff_ == nullptr || diff_->rows.empty()) return 0;
  return std::max(1, static_cast<int>(diff_->environment.size()));
}

TableCell EnvironmentDiffModel::cell(int row, int column) const {
  if (diff_->environment.empty())
    return {column == 0 ? tr("the same") : QStringLiteral("–"),
            tr("Machine, CPU, driver, kernel, clocks and version"),
            {},
            Tone::kMuted};
  const engine::RunDiff::Difference& found = diff_->environment[static_cast<std::size_t>(row)];
  const QString text = text_of(column == 0 ? found.name : column == 1 ? found.before : found.after);
  return {text, text, {}, column == 0 ? Tone::kWarning : Tone::kNeutral};
}

QString key_of(const engine::DiffRow& row) {
  return QStringList{text_of(row.piece_key), kind_text(row.kind), text_of(row.device_id), text_of(row.metric_key)}.join(
      QLatin1Char('\n'));
}

}  // namespace fuselab::gui
