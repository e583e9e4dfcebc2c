// SPDX-License-Identifier: Apache-2.0
#include "app/gui/models/history_model.h"

#include <algorithm>
#include <cmath>

#include "app/gui/look/figures.h"
#include "core/base/shown_commit.h"

namespace fuselab::gui {
namespace {

double largest_change(const JudgedHistory& series) {
  double largest = 0;
  for (const ChangePoint& change : series.found.changes) largest = std::max(largest, std::fabs(change.change));
  return largest;
}

QString signed_percent(double log_ratio) {
  const double percent = 100 * std::expm1(log_ratio);
  return (percent > 0 ? QStringLiteral("+") : QString()) + QString::number(percent, 'f', 2);
}

QString day_of(const std::string& started_at) {
  return text_of(started_at.substr(0, started_at.find('T')));
}

// "since 1a2b3c4d5e6f (2026-11-03)"
QString place_text(const HistoryPoint& point) {
  const QString commit = commit_text(point.commit);
  return point.started_at.empty() ? commit : QStringLiteral("%1 (%2)").arg(commit, day_of(point.started_at));
}

bool has_enough_runs(const JudgedHistory& series) {
  const ChangePointRule rule;
  return series.history.points.size() >= static_cast<std::size_t>(rule.least_before) + static_cast<std::size_t>(rule.least_after);
}

}  // namespace

void put_changed_first(std::vector<JudgedHistory>& series) {
  std::stable_sort(series.begin(), series.end(),
                   [](const JudgedHistory& a, const JudgedHistory& b) { return largest_change(a) > largest_change(b); });
}

QString change_text(double log_ratio) {
  return signed_percent(log_ratio) + QStringLiteral(" %");
}

QString commit_text(const std::string& commit) {
  return commit.empty() ? QCoreApplication::translate("fuselab::gui::HistoryModel", "commit not known")
                        : text_of(shown_commit(commit));
}

HistoryModel::HistoryModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Case"), tr("As in fuselab.toml"), false, 200, 110},
               {tr("Changes"), tr("The last change of its level; ▼ slower, ▲ faster"), false, 200, 120},
               {tr("Now"), tr("The case's time over what it is measured beside, at its level of today"), true, 80},
               {tr("Runs"), tr("Runs with a figure"), true, 60},
               {tr("Device"), {}, false, 90, 60},
               {tr("Baseline"), tr("What was measured beside the case in every run, so that the machine's own drift cancels"),
                false, 220, 80, true}});
}

void HistoryModel::set_history(GateHistoryPtr history) {
  beginResetModel();
  history_ = std::move(history);
  endResetModel();
}

const JudgedHistory* HistoryModel::series(int row) const {
  return row >= 0 && row < rows() ? &history_->series[static_cast<std::size_t>(row)] : nullptr;
}

TableCell HistoryModel::cell(int row, int column) const {
  const JudgedHistory& series = history_->series[static_cast<std::size_t>(row)];
  const History& history = series.history;
  switch (column) {
    case kCase: return {text_of(history.name), text_of(history.subject), {}, Tone::kNeutral, true};
    case kChange: {
      const std::vector<ChangePoint>& changes = series.found.changes;
      if (changes.empty()) {
        if (!series.found.drifts.empty())
          return {tr("drifts %1").arg(change_text(series.found.drifts.back().change)), tr("No single place to look for"), 0.0,
                  Tone::kWarning};
        return has_enough_runs(series) ? TableCell{tr("none"), tr("No change of its level"), 0.0, Tone::kMuted}
                                       : TableCell{tr("too few runs"), tr("It takes 15 to look for a change"), 0.0, Tone::kMuted};
      }
      const ChangePoint& last = changes.back();
      const bool slower = last.change > 0;
      QString text = (slower ? QStringLiteral("▼ ") : QStringLiteral("▲ ")) + change_text(last.change);
      if (changes.size() > 1) text += tr(", %1 more").arg(changes.size() - 1);
      return {text, tr("%1 since %2").arg(slower ? tr("Slower") : tr("Faster"), place_text(history.points[last.at])), last.change,
              slower ? Tone::kBad : Tone::kGood, true};
    }
    case kNow:
      if (series.found.levels.empty()) return {QStringLiteral("–"), tr("No run has a figure"), 0.0, Tone::kMuted};
      return {QStringLiteral("%1×").arg(std::exp(series.found.levels.back()), 0, 'f', 3),
              tr("One run scatters by ±%1 %").arg(100 * std::expm1(series.found.deviation), 0, 'g', 2), series.found.levels.back()};
    case kRuns: {
      QStringList besides;
      if (history.identical > 0) besides << tr("%1 of the very same kernel, not measured").arg(history.identical);
      if (history.without_figure > 0) besides << tr("%1 without a figure").arg(history.without_figure);
      if (history.duplicates > 0) besides << tr("%1 given twice").arg(history.duplicates);
      if (history.older > 0) besides << tr("%1 older not looked at").arg(history.older);
      const QString others = besides.isEmpty() ? QString() : tr("Besides: %1").arg(besides.join(QStringLiteral(", ")));
      return {QString::number(history.points.size()), others, static_cast<qlonglong>(history.points.size())};
    }
    case kDevice: return {text_of(history.device), text_of(history.backend)};
    default: return {text_of(history.beside), text_of(history.beside), {}, Tone::kMuted};
  }
}

