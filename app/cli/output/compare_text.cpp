// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/compare_text.h"

#include <algorithm>
#include <set>

#include "app/cli/shell/reproduce.h"
#include "app/views/choice.h"
#include "app/views/decision_words.h"
#include "app/views/figure_marks.h"
#include "app/views/recorded_rows.h"
#include "app/views/whole_model_words.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/measure/outcome.h"

namespace fuselab::cli {
namespace {

using engine::Cell;
using engine::CellState;
using engine::CompareCell;
using engine::CompareRow;
using engine::CompareTable;
using engine::ModelTotal;

// Says in a word why there is no figure: reasons begin with the plan and the outcome, "fused skipped: …".
std::string failure_text(const std::string& reason) {
  if (reason.rfind("a barrier:", 0) == 0) return "barrier";
  if (reason.rfind("no kernel:", 0) == 0) return "no kernel";
  if (reason.rfind("no pair:", 0) == 0) return "no pair";  // it did not fail itself, the other plan did
  const std::size_t space = reason.find(' '), end = reason.find(':');
  if (end == std::string::npos || space > end) return "failed";
  if (reason.substr(space + 1, end - space - 1) == "withheld") return "withheld";
  const auto outcome = parse_outcome(reason.substr(space + 1, end - space - 1));
  return outcome.ok() ? std::string(name_of(outcome.value())) : "failed";
}

bool has_pending(const CompareRow& row) {
  return std::any_of(row.cells.begin(), row.cells.end(),
                     [](const CompareCell& cell) { return cell.fused.state == CellState::kPending; });
}

// Half the interval as a share of the figure: "1.82 ms ±2%". The share of the ceiling has its own column.
std::string figure_text(const Cell& cell) {
  if (cell.state == CellState::kPending) return "…";
  if (cell.withheld) return "withheld: " + format_duration(Nanoseconds{cell.withheld->median_ns});
  if (!cell.figure) return failure_text(cell.reason);
  const auto& figure = *cell.figure;
  const double half = figure.median_ns > 0 ? 50 * (figure.interval.high - figure.interval.low) / figure.median_ns : 0;
  return format_duration(Nanoseconds{figure.median_ns}) + formatted(" ±%.0f%%", half) + mark_of(figure.drawbacks) +
         engine::disturbed_mark(figure);
}

// A single operator's figure stands where nothing is fused, once.
std::string fused_text(const CompareCell& cell, const Cell& figure) {
  return cell.is_one_plan() ? "–" : figure_text(figure);
}

std::string gain_text(const CompareCell& cell) {
  if (!cell.gain) return cell.fused.figure ? "–" : "";
  const std::string text = formatted("%.2fx [%.2f, %.2f]", cell.gain->value, cell.gain->interval.low, cell.gain->interval.high);
  if (engine::gain_is_of_the_times(cell)) return text;
  return text + (cell.gain_processes > 1 ? formatted(" of %d", cell.gain_processes) : " of pairs");
}

std::string ideal_text(const CompareCell& cell) {
  if (cell.ideal_ns) return format_duration(Nanoseconds{*cell.ideal_ns});
  return cell.fused.state == engine::CellState::kExcluded ? "" : "…";
}

std::string ceiling_text(const CompareCell& cell) {
  if (cell.fused.withheld && cell.fused.share_of_ceiling > 0)
    return formatted("%.0f%% of %s", 100 * cell.fused.share_of_ceiling, cell.bound());
  if (cell.is_withheld()) return "withheld";
  if (!cell.share_of_ceiling) return "";
  std::string share = formatted("%.0f%%", 100 * *cell.share_of_ceiling);
  if (cell.share_interval) share += formatted(" [%.0f, %.0f]", 100 * cell.share_interval->low, 100 * cell.share_interval->high);
  return share + " of " + cell.bound();
}

std::string duration_text(const Cell& cell, double engine::Figure::*nanoseconds) {
  if (!cell.figure || cell.figure.value().*nanoseconds <= 0) return "";
  return format_duration(Nanoseconds{cell.figure.value().*nanoseconds});
}

std::string tuned_text(const CompareCell& cell) {
  return cell.given_up.empty() ? engine::decision_word(cell.tuning) : "given up";
}

std::string best_unfused_text(const CompareRow& row) {
  const engine::BestUnfused& best = row.best_unfused;
  if (!best.cell.figure) return "";
  std::string devices = joined(best.devices, "+");
  return format_duration(Nanoseconds{best.cell.figure->median_ns}) + mark_of(best.cell.figure->drawbacks) +
         engine::disturbed_mark(*best.cell.figure) + (best.composed ? " sum of " : " on ") + devices;
}

// "cpu:0 fused"; why there is none otherwise.
std::string best_text(const CompareRow& row) {
  if (row.recommended_device.empty()) return has_pending(row) ? "…" : failure_text(row.reason);
  const std::string plan = row.single_operator ? "" : " " + std::string(name_of(row.recommended_plan));
  return row.recommended_device + plan;
}

std::string best_time_text(const CompareRow& row, const CompareCell& cell) {
  if (row.recommended_device.empty()) return "";
  return figure_text(row.recommended_plan == PlanKind::kFused ? cell.fused : cell.unfused);
}

// The ceiling of the plan that is recommended; a cell's own share is that of its fused plan.
std::string best_ceiling_text(const CompareRow& row, const CompareCell& cell) {
  const Cell& plan = row.recommended_plan == PlanKind::kFused ? cell.fused : cell.unfused;
  if (row.recommended_device.empty() || !plan.figure || !cell.ideal_ns || plan.figure->median_ns <= 0) return ceiling_text(cell);
  return formatted("%.0f%% of %s", 100 * *cell.ideal_ns / plan.figure->median_ns, cell.bound());
}

// "1.84x onednn:0", "within noise of onednn:0"; otherwise why no other device can be named.
std::string margin_text(const CompareRow& row) {
  if (row.recommended_device.empty()) return "";
  const auto margin = engine::margin_over_next(row);
  if (margin && margin->within_noise) return "within noise of " + margin->next_device;
  if (margin) return formatted("%.2fx ", margin->ratio.value) + margin->next_device;
  if (has_pending(row)) return "…";
  const auto failed = std::find_if(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) {
    return cell.fused.state == CellState::kFailed || cell.fused.state == CellState::kWithheld;
  });
  return failed == row.cells.end() ? "no other" : "no other: " + failure_text(failed->fused.reason);
}

// The beginning of a trial's id, by which `profile --trial` finds it: of the fused plan, else of the one there is.
std::string trial_text(const CompareRow&, const CompareCell& cell) {
  constexpr std::size_t kShown = 8;
  const Cell& plan = cell.fused.figure ? cell.fused : cell.unfused;
  return plan.figure ? plan.figure->trial_id.substr(0, kShown) : std::string();
}

// One column of the comparison: what it shows of a row's cell. Facts of the whole row stand on its first line only.
struct CompareColumn {
  Column column;
  bool of_row;
  std::string (*text)(const CompareRow&, const CompareCell&);
};
using Columns = std::vector<CompareColumn>;
using Row = const CompareRow&;
using Of = const CompareCell&;

const CompareColumn kPiece{{"piece"}, true, [](Row row, Of) { return row.name; }};
const CompareColumn kPattern{{"pattern"}, true, [](Row row, Of) { return row.pattern; }};
const CompareColumn kCount{{"count", Align::kRight}, true, [](Row row, Of) { return std::to_string(row.count); }};
const CompareColumn kDevice{{"device"}, false, [](Row, Of cell) { return cell.device_id; }};
const CompareColumn kUnfused{{"unfused", Align::kRight}, false, [](Row, Of cell) { return figure_text(cell.unfused); }};
const CompareColumn kFused{{"fused", Align::kRight}, false, [](Row, Of cell) { return fused_text(cell, cell.fused); }};
const CompareColumn kIdeal{{"ideal", Align::kRight}, false, [](Row, Of cell) { return ideal_text(cell); }};
const CompareColumn kGain{{"gain", Align::kRight}, false, [](Row, Of cell) { return gain_text(cell); }};
const CompareColumn kCeiling{{"of ceiling", Align::kRight}, false, [](Row, Of cell) { return ceiling_text(cell); }};
const CompareColumn kShare{{"of model", Align::kRight}, true, [](Row row, Of) {
                             return row.share_of_model > 0 ? formatted("%.1f%%", 100 * row.share_of_model) : std::string();
                           }};

// A line per piece, of the device that is recommended for it.
const Columns& columns_of_best() {
  static const Columns columns{kPiece,
                               kCount,
                               {{"best"}, true, [](Row row, Of) { return best_text(row); }},
                               {{"time", Align::kRight}, true, best_time_text},
                               {{"ahead of the next"}, true, [](Row row, Of) { return margin_text(row); }},
                               kGain,
                               kIdeal,
                               {{"of ceiling", Align::kRight}, true, best_ceiling_text},
                               kShare};
  return columns;
}

const Columns& columns_of_one_device() {
  static const Columns columns{kPiece, kPattern, kCount, kDevice, kUnfused, kFused, kIdeal, kGain, kCeiling, kShare};
  return columns;
}

const Columns& all_columns() {
  static const Columns columns{
      kPiece,
      kPattern,
      kCount,
      kDevice,
      kUnfused,
      kFused,
      kIdeal,
      kGain,
      kCeiling,
      {{"cold unfused", Align::kRight}, false, [](Row, Of cell) { return figure_text(cell.cold_unfused); }},
      {{"cold fused", Align::kRight}, false, [](Row, Of cell) { return fused_text(cell, cell.cold_fused); }},
      {{"best unfused", Align::kRight}, true, [](Row row, Of) { return best_unfused_text(row); }},
      {{"compile", Align::kRight}, false, [](Row, Of cell) { return duration_text(cell.fused, &engine::Figure::compile_ns); }},
      {{"first launch", Align::kRight},
       false,
       [](Row, Of cell) { return duration_text(cell.fused, &engine::Figure::first_launch_ns); }},
      {{"disturbed"},
       false,
       [](Row, Of cell) {
         return cell.fused.figure && !cell.fused.figure->disturbance.empty() ? std::string("yes") : std::string();
       }},
      {{"tuned"}, false, [](Row, Of cell) { return tuned_text(cell); }},
      {{"trial"}, false, [](Row row, Of cell) { return trial_text(row, cell); }},
      kShare,
  };
  return columns;
}

bool is_by_piece(const CompareTable& table, Detail detail) {
  return detail == Detail::kUsual &&
         std::any_of(table.rows.begin(), table.rows.end(), [](const CompareRow& row) { return row.cells.size() > 1; });
}

const Columns& columns_of(const CompareTable& table, Detail detail) {
  if (detail == Detail::kAll) return all_columns();
  return is_by_piece(table, detail) ? columns_of_best() : columns_of_one_device();
}

}  // namespace

