// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/jobs/run_summary.h"

#include <algorithm>
#include <filesystem>

#include "app/cli/output/compare_text.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/shell_word.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using engine::CompareCell;
using engine::CompareRow;
using engine::CompareTable;
using engine::ModelTotal;

constexpr std::size_t kLinesPerModel = 4;
constexpr std::size_t kLinesOfNext = 6;
constexpr std::size_t kMostModels = kMostSummaryLines - kLinesOfNext - 1;

const CompareCell* recommended(const CompareRow& row) {
  const auto cell = std::find_if(row.cells.begin(), row.cells.end(),
                                 [&](const CompareCell& each) { return each.device_id == row.recommended_device; });
  return cell == row.cells.end() ? nullptr : &*cell;
}

std::string model_line(const CompareTable& table, const Terminal& terminal) {
  std::string line = terminal.bold(title_text(table)) + ": " + counted(static_cast<int>(table.rows.size()), "distinct piece");
  const ModelTotal* const mix = best_mix(table);
  if (mix == nullptr) return line + ", no figures";
  line += ", best mix " + format_duration({mix->fused_ns}) + mark_of(mix->drawbacks);
  std::string devices;
  for (const auto& [device, pieces] : mix->pieces_on)
    devices += (devices.empty() ? "" : ", ") + plain_line(device) + " " + std::to_string(pieces);
  if (!devices.empty()) line += " (" + devices + ")";
  if (mix->measured_pieces < mix->pieces) line += formatted(", over %d of %d pieces", mix->measured_pieces, mix->pieces);
  return line;
}

// A sum over fewer pieces is no time of the model, so such a device is named without one.
std::string against_devices(const CompareTable& table) {
  const ModelTotal* const mix = best_mix(table);
  std::string whole, partial;
  for (const ModelTotal& total : table.totals) {
    if (mix == nullptr || &total == mix) continue;
    const std::string device = plain_line(total.device_id);
    if (total.is_whole() && total.fused_ns > 0 && mix->is_whole())
      whole += (whole.empty() ? "" : ", ") + device + formatted(" %.2fx", total.fused_ns / mix->fused_ns) +
               (total.completed_pieces > 0 ? "+" : "");
    else
      partial += (partial.empty() ? "" : ", ") + device + formatted(" %d of %d", total.measured_pieces, total.pieces);
  }
  std::string line = whole.empty() ? "" : "fused alone, beside the mix: " + whole;
  if (!partial.empty()) line += (line.empty() ? "pieces with figures: " : "; pieces with figures: ") + partial;
  return line;
}

std::string largest_gains(const CompareTable& table) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<const CompareRow*, const CompareCell*>> gaining;
  for (const CompareRow& row : table.rows) {
    const CompareCell* const cell = recommended(row);
    const bool fused = cell != nullptr && row.recommended_plan == PlanKind::kFused && cell->gain;
    if (fused && cell->gain->interval.low > 1) gaining.emplace_back(&row, cell);
  }
  std::stable_sort(gaining.begin(), gaining.end(),
                   [](const auto& a, const auto& b) { return a.second->gain->value > b.second->gain->value; });
  if (gaining.empty()) return "";
  gaining.resize(std::min(gaining.size(), kShown));
  std::string line;
  for (const auto& [row, cell] : gaining) {
    const Interval& interval = cell->gain->interval;
    line += (line.empty() ? "largest gains of fusing: " : ", ") + plain_line(row->name) +
            formatted(" %.2fx [%.2f, %.2f]", cell->gain->value, interval.low, interval.high);
  }
  return line;
}

const CompareRow* most_headroom(const CompareTable& table) {
  const auto row = std::max_element(table.rows.begin(), table.rows.end(),
                                    [](const CompareRow& a, const CompareRow& b) { return a.to_be_won_ns < b.to_be_won_ns; });
  return row == table.rows.end() || row->to_be_won_ns <= 0 || recommended(*row) == nullptr ? nullptr : &*row;
}

std::string headroom(const CompareTable& table) {
  const CompareRow* const row = most_headroom(table);
  if (row == nullptr) return "";
  const CompareCell& cell = *recommended(*row);
  std::string line = "largest headroom: " + plain_line(row->name) + " on " + plain_line(cell.device_id) + ", " +
                     format_duration({row->to_be_won_ns}) + " above its ideal";
  if (cell.share_of_ceiling) line += formatted(" (%.0f%% of %s)", 100 * *cell.share_of_ceiling, cell.bound());
  return line;
}

