// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/compare_builder.h"

#include <algorithm>
#include <cstdio>

#include "app/engine/compare/best_unfused.h"
#include "app/engine/compare/model_totals.h"
#include "app/engine/job/job_context.h"
#include "app/engine/job/job_protocols.h"
#include "app/engine/measure/figures.h"
#include "app/engine/measure/roofline.h"
#include "app/engine/subject/model_names.h"
#include "app/views/choice.h"
#include "app/views/plan_words.h"
#include "core/backend/last_cache.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

Cell cell_of(const TrialRecord* trial, const std::string& failure, Accepted accepted) {
  Cell cell;
  if (trial != nullptr) {
    cell.state = CellState::kMeasured;
    cell.figure = figure_of(*trial, accepted);
  } else if (!failure.empty()) {
    cell.state = CellState::kFailed;
    cell.reason = failure;
  }
  return cell;
}

// Adds the cold figures that belong to the warm ones: only those of the very same plans are shown.
Status add_cold(CompareCell& cell, const Piece& piece, const ComparedDevice& device, const Protocol& protocol,
                EvidenceReader& evidence, const TrialRecord* fused, const TrialRecord* unfused, Accepted accepted) {
  const std::string metric_key = metric_of(cold_protocol(protocol)).key().hex();
  FL_TRY(const auto trials, evidence.current(piece, device.info, metric_key, device.environment_key));
  const auto same_plan = [&](const TrialRecord* warm) {
    const TrialRecord* const cold = warm == nullptr ? nullptr : timed_of_kind(trials, warm->kind);
    return cold != nullptr && cold->plan_key == warm->plan_key ? cold : nullptr;
  };
  cell.cold_fused = cell_of(same_plan(fused), "", accepted);
  cell.cold_unfused = cell_of(same_plan(unfused), "", accepted);
  return {};
}

// The reason why each plan of a piece has no figure: "fused skipped: …", "unfused crashed: …"; empty where none is known.
struct PairFailures {
  std::string fused, unfused;
};

// Returns these reasons; `fused_timed`: the fused plan was timed. `of_job`: how the first plan that failed in this job ended, if
// one did.
Result<PairFailures> failures_of(const Piece& piece, const ComparedDevice& device, const std::string& metric_key,
                                 EvidenceReader& evidence, const std::string& of_job, bool fused_timed) {
  const auto of_kind = [&](PlanKind kind) -> Result<std::string> {
    if (of_job.rfind(std::string(plan_word(kind, piece.is_single())) + " ", 0) == 0) return of_job;
    return evidence.newest_failure(piece, device.info, metric_key, device.environment_key, kind);
  };
  PairFailures failed;
  if (!fused_timed) {
    FL_TRY(failed.fused, of_kind(PlanKind::kFused));
  }
  if (piece.is_single()) return PairFailures{failed.fused, failed.fused};
  if (evidence.shows_only(piece.key, device.info.id)) return failed;  // only one plan was asked for, so the other is not missing
  FL_TRY(failed.unfused, of_kind(PlanKind::kUnfused));
  if (fused_timed) {
    if (failed.unfused.empty()) failed.unfused = "its per-operator plan was not timed in the same block";
    return failed;
  }
  // A plan is shown together with its baseline or not at all. Where one of them is missing, the other's cell says so.
  const std::string fused = failed.fused, unfused = failed.unfused;
  if (fused.empty() && !unfused.empty()) failed.fused = "no pair: " + unfused;
  if (unfused.empty() && !fused.empty()) failed.unfused = "no pair: " + fused;
  return failed;
}

Status add_gain(CompareCell& cell, const TrialRecord& fused, const TrialRecord& unfused, EvidenceReader& evidence) {
  FL_TRY(const auto decided, evidence.gain(fused, unfused));
  if (decided && decided->is_known()) {
    cell.gain = Ratio{decided->ratio, {decided->low, decided->high}};
    cell.gain_processes = decided->processes;
  } else {
    cell.gain = ratio_of(unfused.result.samples, fused.result.samples, /*paired=*/true);
  }
  return {};
}

Result<CompareCell> compare_cell(const Piece& piece, const ComparedDevice& device, const Protocol& protocol,
                                 EvidenceReader& evidence, const std::string& failure, Accepted accepted) {
  CompareCell cell;
  cell.device_id = device.info.id;
  cell.backend = device.info.backend;
  cell.is_host_cpu_again = device.info.is_host_cpu_again();
  cell.preference = device.preference;
  cell.is_software = device.info.is_software();
  const std::string metric_key = metric_of(protocol).key().hex();
  FL_TRY(auto trials, evidence.current(piece, device.info, metric_key, device.environment_key));
  const TrialRecord* const fused = timed_of_kind(trials, PlanKind::kFused);
  // A single operator has nothing to fuse: both plans are the same one.
  const TrialRecord* const unfused = piece.is_single() ? fused : timed_of_kind(trials, PlanKind::kUnfused);
  PairFailures failed;
  if (fused == nullptr || unfused == nullptr) {
    FL_TRY(failed, failures_of(piece, device, metric_key, evidence, failure, fused != nullptr));
  }
  cell.fused = cell_of(fused, failed.fused, accepted);
  cell.unfused = cell_of(unfused, failed.unfused, accepted);
  if (fused != nullptr) {
    FL_TRY(const auto search, evidence.search_of(piece, device.info, metric_key, device.environment_key));
    if (search && search->best_config == fused->config) cell.tuning = search->decision;
    if (search) cell.given_up = given_up_because(*search);
  }
  if (fused != nullptr && unfused != nullptr && fused != unfused) FL_TRY_VOID(add_gain(cell, *fused, *unfused, evidence));
  FL_TRY_VOID(add_cold(cell, piece, device, protocol, evidence, fused, unfused, accepted));
  if (cell.fused.state == CellState::kFailed) {
    FL_TRY(cell.fused.failed_config, evidence.newest_failed_config(piece, device.info, metric_key, device.environment_key));
  }
  const bool rotates = protocol.mode == CacheMode::kRotating;
  judge_against_ceiling(cell, piece, device.ceilings, rotates ? last_caches_bytes(device.info) : last_cache_bytes(device.info),
                        protocol.mode);
  return cell;
}