std::vector<Column> compare_columns(const CompareTable& table, Detail detail) {
  std::vector<Column> columns;
  for (const CompareColumn& column : columns_of(table, detail)) columns.push_back(column.column);
  return columns;
}

std::vector<std::vector<std::string>> compare_rows(const CompareTable& table, Detail detail) {
  const bool by_piece = is_by_piece(table, detail);
  std::vector<std::vector<std::string>> rows;
  for (const CompareRow& row : table.rows) {
    for (const CompareCell& cell : row.cells) {
      const bool chosen = cell.device_id == row.recommended_device;
      const bool first = &cell == &row.cells.front();
      if (by_piece && !chosen && !(first && row.recommended_device.empty())) continue;
      auto& line = rows.emplace_back();
      for (const CompareColumn& column : columns_of(table, detail))
        line.push_back(by_piece || first || !column.of_row ? column.text(row, cell) : "");
    }
  }
  return rows;
}

std::string title_text(const CompareTable& table) {
  const std::string binding = table.binding.empty() ? "" : " (" + table.binding + ")";
  const std::string dtype = table.dtype.empty() ? "" : ", " + table.dtype;
  return plain_line(table.model + binding + dtype + ", " +
                    (table.level.empty() ? "at a level that is not known any more" : table.level));
}

