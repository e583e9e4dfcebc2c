// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/compare/selection.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"
#include "core/select/regret.h"

namespace fuselab::cli {
namespace {

bool is_contraction(const MeasuredPiece& piece) {
  return piece.work.primary == OperationType::kContraction;
}

std::string size_text(const MeasuredPiece& piece, double size) {
  if (!is_contraction(piece)) return format_bytes({static_cast<std::int64_t>(size)});
  char text[32];
  std::snprintf(text, sizeof text, "%.4g MFLOP", size * 1e-6);
  return text;
}

bool measured_twice(const MeasuredPiece& piece) {
  return piece.times.size() > 1;
}

std::ptrdiff_t count_choosable(const MeasuredPiece& piece) {
  return std::count_if(piece.times.begin(), piece.times.end(), is_choosable);
}

// Returns how many times as fast the fastest device that may be chosen is as the next one, or 1 without a next one.
double margin_of(const MeasuredPiece& piece) {
  std::vector<double> times;
  for (const TimeOnDevice& time : piece.times) {
    if (is_choosable(time)) times.push_back(time.ns);
  }
  std::sort(times.begin(), times.end());
  return times.size() < 2 ? 1 : times[1] / times[0];
}

std::string series_text(const CrossoverSeries& series, const std::vector<SelectableDevice>& devices, const Terminal& terminal) {
  const MeasuredPiece& first = *series.pieces.front();
  std::vector<Column> columns = {{"size", Align::kRight}, {"piece"}};
  for (const SelectableDevice& device : devices) columns.push_back({device.id, Align::kRight});
  columns.push_back({"fastest"});
  columns.push_back({"by", Align::kRight});
  std::vector<std::vector<std::string>> rows;
  Drawbacks marked;
  for (const MeasuredPiece* const piece : series.pieces) {
    if (!measured_twice(*piece)) continue;
    auto& row = rows.emplace_back();
    row.push_back(size_text(*piece, work_size(piece->work)));
    row.push_back(plain_line(piece->name));
    for (const SelectableDevice& device : devices) {
      const TimeOnDevice* const time = time_on(*piece, device.id);
      row.push_back(time == nullptr ? "…" : format_duration({time->ns}) + mark_of(time->drawbacks));
      if (time != nullptr) marked = marked | time->drawbacks.stated;
    }
    const TimeOnDevice* const fastest = fastest_of(*piece);
    row.push_back(fastest == nullptr ? "none" : plain_line(fastest->device_id));
    row.push_back(count_choosable(*piece) < 2 ? "" : is_within_noise(*piece) ? "noise" : formatted("%.2fx", margin_of(*piece)));
  }
  std::string text = terminal.bold(plain_line(first.name.substr(0, first.name.find(" ("))) + ", " + first.dtype + ": " +
                                   std::string(name_of(first.work.primary))) +
                     "\n" + render_table(columns, rows, terminal) + drawback_note(marked);
  for (const Crossover& crossover : series.crossovers)
    text +=
        "  crossover at about " + size_text(first, crossover.size) + ": " + crossover.from + " below, " + crossover.to + " above\n";
  return text + "\n";
}

std::string regret_text(const Regret& regret) {
  if (regret.keys == 0) return "  " + regret.of + ": no piece\n";
  std::string text = "  " + regret.of + ": " + formatted("mean %.1f %%, worst %.1f %%", 100 * regret.mean, 100 * regret.worst) +
                     formatted("; the fastest for %d of %d", regret.fastest, regret.keys) +
                     (regret.within_noise > 0 ? formatted(", %d more within noise", regret.within_noise) : "") + "\n";
  if (regret.worst_piece.empty()) return text;
  return text + "    worst: " + plain_line(regret.worst_piece) + " on " + regret.worst_chosen + " " +
         format_duration({regret.worst_chosen_ns}) + ", " + regret.worst_fastest + " takes " +
         format_duration({regret.worst_fastest_ns}) + "\n";
}

nlohmann::json regret_json(const Regret& regret) {
  nlohmann::json object = {{"of", regret.of},           {"pieces", regret.keys},
                           {"fastest", regret.fastest}, {"within_noise", regret.within_noise},
                           {"mean", regret.mean},       {"worst", regret.worst}};
  if (!regret.worst_piece.empty()) {
    object["worst_piece"] = {{"name", regret.worst_piece},
                             {"chosen", regret.worst_chosen},
                             {"chosen_ns", regret.worst_chosen_ns},
                             {"fastest", regret.worst_fastest},
                             {"fastest_ns", regret.worst_fastest_ns}};
  }
  return object;
}

nlohmann::json piece_json(const MeasuredPiece& piece) {
  nlohmann::json times = nlohmann::json::array();
  for (const TimeOnDevice& time : piece.times) {
    times.push_back(
        {{"device", time.device_id}, {"median_ns", time.ns}, {"low_ns", time.interval.low}, {"high_ns", time.interval.high}});
    add_drawbacks(time.drawbacks, times.back());
  }
  const TimeOnDevice* const fastest = fastest_of(piece);
  return {{"piece", piece.key},
          {"name", piece.name},
          {"size", work_size(piece.work)},
          {"fastest", fastest == nullptr ? "" : fastest->device_id},
          {"margin", margin_of(piece)},
          {"within_noise", is_within_noise(piece)},
          {"times", times}};
}

nlohmann::json crossover_json(const Selector& selector, const RegretReport& report) {
  nlohmann::json list = nlohmann::json::array();
  for (const CrossoverSeries& series : selector.crossovers().series()) {
    nlohmann::json pieces = nlohmann::json::array(), crossovers = nlohmann::json::array();
    for (const MeasuredPiece* const piece : series.pieces) pieces.push_back(piece_json(*piece));
    for (const Crossover& each : series.crossovers)
      crossovers.push_back({{"from", each.from}, {"to", each.to}, {"size", each.size}});
    const MeasuredPiece& first = *series.pieces.front();
    list.push_back({{"signature", series.signature},
                    {"kind", name_of(first.work.primary)},
                    {"dtype", first.dtype},
                    {"size_unit", is_contraction(first) ? "FLOP" : "byte"},
                    {"pieces", pieces},
                    {"crossovers", crossovers}});
  }
  nlohmann::json sources = nlohmann::json::array(), always = nlohmann::json::array();
  for (const Regret& each : report.by_source) sources.push_back(regret_json(each));
  for (const Regret& each : report.always) always.push_back(regret_json(each));
  return {{"schema", "fuselab.crossover/1"},
          {"series", list},
          {"regret", {{"selector", regret_json(report.selector)}, {"by_source", sources}, {"always", always}}}};
}

std::string report_text(const Selector& selector, const RegretReport& report) {
  std::string text =
      "Regret of the selector beside the fastest, each piece judged as if it had never been measured (leave-one-out):\n" +
      regret_text(report.selector);
  for (const Regret& each : report.by_source) text += "  of these by " + regret_text(each).substr(2);
  text += "For scale:\n";
  for (const Regret& each : report.always) text += regret_text(each);
  const auto& pieces = selector.pieces();
  const auto twice = std::count_if(pieces.begin(), pieces.end(), measured_twice);
  return text + counted(static_cast<std::int64_t>(pieces.size()), "piece") + " stored, " + std::to_string(twice) +
         " of them measured on two devices or more and shown.\n";
}

ExitCode crossover(Invocation& invocation, const engine::CompareSpec& spec) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  say_what_was_taken(invocation, spec.subjects);
  const auto selector = engine::selector_of(*engine.value(), spec);
  if (!selector.ok()) return fail(invocation, selector.error());
  const auto& pieces = selector.value()->pieces();
  const bool any = std::any_of(pieces.begin(), pieces.end(), measured_twice);
  std::optional<Error> problem;
  if (!any)
    problem =
        Error{ErrorCode::kNotFound, counted(static_cast<std::int64_t>(pieces.size()), "piece") +
                                        " measured, none on two devices: a crossover is between devices; `fuselab run --device cpu "
                                        "--device NAME` measures on both, `fuselab devices` lists them"};
  const RegretReport report = leave_one_out(*selector.value());
  if (invocation.json) return print_document(crossover_json(*selector.value(), report), problem);
  if (problem) return fail(invocation, *problem);
  const Terminal terminal = Terminal::of_stdout();
  for (const CrossoverSeries& series : selector.value()->crossovers().series()) {
    const bool shown =
        std::any_of(series.pieces.begin(), series.pieces.end(), [](const MeasuredPiece* piece) { return measured_twice(*piece); });
    if (shown) std::fputs(series_text(series, selector.value()->devices(), terminal).c_str(), stdout);
  }
  std::fputs(report_text(*selector.value(), report).c_str(), stdout);
  return ExitCode::kOk;
}

}  // namespace

void add_crossover_verb(CLI::App& command, Invocation& invocation) {
  const auto spec = std::make_shared<engine::CompareSpec>();
  add_stored_options(command, *spec, "Among these devices (cpu:0) or backends (cpu) only; several: repeat");
  add_run_option(command, *spec);
  show_examples(command, {"fuselab crossover", "fuselab crossover --device cpu --device opencl", "fuselab crossover w1 --json"});
  command.callback([&invocation, spec] { invocation.action = [&invocation, spec] { return crossover(invocation, *spec); }; });
}

}  // namespace fuselab::cli
