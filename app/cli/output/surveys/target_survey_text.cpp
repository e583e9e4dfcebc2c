// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/surveys/target_survey_text.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/output/surveys/program_kernels_text.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using engine::EmulatedMatch;
using engine::TargetPiece;
using engine::TargetSurvey;
using engine::TargetSurveyReport;
using engine::TargetTotals;

constexpr const char* kUnknown = "–";

std::string resource_text(const TargetPiece& piece, const char* name) {
  const auto found = piece.kernel.resources.find(name);
  return found == piece.kernel.resources.end() ? kUnknown : std::to_string(found->second);
}

std::string occupancy_text(const TargetPiece& piece) {
  if (!piece.kernel.occupancy) return kUnknown;
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", 100 * *piece.kernel.occupancy);
  return text;
}

std::vector<std::string> cells_of(const TargetPiece& piece) {
  std::vector<std::string> cells = {piece.name, std::to_string(piece.uses), piece.result()};
  if (piece.state == TargetPiece::State::kCompiled) {
    for (const char* name : {"registers", "shared_bytes", "spill_bytes"}) cells.push_back(resource_text(piece, name));
    const std::string& limiter = piece.kernel.limited_by;
    cells.insert(cells.end(),
                 {occupancy_text(piece), limiter.empty() ? kUnknown : limiter, format_duration(piece.kernel.compile_time)});
  } else {
    cells.insert(cells.end(), 6, "");
  }
  cells.push_back(piece.note());
  return cells;
}

// Compilers of whole programs tell of memory and fusions, not of registers.
bool is_program(const TargetPiece& piece) {
  const ResourceUsage& told = piece.kernel.resources;
  return told.contains("fusions") || told.contains("temporary_bytes") || told.contains("kernels");
}

bool has_programs(const TargetSurvey& survey) {
  return std::any_of(survey.pieces.begin(), survey.pieces.end(), is_program);
}

bool has_estimate(const TargetSurvey& survey) {
  return std::any_of(survey.pieces.begin(), survey.pieces.end(), [](const TargetPiece& each) { return !!each.kernel.estimate; });
}

std::string memory_text(const TargetPiece& piece, const char* name) {
  const auto found = piece.kernel.resources.find(name);
  return found == piece.kernel.resources.end() ? kUnknown : format_bytes({found->second});
}

std::vector<Column> program_columns(bool with_estimate) {
  std::vector<Column> columns = {{"piece"},
                                 {"uses", Align::kRight},
                                 {"result"},
                                 {"fusions"},
                                 {"arguments", Align::kRight},
                                 {"outputs", Align::kRight},
                                 {"temporaries", Align::kRight},
                                 {"code", Align::kRight}};
  if (with_estimate) columns.push_back({"vendor's estimate", Align::kRight});
  columns.push_back({"compiling", Align::kRight});
  columns.push_back({"note"});
  return columns;
}

std::vector<std::string> program_cells(const TargetPiece& piece, bool with_estimate) {
  std::vector<std::string> cells = {piece.name, std::to_string(piece.uses), piece.result()};
  if (piece.state == TargetPiece::State::kCompiled) {
    const std::string fusions = engine::fusion_words(piece.kernel.resources);
    cells.push_back(fusions.empty() ? kUnknown : fusions);
    for (const char* name : {"argument_bytes", "output_bytes", "temporary_bytes", "code_bytes"})
      cells.push_back(memory_text(piece, name));
    if (with_estimate) cells.push_back(piece.kernel.estimate ? format_duration(piece.kernel.estimate->time) : kUnknown);
    cells.push_back(format_duration(piece.kernel.compile_time));
  } else {
    cells.insert(cells.end(), with_estimate ? 7 : 6, "");
  }
  cells.push_back(piece.note());
  return cells;
}

std::string of_pieces(int some, int all) {
  return std::to_string(some) + " of " + counted(all, "piece");
}

std::string source_of_estimates(const TargetSurveyReport& report) {
  for (const TargetSurvey& survey : report.models) {
    for (const TargetPiece& piece : survey.pieces) {
      if (piece.kernel.estimate) return plain_line(piece.kernel.estimate->source);
    }
  }
  return "";
}