std::string unchecked_text(const CompareTable& table) {
  return table.unchecked.empty() ? "" : "As stored: " + plain_line(table.unchecked) + "\n";
}

std::string also_measured_text(const CompareTable& table) {
  constexpr std::size_t kMost = 6;
  std::string options;
  for (std::size_t index = 0; index < std::min(kMost, table.also_measured.size()); ++index) {
    const engine::Question& other = table.also_measured[index];
    options += options.empty() ? "" : ";";
    if (other.binding != table.binding && !other.binding.empty()) options += " --shape " + other.binding;
    if (other.dtype != table.dtype && !other.dtype.empty()) options += " --dtype " + other.dtype;
    if (other.level != table.level) options += " --level " + other.level;
  }
  if (options.empty()) return "";
  const std::size_t more = table.also_measured.size() - std::min(kMost, table.also_measured.size());
  return "Also measured, to be seen with" + plain_line(options) + (more > 0 ? formatted("; and %zu more", more) : "") + "\n";
}

std::string mark_of(PlanDrawbacks drawbacks) {
  return drawbacks.any() ? kDrawbackMark : "";
}

std::string drawback_note(Drawbacks marked) {
  std::string text;
  for (const DrawbackInfo& info : kDrawbacks) {
    if (!marked.has(info.drawback)) continue;
    text += std::string(kDrawbackMark) + " " + std::string(info.verb) + ": " + std::string(info.meaning) + ". Chosen with " +
            accepting({info.drawback}) + " only.\n";
  }
  return text;
}