// Returns the subject that the table is of, as typed and in a shell's words. A file is typed by its path and shown by its name.
std::string typed_subject(const CompareTable& table, const Typed& typed) {
  if (typed.subjects.size() == 1) return shell_word(typed.subjects.front());
  std::vector<std::string> of_table;
  for (const std::string& subject : typed.subjects) {
    const std::string file = std::filesystem::path(subject).filename().string();
    if (table.model == file || table.model.starts_with(file + "@")) of_table.push_back(subject);
  }
  return shell_word(of_table.size() == 1 ? of_table.front() : plain_line(table.model));
}

// For the model whose best mix takes longest.
std::string what_next(const std::vector<CompareTable>& tables, const Typed& typed) {
  const CompareTable* longest = nullptr;
  for (const CompareTable& table : tables) {
    const ModelTotal* const mix = best_mix(table);
    if (mix != nullptr && (longest == nullptr || best_mix(*longest)->fused_ns < mix->fused_ns)) longest = &table;
  }
  if (longest == nullptr) return "";
  std::string model = typed_subject(*longest, typed);
  if (typed.with_shape && !longest->binding.empty()) model += " --shape " + shell_word(longest->binding);
  model += typed.question;
  const std::string stored = model + typed.mode + typed.where;
  std::string text = "\nNext:\n  fuselab compare " + stored + "   # every piece; --wide has every device\n";
  if (const CompareRow* const row = most_headroom(*longest))
    text += "  fuselab profile " + stored + " --piece " + shell_word(plain_line(row->name)) + " --device " +
            shell_word(plain_line(row->recommended_device)) + "   # why it is as fast as it is\n";
  return text + "  fuselab export " + model + typed.where + " --to model.fuselab   # one file that a small C library runs\n";
}

bool is_tuned(const CompareTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), [](const CompareRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) {
      return cell.tuning.is_known() || (cell.fused.figure && cell.fused.figure->confirmed);
    });
  });
}

std::string more_models(std::size_t models) {
  return models <= kMostModels ? "" : formatted("and %zu more models: `fuselab compare` shows them\n", models - kMostModels);
}

}  // namespace

const ModelTotal* best_mix(const CompareTable& table) {
  const auto mix = std::find_if(table.totals.begin(), table.totals.end(),
                                [](const ModelTotal& total) { return total.device_id == engine::kBestMix; });
  return mix == table.totals.end() || mix->measured_pieces == 0 || mix->fused_ns <= 0 ? nullptr : &*mix;
}

bool is_whole(const CompareTable& table) {
  return std::all_of(table.rows.begin(), table.rows.end(), [](const CompareRow& row) {
    return !row.recommended_device.empty() || std::none_of(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) {
      return cell.fused.state == engine::CellState::kPending;
    });
  });
}

std::string models_text(const std::vector<CompareTable>& tables, const Terminal& terminal) {
  std::string text;
  for (std::size_t index = 0; index < std::min(tables.size(), kMostModels); ++index)
    text += model_line(tables[index], terminal) + "\n";
  return text + more_models(tables.size());
}

std::string early_text(const std::vector<CompareTable>& tables, const Terminal& terminal) {
  const bool tuned = std::any_of(tables.begin(), tables.end(), is_tuned);
  return (tuned ? "What is stored so far; the job continues from there.\n" : "First figures, not tuned yet.\n") +
         models_text(tables, terminal);
}

std::string run_summary(const std::vector<CompareTable>& tables, const Typed& typed, const Terminal& terminal) {
  const bool in_detail = tables.size() * kLinesPerModel + kLinesOfNext <= kMostSummaryLines;
  std::string text;
  for (std::size_t index = 0; index < std::min(tables.size(), kMostModels); ++index) {
    text += model_line(tables[index], terminal) + "\n";
    if (!in_detail) continue;
    for (const std::string& line : {against_devices(tables[index]), largest_gains(tables[index]), headroom(tables[index])}) {
      if (!line.empty()) text += "  " + line + "\n";
    }
  }
  return text + more_models(tables.size()) + what_next(tables, typed);
}

}  // namespace fuselab::cli