ChangeModel::ChangeModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Change"), tr("Of the level, with its 95 % interval"), false, 220, 130},
               {tr("Since"), tr("The first run at the new level"), false, 190, 100},
               {tr("Run"), tr("And between which runs it lies with 95 % confidence"), false, 110, 70},
               {tr("Commits"), tr("Where to look: `git bisect start BAD GOOD`"), false, 250, 120, false, true},
               {tr("Changed with it"), tr("What the runs on both sides report differently"), false, 200, 90, true},
               {tr("p"), tr("The chance of as clear a step somewhere in a series without one"), true, 70}});
}

void ChangeModel::show(GateHistoryPtr history, const JudgedHistory* series) {
  beginResetModel();
  history_ = std::move(history);
  series_ = series;
  endResetModel();
}

int ChangeModel::rows() const {
  return series_ == nullptr ? 0 : static_cast<int>(series_->found.changes.size() + series_->found.drifts.size());
}

QString ChangeModel::environment_text(const ChangePoint& change) const {
  const std::vector<HistoryPoint>& points = series_->history.points;
  QStringList parts;
  for (const EnvironmentChange& each :
       environment_changes(history_->reports[points[change.at - 1].report], history_->reports[points[change.at].report]))
    parts << tr("%1: %2 → %3").arg(text_of(each.name), text_of(each.before), text_of(each.after));
  return parts.join(QStringLiteral("; "));
}

TableCell ChangeModel::change_cell(const ChangePoint& change, int column) const {
  const History& history = series_->history;
  switch (column) {
    case kSize: {
      const bool slower = change.change > 0;
      const QString interval =
          QStringLiteral("[%1, %2]").arg(signed_percent(change.interval.low), signed_percent(change.interval.high));
      return {QStringLiteral("%1 %2 %3").arg(slower ? tr("▼ slower") : tr("▲ faster"), change_text(change.change), interval),
              tr("The time, in percent, with its 95 % interval"),
              change.change,
              slower ? Tone::kBad : Tone::kGood,
              true,
              QStringLiteral("%1 %2").arg(slower ? QStringLiteral("▼") : QStringLiteral("▲"), change_text(change.change))};
    }
    case kSince: return {place_text(history.points[change.at]), text_of(history.points[change.at].commit)};
    case kRun:
      if (change.earliest == change.latest) return {QString::number(change.at + 1), {}, static_cast<qlonglong>(change.at)};
      return {tr("%1 (%2 to %3)").arg(change.at + 1).arg(change.earliest + 1).arg(change.latest + 1),
              tr("Between runs %1 and %2 with 95 % confidence").arg(change.earliest + 1).arg(change.latest + 1),
              static_cast<qlonglong>(change.at)};
    case kCommits: {
      const CommitRange range = commits_around(change, history);
      if (range.good.empty() || range.bad.empty())
        return {tr("not known"), tr("The runs do not know their commits"), {}, Tone::kMuted};
      if (range.good == range.bad)
        return {
            tr("%1 on both sides").arg(commit_text(range.good)), tr("What changed is not in the repository"), {}, Tone::kWarning};
      return {tr("after %1, in %2 at the latest").arg(commit_text(range.good), commit_text(range.bad)),
              QStringLiteral("git bisect start %1 %2").arg(commit_text(range.bad), commit_text(range.good))};
    }
    case kEnvironment: {
      const QString text = environment_text(change);
      return text.isEmpty() ? TableCell{QStringLiteral("–"), tr("Nothing that the runs report"), {}, Tone::kMuted}
                            : TableCell{text, text, {}, Tone::kWarning};
    }
    default: return {QString::number(change.p_value, 'g', 2), {}, change.p_value};
  }
}

TableCell ChangeModel::drift_cell(const Drift& drift, int column) const {
  switch (column) {
    case kSize:
      return {tr("drifts by %1").arg(change_text(drift.change)), tr("A straight line describes it better than a step"),
              drift.change, Tone::kWarning, true};
    case kRun: return {tr("%1 to %2").arg(drift.first + 1).arg(drift.last + 1), {}, static_cast<qlonglong>(drift.first)};
    case kCommits: return {tr("no single place to look for"), {}, {}, Tone::kMuted};
    case kSince: return {place_text(series_->history.points[drift.first])};
    default: return {QStringLiteral("–"), {}, {}, Tone::kMuted};
  }
}

TableCell ChangeModel::cell(int row, int column) const {
  const auto place = static_cast<std::size_t>(row);
  const std::vector<ChangePoint>& changes = series_->found.changes;
  return place < changes.size() ? change_cell(changes[place], column)
                                : drift_cell(series_->found.drifts[place - changes.size()], column);
}

}  // namespace fuselab::gui
