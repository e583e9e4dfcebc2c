// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/table/compare_builder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/engine/compare/table/best_unfused.h"
#include "app/engine/compare/table/model_totals.h"
#include "app/engine/job/job_context.h"
#include "app/engine/job/job_protocols.h"
#include "app/engine/measure/figures.h"
#include "app/engine/measure/roofline.h"
#include "app/engine/measure/shared_ceilings.h"
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
  FL_TRY(const auto trials, evidence.current({piece, device.info, metric_key, device.environment_key}));
  const auto same_plan = [&](const TrialRecord* warm) {
    const TrialRecord* const cold = warm == nullptr ? nullptr : timed_of_kind(trials, warm->kind);
    return cold != nullptr && cold->plan_key == warm->plan_key ? cold : nullptr;
  };
  cell.cold_fused = cell_of(same_plan(fused), "", accepted);
  cell.cold_unfused = cell_of(same_plan(unfused), "", accepted);
  return {};
}

constexpr std::string_view kNoPair = "no pair: ";

std::string withheld_words(PlanKind kind, const Piece& piece) {
  return std::string(plan_word(kind, piece.is_single())) + " withheld: ";
}

// A plan whose figure beats its ceiling did not fail: for users it is withheld.
std::string in_users_words(const std::string& failure, PlanKind kind, const Piece& piece) {
  const std::string stored =
      std::string(plan_word(kind, piece.is_single())) + " " + std::string(name_of(Outcome::kMistrusted)) + ": ";
  return failure.rfind(stored, 0) == 0 ? withheld_words(kind, piece) + failure.substr(stored.size()) : failure;
}

// The reason why each plan of a piece has no figure: "fused skipped: …", "unfused crashed: …"; empty where none is known.
struct PairFailures {
  std::string fused, unfused;
};

// Returns these reasons; `fused_timed`: the fused plan was timed. `of_job`: how the first plan that failed in this job ended, if
// one did.
Result<PairFailures> failures_of(const AskedEvidence& asked, EvidenceReader& evidence, const std::string& of_job,
                                 bool fused_timed) {
  const Piece& piece = asked.piece;
  const auto of_kind = [&](PlanKind kind) -> Result<std::string> {
    if (of_job.rfind(std::string(plan_word(kind, piece.is_single())) + " ", 0) == 0) return in_users_words(of_job, kind, piece);
    FL_TRY(const std::string stored, evidence.newest_failure(asked, kind));
    return in_users_words(stored, kind, piece);
  };
  PairFailures failed;
  if (!fused_timed) {
    FL_TRY(failed.fused, of_kind(PlanKind::kFused));
  }
  if (piece.is_single()) return PairFailures{failed.fused, failed.fused};
  if (evidence.shows_only(piece.key, asked.device.id)) return failed;  // only one plan was asked for, so the other is not missing
  FL_TRY(failed.unfused, of_kind(PlanKind::kUnfused));
  if (fused_timed) {
    if (failed.unfused.empty()) failed.unfused = "its per-operator plan was not timed in the same block";
    return failed;
  }
  // A plan is shown together with its baseline or not at all. Where one of them is missing, the other's cell says so.
  const std::string fused = failed.fused, unfused = failed.unfused;
  if (fused.empty() && !unfused.empty()) failed.fused = std::string(kNoPair) + unfused;
  if (unfused.empty() && !fused.empty()) failed.unfused = std::string(kNoPair) + fused;
  return failed;
}