Drawbacks shown_drawbacks(const CompareTable& table) {
  Drawbacks shown;
  const auto look_at = [&](const Cell& cell) {
    if (cell.figure) shown = shown | cell.figure->drawbacks.stated;
  };
  for (const engine::WholeModel& whole : table.whole_models) look_at(whole.cell.fused);
  for (const CompareRow& row : table.rows) {
    look_at(row.best_unfused.cell);
    for (const CompareCell& cell : row.cells) {
      look_at(cell.fused);
      look_at(cell.unfused);
    }
  }
  return shown;
}

std::string withheld_note(const CompareTable& table) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> lines;
  const auto look_at = [&](const std::string& what, const Cell& plan) {
    if (plan.withheld) lines.push_back(plain_line(what + " " + engine::withheld_words(plan)));
  };
  for (const CompareRow& row : table.rows) {
    for (const CompareCell& cell : row.cells) {
      const std::string where = row.name + " on " + cell.device_id + ",";
      look_at(where + (row.single_operator ? "" : " fused"), cell.fused);
      if (!row.single_operator) look_at(where + " unfused", cell.unfused);
      look_at(where + " cold", cell.cold_fused);
      if (!row.single_operator) look_at(where + " cold unfused", cell.cold_unfused);
    }
  }
  for (const engine::WholeModel& whole : table.whole_models)
    look_at("the whole model on " + whole.cell.device_id + ",", whole.cell.fused);
  if (lines.empty()) return "";
  std::string text =
      "Withheld: ran and verified, but faster than its ceiling, so one of the two is wrong; never chosen or summed.\n";
  for (std::size_t index = 0; index < std::min(kMost, lines.size()); ++index) text += "  " + lines[index] + "\n";
  return lines.size() > kMost ? text + formatted("  and %zu more\n", lines.size() - kMost) : text;
}

std::string disturbed_note(const CompareTable& table) {
  if (engine::count_figures(table).disturbed == 0) return "";
  return std::string(engine::kDisturbedMark) + " disturbed: other load took the CPU while it was timed.\n";
}

std::string gain_note(const CompareTable& table) {
  std::string text;
  bool of_processes = false;
  for (const CompareRow& row : table.rows) {
    for (const CompareCell& cell : row.cells) {
      const std::string words = engine::gain_source_words(cell);
      of_processes = of_processes || (!words.empty() && cell.gain_processes > 1);
      // Only where the two contradict each other a line of its own is worth the room.
      const bool decides = cell.device_id == row.recommended_device || row.cells.size() == 1;
      if (decides && words.find("quotient") != std::string::npos)
        text += "  " + plain_line(row.name + " on " + cell.device_id + ": " + words) + "\n";
    }
  }
  if (of_processes) text = "A gain \"of N\" is from N fresh processes, its two times are from one block.\n" + text;
  return text;
}

