// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/figures.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/look/window_words.h"
#include "app/views/figure_marks.h"
#include "core/base/units.h"
#include "core/select/gain_verdict.h"

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::figures", text);
}

struct OutcomeWords {
  const char* name;
  const char* words;
  Tone tone;
};

// One row per core Outcome; a name that a newer database brings is shown as it is.
constexpr std::array<OutcomeWords, 13> kOutcomes = {{
    {"timed", QT_TRANSLATE_NOOP("fuselab::gui::figures", "timed"), Tone::kGood},
    {"matched", QT_TRANSLATE_NOOP("fuselab::gui::figures", "verified, not timed"), Tone::kNeutral},
    {"dropped", QT_TRANSLATE_NOOP("fuselab::gui::figures", "dropped: too slow"), Tone::kMuted},
    {"unsupported", QT_TRANSLATE_NOOP("fuselab::gui::figures", "unsupported"), Tone::kMuted},
    {"skipped", QT_TRANSLATE_NOOP("fuselab::gui::figures", "skipped"), Tone::kMuted},
    {"compile-error", QT_TRANSLATE_NOOP("fuselab::gui::figures", "compile error"), Tone::kBad},
    {"launch-error", QT_TRANSLATE_NOOP("fuselab::gui::figures", "launch error"), Tone::kBad},
    {"wrong-result", QT_TRANSLATE_NOOP("fuselab::gui::figures", "wrong result"), Tone::kBad},
    {"out-of-memory", QT_TRANSLATE_NOOP("fuselab::gui::figures", "out of memory"), Tone::kBad},
    {"timeout", QT_TRANSLATE_NOOP("fuselab::gui::figures", "timeout"), Tone::kBad},
    {"crashed", QT_TRANSLATE_NOOP("fuselab::gui::figures", "crashed"), Tone::kBad},
    {"mistrusted", QT_TRANSLATE_NOOP("fuselab::gui::figures", "withheld"), Tone::kWarning},
    {"cancelled", QT_TRANSLATE_NOOP("fuselab::gui::figures", "cancelled"), Tone::kMuted},
}};

const OutcomeWords* find_outcome(const QString& name) {
  for (const OutcomeWords& row : kOutcomes) {
    if (name == QLatin1String(row.name)) return &row;
  }
  return nullptr;
}

struct TimeUnit {
  double factor;
  const char* name;
};

TimeUnit unit_for(double ns) {
  if (ns >= 1e9) return {1e9, "s"};
  if (ns >= 1e6) return {1e6, "ms"};
  if (ns >= 1e3) return {1e3, "µs"};
  return {1, "ns"};
}