// A cell without a timed trial, of which `failure` says why. One whose plan is withheld, or whose pair is, did not fail; the figure
// of the former is shown.
Status note_withheld(Cell& cell, PlanKind kind, const AskedEvidence& asked, EvidenceReader& evidence, Accepted accepted) {
  if (cell.state != CellState::kFailed) return {};
  const auto begins_with = [&](const std::string& words) { return cell.reason.rfind(words, 0) == 0; };
  const PlanKind other = kind == PlanKind::kFused ? PlanKind::kUnfused : PlanKind::kFused;
  if (begins_with(std::string(kNoPair) + withheld_words(other, asked.piece))) cell.state = CellState::kWithheld;
  if (!begins_with(withheld_words(kind, asked.piece))) return {};
  cell.state = CellState::kWithheld;
  FL_TRY(const auto trial, evidence.newest_withheld(asked, kind));
  if (trial) cell.withheld = figure_of(*trial, accepted);
  return {};
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

std::vector<ComparedDevice> with_ceilings_of_hardware(std::vector<ComparedDevice> devices) {
  std::vector<MeasuredCeilings> measured;
  for (const ComparedDevice& device : devices)
    measured.push_back({&device.info, device.of_hardware.rows.empty() ? &device.ceilings : &device.of_hardware});
  std::vector<CeilingTable> tables = shared_ceilings(measured);
  for (std::size_t index = 0; index < devices.size(); ++index) devices[index].of_hardware = std::move(tables[index]);
  return devices;
}

Result<CompareCell> compare_cell(const Piece& piece, const ComparedDevice& device, const Protocol& protocol,
                                 EvidenceReader& evidence, const std::string& failure, Accepted accepted) {
  CompareCell cell;
  cell.device_id = device.info.id;
  cell.backend = device.info.backend;
  cell.is_host_cpu_again = device.info.is_host_cpu_again();
  cell.preference = device.preference;
  cell.is_software = device.info.is_software();
  const AskedEvidence asked{piece, device.info, metric_of(protocol).key().hex(), device.environment_key};
  FL_TRY(const auto trials, evidence.current(asked));
  const TrialRecord* const fused = timed_of_kind(trials, PlanKind::kFused);
  // A single operator has nothing to fuse: both plans are the same one.
  const TrialRecord* const unfused = piece.is_single() ? fused : timed_of_kind(trials, PlanKind::kUnfused);
  PairFailures failed;
  if (fused == nullptr || unfused == nullptr) {
    FL_TRY(failed, failures_of(asked, evidence, failure, fused != nullptr));
  }
  cell.fused = cell_of(fused, failed.fused, accepted);
  cell.unfused = cell_of(unfused, failed.unfused, accepted);
  if (fused != nullptr) cell.fused.figure->of_ceiling = share_beside(*fused, piece, device.ceilings);
  if (unfused != nullptr) cell.unfused.figure->of_ceiling = share_beside(*unfused, piece, device.ceilings);
  FL_TRY_VOID(note_withheld(cell.fused, PlanKind::kFused, asked, evidence, accepted));
  FL_TRY_VOID(note_withheld(cell.unfused, piece.is_single() ? PlanKind::kFused : PlanKind::kUnfused, asked, evidence, accepted));
  if (fused != nullptr) {
    FL_TRY(const auto search, evidence.search_of(asked));
    if (search && search->best_config == fused->config) cell.tuning = search->decision;
    if (search) cell.given_up = given_up_because(*search);
  }
  if (fused != nullptr && unfused != nullptr && fused != unfused) FL_TRY_VOID(add_gain(cell, *fused, *unfused, evidence));
  FL_TRY_VOID(add_cold(cell, piece, device, protocol, evidence, fused, unfused, accepted));
  if (cell.fused.state == CellState::kFailed) {
    FL_TRY(cell.fused.failed_config, evidence.newest_failed_config(asked));
  }
  const bool rotates = protocol.mode == CacheMode::kRotating;
  judge_against_ceiling(cell, piece, device.of_hardware, rotates ? last_caches_bytes(device.info) : last_cache_bytes(device.info),
                        protocol.mode, device.ceilings.rows.empty() ? CeilingsOf::kItsProcessor : CeilingsOf::kItself);
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
      if (whole.not_measured.empty()) table.pending_whole_models += device.takes_whole_models == true ? 1 : 0;
      if (whole.not_measured.empty() || !device.takes_whole_models) continue;
      cell = excluded_cell(whole, device.info);
    }
    const auto ratio = cell.fused.figure
                           ? ratio_to_best_mix(cell.fused.figure->median_ns, cell.fused.figure->interval, table.totals)
                           : std::nullopt;
    table.whole_models.push_back({whole.key, std::move(cell), ratio});
  }
  return {};
}

// The time of all uses of a row as it would run; 0 where it has no figure that may be chosen.
double chosen_ns(const CompareRow& row) {
  for (const CompareCell& cell : row.cells) {
    const auto plan = cell.device_id == row.recommended_device ? best_plan(cell) : std::nullopt;
    if (plan) return row.count * (*plan == PlanKind::kFused ? cell.fused : cell.unfused).figure->median_ns;
  }
  return 0;
}

void recommend(CompareRow& row) {
  const Choice choice = choose_device(row);
  row.recommended_device = choice.device_id;
  row.recommended_plan = choice.plan;
  row.reason = choice.reason;
  for (const CompareCell& cell : row.cells) {
    if (cell.device_id == row.recommended_device && cell.ideal_ns)
      row.to_be_won_ns = std::max(0.0, chosen_ns(row) - row.count * *cell.ideal_ns);
  }
}

// Ranks rows by what is to be won. Where no ideal is known that may be the whole time, so that such a row is not the last.
void rank(std::vector<CompareRow>& rows) {
  const auto at_most = [](const CompareRow& row) {
    const bool known = std::any_of(row.cells.begin(), row.cells.end(), [&](const CompareCell& cell) {
      return cell.device_id == row.recommended_device && cell.ideal_ns;
    });
    return known ? row.to_be_won_ns : chosen_ns(row);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const CompareRow& a, const CompareRow& b) { return at_most(a) > at_most(b); });
}

}  // namespace

Result<CompareTable> build_compare_table(const FusedModel& fused_model, const std::vector<ComparedDevice>& compared,
                                         const Protocol& protocol, EvidenceReader& evidence, const Failures& failures,
                                         Accepted accepted) {
  const std::vector<ComparedDevice> devices = with_ceilings_of_hardware(compared);
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
  rank(table.rows);
  return table;
}

}  // namespace fuselab::engine