std::string total_text(const ModelTotal& total) {
  std::string line = plain_line(total.device_id) + ": ";
  if (total.covers() == 0) return line + "…";
  if (total.fused_ns <= 0) return line + formatted("no total: lacks %d of %d pieces", total.pieces - total.covers(), total.pieces);
  const std::string mark = mark_of(total.drawbacks);
  line += "unfused " + format_duration(Nanoseconds{total.unfused_ns}) + mark + ", fused " +
          format_duration(Nanoseconds{total.fused_ns}) + mark;
  if (total.ideal_ns > 0) line += ", ideal " + format_duration(Nanoseconds{total.ideal_ns});
  if (total.switching_ns > 0) line += ", switching devices takes " + format_duration(Nanoseconds{total.switching_ns});
  if (total.completed_pieces > 0)
    line += formatted(", %d %s of it (", total.completed_pieces, total.completed_pieces == 1 ? "piece" : "pieces") +
            format_duration(Nanoseconds{total.completed_ns}) + ") elsewhere";
  if (!total.is_whole()) line += formatted(" (over %d of %d pieces)", total.covers(), total.pieces);
  return line;
}

std::string whole_model_text(const engine::WholeModel& whole) {
  const Cell& figure = whole.cell.fused;
  const std::string words = plain_line(engine::whole_model_words(whole));
  return plain_line(whole.cell.device_id) + ": " + (figure.figure ? figure_text(figure) + (words.empty() ? "" : ", ") : "") + words;
}

namespace {

std::string whole_models_text(const CompareTable& table, const Terminal& terminal) {
  if (table.whole_models.empty()) return "";
  std::string text = "\n" + terminal.bold(plain_line(engine::whole_models_title(table))) + "\n";
  for (const engine::WholeModel& whole : table.whole_models) text += "  " + whole_model_text(whole) + "\n";
  return text;
}

// "opencl:0 is software on this processor."; empty where no device is.
std::string software_note(const CompareTable& table) {
  std::set<std::string> devices;
  for (const CompareRow& row : table.rows) {
    for (const CompareCell& cell : row.cells) {
      if (cell.is_software) devices.insert(cell.device_id);
    }
  }
  std::string text;
  for (const std::string& device : devices) text += plain_line(device) + " is software on this CPU.\n";
  return text;
}

std::string recommendations(const CompareTable& table, const Terminal& terminal) {
  std::string text;
  for (const CompareRow& row : table.rows) {
    // The reason of a choice begins with the device that was chosen.
    const bool chosen = !row.recommended_device.empty() && row.reason.rfind(row.recommended_device, 0) == 0;
    const std::string device =
        chosen ? terminal.green(plain_line(row.recommended_device)) : terminal.dim(row.graph.empty() ? "none: " : "none yet: ");
    const std::string reason = row.reason.substr(chosen ? row.recommended_device.size() : 0);
    text += "  " + plain_line(row.name) + " → " + device + plain_text(reason) + "\n";
    const std::string command = has_failed(row) ? reproducing_command(table, row) : "";
    if (!command.empty()) text += "    reproduce: " + plain_line(command) + "\n";
  }
  return text;
}

}  // namespace

std::string compare_text(const CompareTable& table, Detail detail, const Terminal& terminal) {
  std::string text = terminal.bold(title_text(table));
  text += formatted(": %zu distinct %s", table.rows.size(), table.rows.size() == 1 ? "piece" : "pieces");
  if (table.covered_share < 1) text += formatted(", %.0f%% of the operators read", 100 * table.covered_share);
  const std::string counts = engine::counts_words(engine::count_figures(table));
  if (!counts.empty()) text += ", " + counts;
  text += "\n" + unchecked_text(table) + also_measured_text(table) + "\n";
  text += render_table(compare_columns(table, detail), compare_rows(table, detail), terminal) +
          drawback_note(shown_drawbacks(table)) + disturbed_note(table) + gain_note(table) + withheld_note(table) +
          software_note(table);
  text += "\n" + terminal.bold("Model total") + " (counts included)\n";
  for (const ModelTotal& total : table.totals) text += "  " + total_text(total) + "\n";
  text += whole_models_text(table, terminal);
  const bool is_recording = std::ranges::all_of(table.rows, engine::is_recorded);
  text += "\n" + terminal.bold(is_recording ? "Fastest in recordings" : "Recommended default") + "\n" +
          recommendations(table, terminal);
  return text;
}

}  // namespace fuselab::cli
