// SPDX-License-Identifier: Apache-2.0
#include "app/session/choice.h"

#include <algorithm>
#include <cstdio>

#include "core/base/units.h"

namespace fuselab::session {
namespace {

std::string figure_text(const Figure& figure) {
  return format_duration(Nanoseconds{figure.median_ns}) + " [" + format_duration(Nanoseconds{figure.interval.low}) + ", " +
         format_duration(Nanoseconds{figure.interval.high}) + "]";
}

std::string gain_text(const Ratio& gain) {
  char text[96];
  std::snprintf(text, sizeof text, "%.2fx [%.2f, %.2f]", gain.value, gain.interval.low, gain.interval.high);
  return text;
}

// The better of a device's two plans, as the choice compares devices: fusing may lose.
const Figure* best_figure(const CompareCell& cell) {
  const Figure* fused = cell.fused.figure ? &*cell.fused.figure : nullptr;
  const Figure* unfused = cell.unfused.figure ? &*cell.unfused.figure : nullptr;
  if (fused == nullptr || unfused == nullptr) return fused != nullptr ? fused : unfused;
  return unfused->median_ns < fused->median_ns ? unfused : fused;
}

std::string how_it_runs(const CompareCell& cell) {
  const Figure& figure = *best_figure(cell);
  bool const fused = cell.fused.figure && figure.trial_id == cell.fused.figure->trial_id;
  std::string text = (fused ? "fused " : "unfused ") + figure_text(figure);
  if (cell.gain) {
    text += cell.gain->interval.low > 1    ? "; fusing gains " + gain_text(*cell.gain)
            : cell.gain->interval.high < 1 ? "; fusing loses: " + gain_text(*cell.gain)
                                           : "; fused and unfused are the same within noise: " + gain_text(*cell.gain);
  }
  return text;
}

}  // namespace

Choice choose_device(const CompareRow& row) {
  std::vector<const CompareCell*> measured;
  for (const CompareCell& cell : row.cells) {
    if (best_figure(cell) != nullptr) measured.push_back(&cell);
  }
  if (measured.empty()) {
    auto const failed =
        std::find_if(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) { return !cell.fused.reason.empty(); });
    return {"", failed == row.cells.end() ? "not measured yet" : failed->fused.reason};
  }
  std::stable_sort(measured.begin(), measured.end(), [](const CompareCell* a, const CompareCell* b) {
    return best_figure(*a)->median_ns < best_figure(*b)->median_ns;
  });
  const CompareCell& best = *measured.front();
  std::string reason = how_it_runs(best);
  if (measured.size() == 1) {
    reason += row.cells.size() == 1 ? "; the only usable device" : "; the only device that could run it";
  } else {
    const Figure& second = *best_figure(*measured[1]);
    bool const same = second.interval.low <= best_figure(best)->interval.high;
    reason += (same ? "; the same within noise as " : "; next is ") + measured[1]->device_id + " with " + figure_text(second);
  }
  return {best.device_id, reason};
}

}  // namespace fuselab::session