std::string totals_text(const TargetSurvey& survey) {
  const TargetTotals totals = survey.totals();
  std::string text = "totals: " + of_pieces(totals.written, totals.pieces) + " (" + std::to_string(totals.written_uses) + " of " +
                     counted(totals.uses, "use") + ") written, " + std::to_string(totals.compiled) + " compiled";
  text += has_programs(survey) ? ", which nothing here runs" : ", " + std::to_string(totals.matched) + " matched";
  if (survey.matcher() == "interpreter") text += " by the interpreter";
  if (totals.wrong > 0) text += ", " + std::to_string(totals.wrong) + " wrong";
  if (totals.not_reached > 0) text += ", " + std::to_string(totals.not_reached) + " not reached";
  if (has_kernels(survey))
    text += "; " + counted(totals.kernels, "Triton kernel") + ", " +
            counted(totals.library_calls, "call of a library", "calls of libraries");
  if (!has_programs(survey) || has_kernels(survey))
    text += "; " + std::to_string(totals.spilling) + (totals.spilling == 1 ? " spills" : " spill");
  if (totals.run_nothing > 0)
    text += "; beside them " + counted(totals.run_nothing, "view that runs nothing", "views that run nothing");
  return text + "; " + format_duration(totals.compile_time) + " of compiling\n";
}

std::string title(const TargetSurvey& survey) {
  return survey.model + (survey.binding.empty() ? "" : " (" + survey.binding + ")");
}

std::string survey_table(const TargetSurvey& survey, const Terminal& terminal) {
  const std::string compiler = survey.compiler();
  std::string text = terminal.bold(plain_line(title(survey))) + " for " + survey.target.id;
  text += (compiler.empty() ? "" : " by " + plain_line(compiler)) + "\n";
  std::vector<std::vector<std::string>> rows;
  if (has_kernels(survey)) {
    for (const TargetPiece& piece : survey.pieces) rows.push_back(kernel_program_cells(piece));
    return text + render_table(kernel_program_columns(), rows, terminal) + program_kernels_text(survey, terminal) +
           totals_text(survey) + "\n";
  }
  if (has_programs(survey)) {
    const bool with_estimate = has_estimate(survey);
    for (const TargetPiece& piece : survey.pieces) rows.push_back(program_cells(piece, with_estimate));
    return text + render_table(program_columns(with_estimate), rows, terminal) + totals_text(survey) + "\n";
  }
  for (const TargetPiece& piece : survey.pieces) rows.push_back(cells_of(piece));
  const std::vector<Column> columns = {{"piece"},
                                       {"uses", Align::kRight},
                                       {"result"},
                                       {"registers", Align::kRight},
                                       {"shared", Align::kRight},
                                       {"spills", Align::kRight},
                                       {"occupancy", Align::kRight},
                                       {"limited by"},
                                       {"compiling", Align::kRight},
                                       {"note"}};
  return text + render_table(columns, rows, terminal) + totals_text(survey) + "\n";
}

bool has_several_backends(const TargetSurveyReport& report) {
  return std::any_of(report.models.begin(), report.models.end(),
                     [&](const TargetSurvey& each) { return each.backend != report.models.front().backend; });
}

// How far the backends came, a line each.
std::string side_by_side(const TargetSurveyReport& report, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  for (const TargetSurvey& survey : report.models) {
    const TargetTotals totals = survey.totals();
    rows.push_back({title(survey), survey.target.id, survey.backend, std::to_string(totals.pieces), std::to_string(totals.compiled),
                    survey.matcher().empty() ? kUnknown : std::to_string(totals.matched),
                    has_programs(survey) && !has_kernels(survey) ? kUnknown : std::to_string(totals.spilling),
                    format_duration(totals.compile_time)});
  }
  const std::vector<Column> columns = {{"model"},
                                       {"target"},
                                       {"backend"},
                                       {"pieces", Align::kRight},
                                       {"compiled", Align::kRight},
                                       {"matched", Align::kRight},
                                       {"spill", Align::kRight},
                                       {"compiling", Align::kRight}};
  return terminal.bold("Backends side by side") + "\n" + render_table(columns, rows, terminal) + "\n";
}

nlohmann::json match_json(const EmulatedMatch& match) {
  using Kind = EmulatedMatch::Kind;
  nlohmann::json object = {{"kind", match.kind == Kind::kMatched ? "matched" : match.kind == Kind::kWrong ? "wrong" : "not-tried"}};
  if (!match.detail.empty()) object["detail"] = match.detail;
  if (!match.extents.empty()) object["extents"] = match.extents;
  return object;
}

