// SPDX-License-Identifier: Apache-2.0
#include "app/views/figure_marks.h"

#include "core/base/formatted.h"
#include "core/base/units.h"

namespace fuselab::engine {
namespace {

void count(const Cell& cell, FigureCounts& counts) {
  if (cell.withheld) ++counts.withheld;
  if (!cell.figure) return;
  ++counts.figures;
  if (!cell.figure->disturbance.empty()) ++counts.disturbed;
}

// Fused and unfused of a single operator are one plan, withheld or not.
bool is_same_trial(const Cell& a, const Cell& b) {
  const auto trial = [](const Cell& cell) {
    return cell.figure ? cell.figure->trial_id : cell.withheld ? cell.withheld->trial_id : std::string();
  };
  return !trial(a).empty() && trial(a) == trial(b);
}

bool is_within(const Interval& interval, double value) {
  return interval.low <= value && value <= interval.high;
}

}  // namespace

std::string disturbed_mark(const Figure& figure) {
  return figure.disturbance.empty() ? "" : kDisturbedMark;
}

std::string withheld_words(const Cell& cell) {
  if (!cell.withheld) return "withheld";
  const std::string words = "withheld: " + format_duration(Nanoseconds{cell.withheld->median_ns});
  return cell.share_of_ceiling > 0 ? words + formatted(", %.0f%% of its ceiling", 100 * cell.share_of_ceiling) : words;
}

FigureCounts count_figures(const CompareTable& table) {
  FigureCounts counts;
  for (const CompareRow& row : table.rows) {
    for (const CompareCell& cell : row.cells) {
      count(cell.fused, counts);
      count(cell.cold_fused, counts);
      if (!is_same_trial(cell.fused, cell.unfused)) count(cell.unfused, counts);
      if (!is_same_trial(cell.cold_fused, cell.cold_unfused)) count(cell.cold_unfused, counts);
    }
  }
  for (const WholeModel& whole : table.whole_models) count(whole.cell.fused, counts);
  return counts;
}

std::string counts_words(const FigureCounts& counts) {
  std::string words = counts.withheld > 0 ? formatted("%d withheld", counts.withheld) : "";
  if (counts.disturbed > 0)
    words += (words.empty() ? "" : ", ") +
             formatted("%.0f%% of %d figures disturbed (", 100 * counts.disturbed_share(), counts.figures) + kDisturbedMark + ")";
  return words;
}

std::optional<double> times_ratio(const CompareCell& cell) {
  if (!cell.fused.figure || !cell.unfused.figure || cell.fused.figure->median_ns <= 0) return std::nullopt;
  return cell.unfused.figure->median_ns / cell.fused.figure->median_ns;
}

bool gain_is_of_the_times(const CompareCell& cell) {
  const auto ratio = times_ratio(cell);
  return !cell.gain || !ratio || (cell.gain_processes <= 1 && is_within(cell.gain->interval, *ratio));
}

std::string gain_source_words(const CompareCell& cell) {
  if (gain_is_of_the_times(cell)) return "";
  const double ratio = *times_ratio(cell);
  if (cell.gain_processes <= 1) return formatted("gain from pairs of runs; the quotient of the two times is %.2fx", ratio);
  const std::string words = formatted("gain from %d fresh processes; times from one block", cell.gain_processes);
  return is_within(cell.gain->interval, ratio) ? words : words + formatted(", whose quotient is %.2fx", ratio);
}

}  // namespace fuselab::engine
