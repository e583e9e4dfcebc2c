// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verdict.h"

#include <algorithm>

#include "app/cli/plural.h"
#include "core/measure/outcome.h"

namespace fuselab::cli {
namespace {

using session::Cell;
using session::CellState;
using session::CompareCell;
using session::CompareRow;
using session::CompareTable;

// Reasons of failed cells begin with the plan and the outcome: "fused wrong-result: …".
bool ended_as(Outcome outcome, const Cell& cell) {
  auto const begins_with = [&](PlanKind kind) {
    return cell.reason.rfind(std::string(name_of(kind)) + " " + std::string(name_of(outcome)) + ":", 0) == 0;
  };
  return cell.state == CellState::kFailed && (begins_with(PlanKind::kFused) || begins_with(PlanKind::kUnfused));
}

// The first figure that is missing because its plan ended like this, in words; the baseline counts like what is held against it.
std::optional<std::string> first_that_ended_as(Outcome outcome, const std::vector<CompareTable>& tables) {
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      for (const CompareCell& cell : row.cells) {
        std::string const where = row.name + " on " + cell.device_id;
        if (ended_as(outcome, cell.fused)) return where + " has no figure: " + cell.fused.reason;
        if (ended_as(outcome, cell.unfused)) return where + " has no baseline: " + cell.unfused.reason;
      }
    }
  }
  return std::nullopt;
}

// The first cell that was tried and has no figure, in words.
std::optional<std::string> first_failure(const std::vector<CompareTable>& tables) {
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      auto const failed = std::find_if(row.cells.begin(), row.cells.end(),
                                       [](const CompareCell& cell) { return cell.fused.state == CellState::kFailed; });
      if (failed != row.cells.end()) return row.name + " on " + failed->device_id + " has no figure: " + failed->fused.reason;
    }
  }
  return std::nullopt;
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
  if (auto const wrong = first_that_ended_as(Outcome::kWrongResult, tables)) return Error{ErrorCode::kNumerics, *wrong};
  if (auto const doubtful = first_that_ended_as(Outcome::kMistrusted, tables)) return Error{ErrorCode::kUntrusted, *doubtful};
  if (any_figure(tables)) return {};
  if (auto const skipped = first_that_ended_as(Outcome::kSkipped, tables)) return Error{ErrorCode::kUnavailable, *skipped};
  return Error{ErrorCode::kNotFound, "no piece could be measured; the reasons stand with the pieces"};
}

Status verdict_on_stored(const std::vector<CompareTable>& tables, const StoredTrials& stored) {
  if (any_figure(tables)) return {};
  if (auto const failed = first_failure(tables)) return Error{ErrorCode::kNotFound, *failed};
  if (stored.measured > 0) {
    return Error{ErrorCode::kNotFound, counted(stored.measured, "trial") +
                                           " stored, none valid here: of another subject, environment or version of Fuselab; "
                                           "`fuselab bench SUBJECT` measures it here"};
  }
  if (stored.synthetic > 0)
    return Error{ErrorCode::kNotFound, "only scripted trials are stored (" + std::to_string(stored.synthetic) +
                                           "); --synthetic shows them, `fuselab run` measures on real devices"};
  return Error{ErrorCode::kNotFound,
               "nothing of this was measured yet; `fuselab run` measures the built-in models, `fuselab bench "
               "SUBJECT` one of your own"};
}

StoredTrials stored_trials(session::Session& session) {
  TrialFilter filter;
  auto const measured = session.queries().count_trials(filter);
  filter.include_synthetic = true;
  auto const all = session.queries().count_trials(filter);
  if (!measured.ok() || !all.ok()) return {};
  return {measured.value(), all.value() - measured.value()};
}

ExitCode exit_code_of(const Status& verdict) {
  if (verdict.ok()) return ExitCode::kOk;
  return verdict.error().code == ErrorCode::kUntrusted ? ExitCode::kInconclusive : exit_code_for(verdict.error());
}

std::optional<Error> problem_of(const Status& status) {
  return status.ok() ? std::nullopt : std::optional(status.error());
}

}  // namespace fuselab::cli
