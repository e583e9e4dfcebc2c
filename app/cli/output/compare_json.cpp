// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/output/compare_text.h"
#include "app/cli/shell/reproduce.h"
#include "app/views/choice.h"
#include "app/views/decision_words.h"
#include "app/views/figure_marks.h"
#include "app/views/plan_words.h"
#include "app/views/whole_model_words.h"
#include "core/select/gain_verdict.h"

namespace fuselab::cli {
namespace {

using engine::Cell;
using engine::CellState;
using nlohmann::json;

const char* name_of(CellState state) {
  switch (state) {
    case CellState::kPending: return "pending";
    case CellState::kMeasured: return "measured";
    case CellState::kFailed: return "failed";
    case CellState::kExcluded: return "excluded";
    case CellState::kWithheld: return "withheld";
  }
  FL_ASSERT(false);
}

json cell_json(const Cell& cell) {
  json object = {{"state", name_of(cell.state)}};
  if (!cell.reason.empty()) object["reason"] = cell.reason;
  if (cell.withheld) {
    object["withheld"] = {{"median_ns", cell.withheld->median_ns},
                          {"interval_ns", {cell.withheld->interval.low, cell.withheld->interval.high}},
                          {"config", cell.withheld->config},
                          {"trial", cell.withheld->trial_id}};
    if (cell.share_of_ceiling > 0) object["withheld"]["share_of_ceiling"] = cell.share_of_ceiling;
  }
  if (cell.figure) {
    object["median_ns"] = cell.figure->median_ns;
    object["interval_ns"] = {cell.figure->interval.low, cell.figure->interval.high};
    object["config"] = cell.figure->config;
    object["trial"] = cell.figure->trial_id;
    object["confirmed"] = cell.figure->confirmed;
    object["compile_ns"] = cell.figure->compile_ns;
    object["first_launch_ns"] = cell.figure->first_launch_ns;
    if (!cell.figure->disturbance.empty()) object["disturbed"] = cell.figure->disturbance;
    add_drawbacks(cell.figure->drawbacks, object);
  }
  return object;
}

json best_unfused_json(const engine::BestUnfused& best) {
  json object = cell_json(best.cell);
  object["devices"] = best.devices;
  object["composed"] = best.composed;
  return object;
}

json compare_cell_json(const engine::CompareCell& cell) {
  json object = {{"device", cell.device_id},
                 {"backend", cell.backend},
                 {"software", cell.is_software},
                 {"fused", cell_json(cell.fused)},
                 {"unfused", cell_json(cell.unfused)},
                 {"cold_fused", cell_json(cell.cold_fused)},
                 {"cold_unfused", cell_json(cell.cold_unfused)}};
  if (cell.gain)
    object["gain"] = {{"ratio", cell.gain->value},
                      {"interval", {cell.gain->interval.low, cell.gain->interval.high}},
                      {"processes", cell.gain_processes},
                      {"verdict", std::string(name_of(verdict_on(*cell.gain)))},
                      {"chance", chance_of_gain(*cell.gain, cell.gain_processes)},
                      {"processes_to_decide", processes_to_decide(*cell.gain, cell.gain_processes)}};
  if (cell.gain) {
    const auto quotient = engine::times_ratio(cell);
    if (quotient) object["gain"]["times_ratio"] = *quotient;
    const std::string source = engine::gain_source_words(cell);
    if (!source.empty()) object["gain"]["source"] = source;
  }
  if (cell.ideal_ns) object["ideal_ns"] = *cell.ideal_ns;
  if (cell.share_of_ceiling) object["share_of_ceiling"] = *cell.share_of_ceiling;
  if (cell.tuning.is_known()) object["tuning"] = tuning_json(cell.tuning);
  if (!cell.given_up.empty()) object["given_up"] = cell.given_up;
  object["mistrusted"] = cell.is_withheld();
  object["bound"] = cell.bound();
  return object;
}

json row_json(const engine::CompareTable& table, const engine::CompareRow& row) {
  json cells = json::array();
  for (const auto& cell : row.cells) cells.push_back(compare_cell_json(cell));
  json object = {{"piece", row.piece_key},
                 {"graph", row.graph},
                 {"reproduce", reproducing_command(table, row)},
                 {"name", row.name},
                 {"pattern", row.pattern},
                 {"count", row.count},
                 {"share_of_model", row.share_of_model},
                 {"ideal_bytes", row.cost.ideal().count},
                 {"eager_bytes", row.cost.eager().count},
                 {"flops", row.cost.flops},
                 {"traffic_bound", row.cost.traffic_bound()},
                 {"cells", cells},
                 {"best_unfused", best_unfused_json(row.best_unfused)},
                 {"recommended_device", row.recommended_device},
                 {"recommended_plan", engine::plan_word(row.recommended_plan, row.single_operator)},
                 {"reason", row.reason},
                 {"to_be_won_ns", row.to_be_won_ns}};
  if (const auto margin = engine::margin_over_next(row))
    object["margin"] = {{"next_device", margin->next_device},
                        {"ratio", margin->ratio.value},
                        {"interval", {margin->ratio.interval.low, margin->ratio.interval.high}},
                        {"within_noise", margin->within_noise}};
  return object;
}

json total_json(const engine::ModelTotal& total) {
  json object = {{"device", total.device_id}, {"measured_pieces", total.measured_pieces}, {"pieces", total.pieces}};
  object["completed_pieces"] = total.completed_pieces;
  if (total.fused_ns <= 0) return object;  // sums over nothing, or over fewer pieces than others have, are no figures
  if (total.completed_pieces > 0) {
    object["completed_ns"] = total.completed_ns;
    object["completed_unfused_ns"] = total.completed_unfused_ns;
  }
  object["unfused_ns"] = total.unfused_ns;
  object["fused_ns"] = total.fused_ns;
  object["ideal_ns"] = total.ideal_ns;
  object["switching_ns"] = total.switching_ns;
  add_drawbacks(total.drawbacks, object);
  if (!total.pieces_on.empty()) object["pieces_on"] = total.pieces_on;
  return object;
}

json whole_model_json(const engine::WholeModel& whole) {
  json object = {{"device", whole.cell.device_id},
                 {"backend", whole.cell.backend},
                 {"piece", whole.piece_key},
                 {"cell", cell_json(whole.cell.fused)},
                 {"words", engine::whole_model_words(whole)}};
  if (whole.of_best_mix)
    object["of_best_mix"] = {{"ratio", whole.of_best_mix->value},
                             {"interval", {whole.of_best_mix->interval.low, whole.of_best_mix->interval.high}}};
  return object;
}

}  // namespace

nlohmann::json tuning_json(const TuningDecision& decision) {
  json object = {{"baseline", decision.baseline}, {"text", engine::decision_text(decision)}};
  if (!decision.candidate.empty()) object["candidate"] = decision.candidate;
  if (!decision.reason.empty()) object["reason"] = decision.reason;
  if (decision.verdict.empty()) return object;
  object["verdict"] = decision.verdict;
  object["ratio"] = decision.ratio;
  if (decision.low > 0) object["interval"] = {decision.low, decision.high};
  object["processes"] = decision.processes;
  return object;
}

void add_drawbacks(PlanDrawbacks drawbacks, nlohmann::json& object) {
  for (const DrawbackInfo& info : kDrawbacks) {
    if (!drawbacks.stated.has(info.drawback)) continue;
    object[std::string(info.key)] = drawbacks.withheld.has(info.drawback) ? "withheld" : "accepted";
  }
}

nlohmann::json questions_json(const std::vector<engine::Question>& questions) {
  json list = json::array();
  for (const engine::Question& question : questions)
    list.push_back({{"binding", question.binding}, {"level", question.level}, {"dtype", question.dtype}});
  return list;
}

nlohmann::json compare_json(const std::vector<engine::CompareTable>& tables) {
  json models = json::array();
  for (const auto& table : tables) {
    json rows = json::array(), totals = json::array(), whole_models = json::array();
    for (const auto& row : table.rows) rows.push_back(row_json(table, row));
    for (const auto& total : table.totals) totals.push_back(total_json(total));
    for (const auto& whole : table.whole_models) whole_models.push_back(whole_model_json(whole));
    const engine::FigureCounts counts = engine::count_figures(table);
    models.push_back({{"model", table.model},
                      {"binding", table.binding},
                      {"level", table.level},
                      {"dtype", table.dtype},
                      {"also_measured", questions_json(table.also_measured)},
                      {"unchecked", table.unchecked},
                      {"covered_share", table.covered_share},
                      {"figures", {{"counted", counts.figures}, {"disturbed", counts.disturbed}, {"withheld", counts.withheld}}},
                      {"rows", rows},
                      {"totals", totals},
                      {"whole_models", whole_models}});
  }
  return {{"schema", "fuselab.compare/1"}, {"models", models}};
}

}  // namespace fuselab::cli
