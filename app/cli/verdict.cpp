// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verdict.h"

#include <algorithm>

#include "core/measure/outcome.h"

namespace fuselab::cli {
namespace {

using session::Cell;
using session::CellState;
using session::CompareCell;
using session::CompareRow;
using session::CompareTable;

// Reasons of failed cells begin with the plan and the outcome: "fused wrong-result: …".
bool missed_tolerance(const Cell& cell) {
  std::string const outcome = std::string(name_of(Outcome::kWrongResult)) + ":";
  auto const begins_with = [&](PlanKind kind) { return cell.reason.rfind(std::string(name_of(kind)) + " " + outcome, 0) == 0; };
  return cell.state == CellState::kFailed && (begins_with(PlanKind::kFused) || begins_with(PlanKind::kUnfused));
}

bool any_figure(const std::vector<CompareTable>& tables) {
  return std::any_of(tables.begin(), tables.end(), has_figures);
}

}  // namespace

bool has_figures(const CompareTable& table) {
  auto const measured = [](const CompareCell& cell) { return cell.fused.figure || cell.unfused.figure; };
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const CompareRow& row) { return std::any_of(row.cells.begin(), row.cells.end(), measured); });
}

Status verdict_on_job(const std::vector<CompareTable>& tables) {
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      for (const CompareCell& cell : row.cells) {
        if (missed_tolerance(cell.fused))
          return Error{ErrorCode::kNumerics, row.name + " on " + cell.device_id + " has no figure: " + cell.fused.reason};
      }
    }
  }
  if (any_figure(tables)) return {};
  return Error{ErrorCode::kNotFound, "no piece could be measured; the reasons stand with the pieces"};
}

Status verdict_on_stored(const std::vector<CompareTable>& tables) {
  if (any_figure(tables)) return {};
  return Error{ErrorCode::kNotFound,
               "nothing of this was measured yet; `fuselab run` measures the built-in models, `fuselab bench "
               "SUBJECT` one of your own"};
}

std::optional<Error> problem_of(const Status& status) {
  return status.ok() ? std::nullopt : std::optional(status.error());
}

}  // namespace fuselab::cli
