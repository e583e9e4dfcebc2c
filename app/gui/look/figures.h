// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QString>
#include <optional>

#include "app/gui/look/theme.h"
#include "app/views/snapshots.h"

// Formats the engine's numbers and states for display. Pure functions.
namespace fuselab::gui {

inline QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}
inline QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString duration_text(double ns);
// Returns "[1.79, 1.86] ms": in the median's unit, or "[50.1 µs, 1.17 ms]" where that would leave a bound without digits.
QString interval_text(double low_ns, double high_ns, double median_ns);
QString figure_text(const engine::Figure& figure);  // "1.82 ms [1.79, 1.86]"
// Returns the shorter "1.82 ms ±3 %": half the interval as a share of the figure.
QString brief_figure_text(const engine::Figure& figure);
// Returns the "*" behind the time of a plan with a drawback, as on the command line; drawback_text()
// explains it.
QString drawback_mark(Drawbacks drawbacks);
QString marks_of(const engine::Figure& figure);  // of its drawbacks and of what disturbed it
QString drawback_text(Drawbacks drawbacks);
QString percent_text(double share);                                                 // "87 %"
QString seconds_left_text(double seconds);                                          // "2 min 05 s left"
QString count_text(std::int64_t count);                                             // digits grouped as the locale does
QString counted_text(std::int64_t count, const QString& one, const QString& many);  // "1 piece", "8 pieces"
QString time_text(std::int64_t unix_ms);

// Returns "1.43× [1.39, 1.47]": a ratio is never shown without its interval.
QString ratio_text(const Ratio& ratio);
Tone ratio_tone(const Ratio& ratio);
// Returns the effect of fusing and the number of processes it was seen in: "fusion wins, in 6 fresh processes". The cell must have
// a gain.
QString gain_verdict(const engine::CompareCell& cell);

// Returns "1.82 ms", "…" while pending, the shortened reason when failed.
QString cell_text(const engine::Cell& cell);
QString brief_cell_text(const engine::Cell& cell);
QString cell_tooltip(const engine::Cell& cell);
Tone cell_tone(const engine::Cell& cell);

QString state_text(engine::JobState state);
// Returns "Running: tuning". A job that is asked to pause first ends the block that it measures, and counts as running until then.
QString headline_text(const engine::JobProgress& progress, bool stands_still);
QString outcome_text(const QString& outcome);  // stored name → words
Tone outcome_tone(const QString& outcome);
QString kind_text(PlanKind kind);
// Does the same for the plan of a piece that may be a single operator, which is neither: "single".
QString plan_text(PlanKind kind, bool single_operator);
// Returns the job's activity and how far it is with it.
QString activity_text(const engine::JobProgress& progress);

inline const QString kPendingText = QStringLiteral("…");

}  // namespace fuselab::gui