nlohmann::json piece_json(const TargetPiece& piece) {
  nlohmann::json object = {{"key", piece.key},
                           {"name", piece.name},
                           {"pattern", piece.pattern},
                           {"uses", piece.uses},
                           {"result", piece.result()},
                           {"written", piece.is_written()},
                           {"compiled", piece.state == TargetPiece::State::kCompiled}};
  if (!piece.problem.message.empty()) object["reason"] = piece.problem.message;
  if (piece.is_written()) object["config"] = piece.kernel.config.text();
  if (piece.match) object["match"] = match_json(*piece.match);
  if (piece.state != TargetPiece::State::kCompiled) return object;
  object["resources"] = piece.kernel.resources;
  object["compile_ns"] = piece.kernel.compile_time.count;
  if (piece.kernel.resources.contains("kernels")) object["kernels"] = program_kernels_json(piece.kernel);
  if (piece.kernel.occupancy) object["occupancy"] = *piece.kernel.occupancy;
  if (!piece.kernel.limited_by.empty()) object["limited_by"] = piece.kernel.limited_by;
  if (!piece.kernel.problem.empty()) object["problem"] = piece.kernel.problem;
  if (const auto& estimate = piece.kernel.estimate) {
    object["vendor_estimate"] = {{"source", estimate->source}, {"estimated_ns", estimate->time.count}};
    if (estimate->operations > 0) object["vendor_estimate"]["operations"] = estimate->operations;
    if (estimate->bytes > 0) object["vendor_estimate"]["bytes"] = estimate->bytes;
  }
  return object;
}

nlohmann::json totals_json(const TargetTotals& totals) {
  nlohmann::json object = {{"pieces", totals.pieces},           {"uses", totals.uses},
                           {"written", totals.written},         {"written_uses", totals.written_uses},
                           {"compiled", totals.compiled},       {"compiled_uses", totals.compiled_uses},
                           {"matched", totals.matched},         {"wrong", totals.wrong},
                           {"spilling", totals.spilling},       {"run_nothing", totals.run_nothing},
                           {"not_reached", totals.not_reached}, {"compile_ns", totals.compile_time.count}};
  if (totals.kernels + totals.library_calls > 0) {
    object["kernels"] = totals.kernels;
    object["library_calls"] = totals.library_calls;
  }
  return object;
}

nlohmann::json survey_json(const TargetSurvey& survey) {
  nlohmann::json pieces = nlohmann::json::array();
  for (const TargetPiece& piece : survey.pieces) pieces.push_back(piece_json(piece));
  nlohmann::json object = {{"model", survey.model},
                           {"binding", survey.binding},
                           {"target", survey.target.id},
                           {"limits", survey.target.limits},
                           {"backend", survey.backend},
                           {"pieces", pieces},
                           {"totals", totals_json(survey.totals())}};
  if (const std::string compiler = survey.compiler(); !compiler.empty()) object["compiler"] = compiler;
  if (const std::string matcher = survey.matcher(); !matcher.empty()) object["matcher"] = matcher;
  return object;
}

}  // namespace

std::string target_survey_text(const TargetSurveyReport& report, const Terminal& terminal) {
  std::string text;
  for (const TargetSurvey& survey : report.models) text += survey_table(survey, terminal);
  if (has_several_backends(report)) text += side_by_side(report, terminal);
  for (const auto& unread : report.unread)
    text += terminal.red(plain_line(unread.subject)) + ": " + plain_line(unread.problem.message) + "\n";
  text += "Bytes; in the default configurations. Only a device of a target tells how fast they are.\n";
  if (std::any_of(report.models.begin(), report.models.end(), has_estimate))
    text +=
        "The vendor's estimate is what its compiler's model of cost says (" + source_of_estimates(report) + "). It is no time.\n";
  return text;
}

nlohmann::json target_survey_json(const TargetSurveyReport& report) {
  nlohmann::json models = nlohmann::json::array(), unread = nlohmann::json::array();
  for (const TargetSurvey& survey : report.models) models.push_back(survey_json(survey));
  for (const auto& each : report.unread) unread.push_back({{"subject", each.subject}, {"reason", each.problem.message}});
  return {{"schema", "fuselab.survey.compile-only/1"}, {"models", models}, {"unread", unread}, {"stopped", report.stopped}};
}

}  // namespace fuselab::cli