CompareCell excluded_cell(const Piece& piece, const DeviceInfo& device) {
  CompareCell cell;
  cell.device_id = device.id;
  cell.backend = device.backend;
  cell.is_host_cpu_again = device.is_host_cpu_again();
  cell.is_software = device.is_software();
  cell.fused.state = cell.unfused.state = CellState::kExcluded;
  cell.fused.reason = cell.unfused.reason = piece.not_measured;
  return cell;
}

// A device that was not asked for the whole model has no row, unless none is asked for this one without --whole. The same graph may
// be a piece at another level: its figures on a device that takes no whole models are not of one.
Status add_whole_models(CompareTable& table, const Piece& whole, const std::vector<ComparedDevice>& devices,
                        const Protocol& protocol, EvidenceReader& evidence, const Failures& failures, Accepted accepted) {
  for (const ComparedDevice& device : devices) {
    if (device.takes_whole_models == false) continue;
    const auto failed = failures.find({whole.key, device.info.id});
    const std::string failure = failed == failures.end() ? std::string() : failed->second;
    FL_TRY(CompareCell cell, compare_cell(whole, device, protocol, evidence, failure, accepted));
    if (cell.fused.state == CellState::kPending) {
      if (whole.not_measured.empty() || !device.takes_whole_models) continue;
      cell = excluded_cell(whole, device.info);
    }
    const auto ratio = ratio_to_best_mix(cell.fused, table.totals);
    table.whole_models.push_back({whole.key, std::move(cell), ratio});
  }
  return {};
}

void recommend(CompareRow& row) {
  const Choice choice = choose_device(row);
  row.recommended_device = choice.device_id;
  row.recommended_plan = choice.plan;
  row.reason = choice.reason;
  for (const CompareCell& cell : row.cells) {
    if (cell.device_id != row.recommended_device || !cell.fused.figure) continue;
    const bool other = cell.unfused.figure && cell.unfused.figure->is_choosable();
    const double best = std::min(cell.fused.figure->median_ns, (other ? cell.unfused : cell.fused).figure->median_ns);
    row.to_be_won_ns = row.count * std::max(0.0, best - cell.ideal_ns.value_or(best));
  }
}

}  // namespace

Result<CompareTable> build_compare_table(const FusedModel& fused_model, const std::vector<ComparedDevice>& devices,
                                         const Protocol& protocol, EvidenceReader& evidence, const Failures& failures,
                                         Accepted accepted) {
  CompareTable table;
  table.model = stored_model(fused_model.subject.name, fused_model.subject.content);
  table.mode = protocol.mode;
  table.binding = fused_model.subject.binding;
  table.level = fused_model.level;
  table.dtype = fused_model.subject.dtype;
  table.covered_share = covered_share(fused_model.pieces);
  for (const Piece& piece : fused_model.pieces) {
    CompareRow row;
    row.piece_key = piece.key;
    if (piece.not_measured.empty()) row.graph = canonical_text(piece.operation.graph);
    row.name = piece.operation.name;
    row.pattern = name_of(piece.operation.pattern);
    row.count = piece.operation.count;
    row.runs_nothing = !piece.not_measured.empty() && piece.operation.pattern != FusionPatternType::kOpaque;
    row.single_operator = piece.is_single() && piece.not_measured.empty();
    row.cost = piece.operation.cost;
    for (const ComparedDevice& device : devices) {
      if (!piece.not_measured.empty()) {
        row.cells.push_back(excluded_cell(piece, device.info));
        continue;
      }
      const auto failed = failures.find({piece.key, device.info.id});
      const std::string failure = failed == failures.end() ? std::string() : failed->second;
      FL_TRY(CompareCell cell, compare_cell(piece, device, protocol, evidence, failure, accepted));
      row.cells.push_back(std::move(cell));
    }
    recommend(row);
    FL_TRY(const auto operators, operator_figures(piece, devices, protocol, evidence, accepted));
    row.best_unfused = best_unfused(row, operators);
    table.rows.push_back(std::move(row));
  }
  table.totals = model_totals(table, devices);
  if (fused_model.whole) FL_TRY_VOID(add_whole_models(table, *fused_model.whole, devices, protocol, evidence, failures, accepted));
  share_out(table);
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const CompareRow& a, const CompareRow& b) { return a.to_be_won_ns > b.to_be_won_ns; });
  return table;
}

}  // namespace fuselab::engine
