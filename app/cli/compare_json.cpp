// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/compare_text.h"

namespace fuselab::cli {
namespace {

using nlohmann::json;
using session::Cell;
using session::CellState;

json cell_json(const Cell& cell) {
  json object = {{"state", cell.state == CellState::kMeasured ? "measured"
                           : cell.state == CellState::kFailed ? "failed"
                                                              : "pending"}};
  if (!cell.reason.empty()) object["reason"] = cell.reason;
  if (cell.figure) {
    object["median_ns"] = cell.figure->median_ns;
    object["interval_ns"] = {cell.figure->interval.low, cell.figure->interval.high};
    object["config"] = cell.figure->config;
    object["trial"] = cell.figure->trial_id;
    object["confirmed"] = cell.figure->confirmed;
  }
  return object;
}

json compare_cell_json(const session::CompareCell& cell) {
  json object = {{"device", cell.device_id},
                 {"backend", cell.backend},
                 {"fused", cell_json(cell.fused)},
                 {"unfused", cell_json(cell.unfused)}};
  if (cell.gain) object["gain"] = {{"ratio", cell.gain->value}, {"interval", {cell.gain->interval.low, cell.gain->interval.high}}};
  if (cell.ideal_ns) object["ideal_ns"] = *cell.ideal_ns;
  if (cell.share_of_ceiling) object["share_of_ceiling"] = *cell.share_of_ceiling;
  object["bound"] = cell.memory_bound ? "memory" : "arithmetic";
  return object;
}

json row_json(const session::CompareRow& row) {
  json cells = json::array();
  for (auto const& cell : row.cells) cells.push_back(compare_cell_json(cell));
  return {{"piece", row.piece_key},
          {"name", row.name},
          {"pattern", row.pattern},
          {"count", row.count},
          {"share_of_model", row.share_of_model},
          {"ideal_bytes", row.cost.ideal().count},
          {"eager_bytes", row.cost.eager().count},
          {"flops", row.cost.flops},
          {"traffic_bound", row.cost.traffic_bound()},
          {"cells", cells},
          {"best_unfused", cell_json(row.best_unfused)},
          {"recommended_device", row.recommended_device},
          {"recommended_plan", std::string(name_of(row.recommended_plan))},
          {"reason", row.reason},
          {"to_be_won_ns", row.to_be_won_ns}};
}

json total_json(const session::ModelTotal& total) {
  return {{"device", total.device_id},  {"unfused_ns", total.unfused_ns},     {"fused_ns", total.fused_ns},
          {"ideal_ns", total.ideal_ns}, {"switching_ns", total.switching_ns}, {"measured_pieces", total.measured_pieces},
          {"pieces", total.pieces}};
}

}  // namespace

std::string compare_json(const std::vector<session::CompareTable>& tables) {
  json models = json::array();
  for (auto const& table : tables) {
    json rows = json::array(), totals = json::array();
    for (auto const& row : table.rows) rows.push_back(row_json(row));
    for (auto const& total : table.totals) totals.push_back(total_json(total));
    models.push_back({{"model", table.model},
                      {"binding", table.binding},
                      {"covered_share", table.covered_share},
                      {"rows", rows},
                      {"totals", totals}});
  }
  return json{{"schema", "fuselab.compare/1"}, {"models", models}}.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace fuselab::cli
