// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/exported_pieces.h"

#include <cstdio>

#include "app/engine/execute/execution_candidates.h"
#include "app/views/plan_words.h"

namespace fuselab::deploy {
namespace {

const engine::Figure* figure_of(const engine::CompareCell& cell, PlanKind kind) {
  const auto& figure = (kind == PlanKind::kFused ? cell.fused : cell.unfused).figure;
  return figure && figure->is_choosable() ? &*figure : nullptr;
}

}  // namespace

const engine::CompareRow* row_of(const std::vector<engine::CompareTable>& tables, const std::string& piece_key) {
  for (const engine::CompareTable& table : tables) {
    for (const engine::CompareRow& row : table.rows) {
      if (row.piece_key == piece_key) return &row;
    }
  }
  return nullptr;
}

Result<PieceDecision> decide_piece(const engine::Piece& piece, const engine::CompareRow* row, const DeviceInfo& device) {
  const engine::ExecutionDevices alone{{device}, 1, true, false};
  FL_TRY(engine::ExecutionChoice choice, engine::candidates_for(piece, row, alone, {}));
  if (choice.order.empty()) return Error{ErrorCode::kUnavailable, "'" + piece.operation.name + "' has no plan on " + device.id};
  PieceDecision decision{std::move(choice.order.front()), std::string(kDefault), {}, {}, {}};
  if (row == nullptr) return decision;
  for (const engine::CompareCell& cell : row->cells) {
    if (cell.device_id != device.id) continue;
    const engine::Figure* const own = figure_of(cell, decision.candidate.kind);
    if (own == nullptr || decision.candidate.configs.empty() || own->config != decision.candidate.configs) continue;
    decision.figure = BundleFigure{own->median_ns, own->interval.low, own->interval.high, own->confirmed, {}};
    decision.trial_id = own->trial_id;
    decision.configured = own->confirmed ? kTuned : kUnconfirmed;
  }
  if (!decision.figure) return decision;
  for (const engine::CompareCell& cell : row->cells) {
    const bool own_device = cell.device_id == device.id;
    if (!own_device && !cell.is_host_cpu_again) continue;
    for (const PlanKind kind : {PlanKind::kFused, PlanKind::kUnfused}) {
      const engine::Figure* const other = figure_of(cell, kind);
      const bool same = own_device && (kind == decision.candidate.kind || cell.is_one_plan());
      if (other == nullptr || same || (decision.runner_up && decision.runner_up->median_ns <= other->median_ns)) continue;
      decision.runner_up = BundleRunnerUp{cell.device_id + " " + std::string(engine::plan_word(kind, piece.is_single())),
                                          other->median_ns, other->median_ns / decision.figure->median_ns};
    }
  }
  return decision;
}

void LibraryLoss::add(const engine::Piece& piece, const PieceDecision& decision) {
  if (!decision.figure) return;
  const double own = decision.figure->median_ns * piece.operation.count;
  const double ratio = decision.runner_up ? std::min(1.0, decision.runner_up->ratio) : 1;
  exported_ns += own;
  best_ns += own * ratio;
  if (ratio >= 1) return;
  char times[32];
  std::snprintf(times, sizeof times, "%.2f", 1 / ratio);
  lines.push_back(piece.operation.name + ": " + decision.runner_up->plan + " is " + times + "x as fast, and stays behind");
}

}  // namespace fuselab::deploy
