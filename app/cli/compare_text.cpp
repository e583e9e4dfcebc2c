// SPDX-License-Identifier: Apache-2.0
#include "app/cli/compare_text.h"

#include <cstdio>

#include "core/base/units.h"

namespace fuselab::cli {
namespace {

using session::Cell;
using session::CellState;
using session::CompareCell;
using session::CompareRow;
using session::CompareTable;
using session::ModelTotal;

template <typename... Values>
std::string formatted(const char* format, Values... values) {
  char text[128];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// Half the interval as a share of the figure: "1.82 ms ±2%".
std::string figure_text(const Cell& cell) {
  if (cell.state == CellState::kPending) return "…";
  if (cell.state == CellState::kFailed || !cell.figure) return "failed";
  auto const& figure = *cell.figure;
  double const half = figure.median_ns > 0 ? 50 * (figure.interval.high - figure.interval.low) / figure.median_ns : 0;
  return format_duration(Nanoseconds{figure.median_ns}) + formatted(" ±%.0f%%", half);
}

std::string unfused_text(const CompareCell& cell, bool single) {
  return single && cell.fused.figure ? "same" : figure_text(cell.unfused);
}

std::string gain_text(const CompareCell& cell) {
  if (!cell.gain) return cell.fused.figure ? "–" : "";
  return formatted("%.2fx [%.2f, %.2f]", cell.gain->value, cell.gain->interval.low, cell.gain->interval.high);
}

std::string ideal_text(const CompareCell& cell) {
  return cell.ideal_ns ? format_duration(Nanoseconds{*cell.ideal_ns}) : "";
}

std::string ceiling_text(const CompareCell& cell) {
  if (!cell.share_of_ceiling) return "";
  return formatted("%.0f%% of %s", 100 * *cell.share_of_ceiling, cell.memory_bound ? "memory" : "arithmetic");
}

bool same_plan(const CompareCell& cell) {
  return cell.fused.figure && cell.unfused.figure && cell.fused.figure->trial_id == cell.unfused.figure->trial_id;
}

}  // namespace

std::vector<std::vector<std::string>> compare_rows(const CompareTable& table) {
  std::vector<std::vector<std::string>> rows;
  for (const CompareRow& row : table.rows) {
    bool first = true;
    for (const CompareCell& cell : row.cells) {
      rows.push_back({first ? row.name : "", first ? row.pattern : "", first ? std::to_string(row.count) : "", cell.device_id,
                      unfused_text(cell, same_plan(cell)), figure_text(cell.fused), ideal_text(cell), gain_text(cell),
                      ceiling_text(cell), first && row.share_of_model > 0 ? formatted("%.1f%%", 100 * row.share_of_model) : ""});
      first = false;
    }
  }
  return rows;
}

std::string total_text(const ModelTotal& total) {
  std::string line = total.device_id + ": ";
  if (total.measured_pieces == 0) return line + "…";
  line += "unfused " + format_duration(Nanoseconds{total.unfused_ns}) + ", fused " + format_duration(Nanoseconds{total.fused_ns});
  if (total.ideal_ns > 0) line += ", ideal " + format_duration(Nanoseconds{total.ideal_ns});
  if (total.switching_ns > 0) line += ", of which switching devices " + format_duration(Nanoseconds{total.switching_ns});
  if (total.measured_pieces < total.pieces)
    line += " (over " + std::to_string(total.measured_pieces) + " of " + std::to_string(total.pieces) + " pieces)";
  return line;
}

std::vector<Column> compare_columns() {
  return {{"piece"},
          {"pattern"},
          {"count", Align::kRight},
          {"device"},
          {"unfused", Align::kRight},
          {"fused", Align::kRight},
          {"ideal", Align::kRight},
          {"gain", Align::kRight},
          {"of ceiling", Align::kRight},
          {"of model", Align::kRight}};
}

namespace {

std::string recommendations(const CompareTable& table, const Terminal& terminal) {
  std::string text;
  for (const CompareRow& row : table.rows) {
    std::string const device = row.recommended_device.empty() ? terminal.dim("none yet") : terminal.green(row.recommended_device);
    text += "  " + row.name + " → " + device + ": " + row.reason + "\n";
  }
  return text;
}

}  // namespace

std::string compare_text(const CompareTable& table, const Terminal& terminal) {
  std::string text = terminal.bold(table.model + (table.binding.empty() ? "" : " (" + table.binding + ")"));
  text += formatted(": %zu distinct pieces", table.rows.size());
  if (table.covered_share < 1) text += formatted(", %.0f%% of the operators covered", 100 * table.covered_share);
  text += "\n\n";
  text += render_table(compare_columns(), compare_rows(table), terminal);
  text += "\n" + terminal.bold("Model total") + " (counts included)\n";
  for (const ModelTotal& total : table.totals) text += "  " + total_text(total) + "\n";
  text += "\n" + terminal.bold("Recommended default") + "\n" + recommendations(table, terminal);
  return text;
}

}  // namespace fuselab::cli
