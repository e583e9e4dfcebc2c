// SPDX-License-Identifier: Apache-2.0
#include "app/views/whole_model_words.h"

#include <algorithm>

#include "app/views/figure_marks.h"
#include "core/base/formatted.h"
#include "core/base/units.h"

namespace fuselab::engine {

std::string whole_models_title(const CompareTable& table) {
  std::string title = "Whole model in one stack";
  const auto mix =
      std::find_if(table.totals.begin(), table.totals.end(), [](const ModelTotal& total) { return total.device_id == kBestMix; });
  if (mix == table.totals.end() || mix->measured_pieces == 0 || mix->measured_pieces < mix->pieces) return title;
  std::string pieces;
  for (const auto& [device, count] : mix->pieces_on) pieces += (pieces.empty() ? "" : ", ") + device + " " + std::to_string(count);
  return title + ", beside the best mix of its pieces, " + format_duration(Nanoseconds{mix->fused_ns}) + " (" + pieces + ")";
}

std::string whole_model_words(const WholeModel& whole) {
  const Cell& cell = whole.cell.fused;
  if (cell.state == CellState::kExcluded) return "not measured: " + cell.reason;
  if (cell.withheld) return withheld_words(cell);
  // Reasons begin with the plan, which says nothing here: "single unsupported: Swish: …".
  if (!cell.figure) return cell.reason.substr(std::min(cell.reason.size(), cell.reason.find(' ') + 1));
  if (!whole.of_best_mix) return "";
  const Ratio& ratio = *whole.of_best_mix;
  const char* const verdict = !ratio.excludes_one() ? "within noise of it" : ratio.value < 1 ? "faster" : "slower";
  return formatted("%.2fx the time of the best mix [%.2f, %.2f]: ", ratio.value, ratio.interval.low, ratio.interval.high) + verdict;
}

}  // namespace fuselab::engine