QString digits(double value) {
  return QString::number(value, 'f', value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

// Returns whether both bounds keep at least two digits in this unit, and no more than four before the point.
bool fit_into(const TimeUnit& unit, double low_ns, double high_ns) {
  return low_ns >= 0.1 * unit.factor && high_ns < 1e4 * unit.factor;
}

QString bounds_text(double low_ns, double high_ns, const TimeUnit& unit) {
  const bool fit = fit_into(unit, low_ns, high_ns);
  const auto bound = [&](double ns) { return fit ? digits(ns / unit.factor) : duration_text(ns); };
  return QStringLiteral("[%1, %2]").arg(bound(low_ns), bound(high_ns));
}

}  // namespace

QString duration_text(double ns) {
  return text_of(format_duration(Nanoseconds{ns}));
}

QString interval_text(double low_ns, double high_ns, double median_ns) {
  const TimeUnit unit = unit_for(median_ns);
  const QString bounds = bounds_text(low_ns, high_ns, unit);
  return fit_into(unit, low_ns, high_ns) ? QStringLiteral("%1 %2").arg(bounds, QString::fromUtf8(unit.name)) : bounds;
}

QString figure_text(const engine::Figure& figure) {
  return QStringLiteral("%1 %2").arg(duration_text(figure.median_ns) + marks_of(figure),
                                     bounds_text(figure.interval.low, figure.interval.high, unit_for(figure.median_ns)));
}

QString brief_figure_text(const engine::Figure& figure) {
  const double half = (figure.interval.high - figure.interval.low) / 2;
  const double percent = figure.median_ns > 0 ? half / figure.median_ns * 100 : 0;
  const QString share = percent < 0.05 ? QStringLiteral("<0.1") : QString::number(percent, 'f', percent < 0.95 ? 1 : 0);
  return QStringLiteral("%1 ±%2 %").arg(duration_text(figure.median_ns) + marks_of(figure), share);
}

QString marks_of(const engine::Figure& figure) {
  return drawback_mark(figure.drawbacks.stated) + text_of(engine::disturbed_mark(figure));
}

QString drawback_mark(Drawbacks drawbacks) {
  return drawbacks.empty() ? QString() : QStringLiteral("*");
}

QString drawback_text(Drawbacks drawbacks) {
  QStringList lines;
  for (const DrawbackInfo& info : kDrawbacks) {
    if (!drawbacks.has(info.drawback)) continue;
    lines
        << tr("* %1: %2; chosen with %3 only").arg(text_of(info.verb), text_of(info.meaning), text_of(accepting({info.drawback})));
  }
  return lines.join(QLatin1Char('\n'));
}

QString percent_text(double share) {
  const double percent = share * 100;
  return QStringLiteral("%1 %").arg(percent, 0, 'f', percent < 9.95 ? 1 : 0);
}

QString seconds_left_text(double seconds) {
  const auto whole = static_cast<int>(std::ceil(seconds));
  if (whole < 60) return tr("%1 s left").arg(whole);
  if (whole < 3600) return tr("%1 min %2 s left").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
  return tr("%1 h %2 min left").arg(whole / 3600).arg(whole % 3600 / 60, 2, 10, QLatin1Char('0'));
}

QString count_text(std::int64_t count) {
  return QLocale().toString(static_cast<qlonglong>(count));
}

QString counted_text(std::int64_t count, const QString& one, const QString& many) {
  return QStringLiteral("%1 %2").arg(count_text(count), count == 1 ? one : many);
}

QString time_text(std::int64_t unix_ms) {
  return QDateTime::fromMSecsSinceEpoch(unix_ms).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString ratio_text(const Ratio& ratio) {
  return QStringLiteral("%1× [%2, %3]").arg(digits(ratio.value), digits(ratio.interval.low), digits(ratio.interval.high));
}

Tone ratio_tone(const Ratio& ratio) {
  if (!ratio.excludes_one()) return Tone::kMuted;
  return ratio.value > 1 ? Tone::kGood : Tone::kBad;
}

QString gain_verdict(const engine::CompareCell& cell) {
  const Ratio& gain = *cell.gain;
  const QString verdict = text_of(gain_words(gain, cell.gain_processes));
  const QString seen = cell.gain_processes > 1 ? tr("%1, in %2 fresh processes").arg(verdict).arg(cell.gain_processes)
                                               : tr("%1, in one process").arg(verdict);
  QString text = seen;
  for (const std::string& more : {deciding_words(gain, cell.gain_processes), engine::gain_source_words(cell)})
    if (!more.empty()) text += QStringLiteral("; ") + text_of(more);
  return text;
}

QString cell_text(const engine::Cell& cell) {
  if (cell.state == engine::CellState::kPending) return kPendingText;
  if (cell.state == engine::CellState::kMeasured && cell.figure) return figure_text(*cell.figure);
  if (cell.state == engine::CellState::kWithheld) return text_of(engine::withheld_words(cell));
  QString reason = window_words(cell.reason);
  const qsizetype colon = reason.indexOf(QLatin1Char(':'));
  if (colon > 0) reason.truncate(colon);
  if (cell.state == engine::CellState::kExcluded) return reason;
  constexpr qsizetype kShort = 24;
  if (reason.size() > kShort) reason = reason.left(kShort - 1) + kPendingText;
  return QStringLiteral("✕ ") + (reason.isEmpty() ? tr("failed") : reason);
}

QString brief_cell_text(const engine::Cell& cell) {
  if (cell.state == engine::CellState::kPending) return kPendingText;
  if (cell.state == engine::CellState::kExcluded) return QStringLiteral("–");
  if (cell.state == engine::CellState::kWithheld) return tr("withheld");
  return cell.state == engine::CellState::kMeasured && cell.figure ? brief_figure_text(*cell.figure) : tr("✕ failed");
}

QString cell_tooltip(const engine::Cell& cell) {
  if (cell.state == engine::CellState::kPending) return tr("Not measured yet.");
  if (cell.state == engine::CellState::kWithheld)
    return tr("%1\nIt ran and its results are right, but it is faster than its ceiling: one of the two is wrong. It is never "
              "chosen or "
              "summed.\n%2")
        .arg(cell_text(cell), window_words(cell.reason));
  if (!cell.figure) return window_words(cell.reason);
  const engine::Figure& figure = *cell.figure;
  QString text =
      tr("Median %1, 95 % interval %2")
          .arg(duration_text(figure.median_ns), interval_text(figure.interval.low, figure.interval.high, figure.median_ns));
  text += QLatin1Char('\n') + tr("Launch configuration: %1").arg(figure.config.empty() ? tr("default") : text_of(figure.config));
  text +=
      QLatin1Char('\n') + (figure.confirmed ? tr("Confirmed in a fresh process.") : tr("Not yet confirmed in a fresh process."));
  if (!figure.disturbance.empty())
    text += QLatin1Char('\n') + QLatin1String(engine::kDisturbedMark) + QLatin1Char(' ') + text_of(figure.disturbance);
  if (figure.drawbacks.any()) text += QLatin1Char('\n') + drawback_text(figure.drawbacks.stated);
  return text;
}

Tone cell_tone(const engine::Cell& cell) {
  if (cell.state == engine::CellState::kFailed) return Tone::kBad;
  if (cell.state == engine::CellState::kWithheld) return Tone::kWarning;
  return cell.state == engine::CellState::kMeasured ? Tone::kNeutral : Tone::kMuted;
}

QString state_text(engine::JobState state) {
  switch (state) {
    case engine::JobState::kQueued: return tr("Queued");
    case engine::JobState::kRunning: return tr("Running");
    case engine::JobState::kPaused: return tr("Paused");
    case engine::JobState::kCancelling: return tr("Cancelling");
    case engine::JobState::kFinished: return tr("Finished");
    case engine::JobState::kCancelled: return tr("Cancelled");
    case engine::JobState::kFailed: return tr("Failed");
  }
  return {};
}

QString headline_text(const engine::JobProgress& progress, bool stands_still) {
  if (progress.state == engine::JobState::kPaused && !stands_still) return tr("Pausing after this block…");
  const QString state = state_text(progress.state);
  return progress.phase.empty() ? state : tr("%1: %2").arg(state, text_of(progress.phase));
}

QString outcome_text(const QString& outcome) {
  const OutcomeWords* row = find_outcome(outcome);
  return row != nullptr ? tr(row->words) : outcome;
}

Tone outcome_tone(const QString& outcome) {
  const OutcomeWords* row = find_outcome(outcome);
  return row != nullptr ? row->tone : Tone::kNeutral;
}

QString kind_text(PlanKind kind) {
  return kind == PlanKind::kFused ? tr("fused") : tr("unfused");
}

QString plan_text(PlanKind kind, bool single_operator) {
  return single_operator ? tr("single") : kind_text(kind);
}

QString activity_text(const engine::JobProgress& progress) {
  const QString what = text_of(progress.activity);
  return progress.detail.empty() ? what : QStringLiteral("%1 · %2").arg(what, text_of(progress.detail));
}

}  // namespace fuselab::gui
