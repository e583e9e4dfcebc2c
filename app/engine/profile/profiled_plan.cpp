// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/profiled_plan.h"

#include <algorithm>

#include "app/engine/kernels/requests.h"
#include "app/engine/kernels/stored_kernel.h"
#include "app/engine/profile/target_plan.h"
#include "app/engine/tune/plan_pair.h"
#include "app/engine/workers/environment_here.h"
#include "app/engine/workers/selected_devices.h"

namespace fuselab::engine {
namespace {

double best_ns(const CompareRow& row) {
  double best = 0;
  for (const CompareCell& cell : row.cells) {
    for (const Cell* const each : {&cell.fused, &cell.unfused}) {
      if (each->figure && (best <= 0 || each->figure->median_ns < best)) best = each->figure->median_ns;
    }
  }
  return best * row.count;
}

bool is_called(const CompareRow& row, const std::string& piece) {
  return piece.empty() || row.name == piece || row.piece_key.starts_with(piece);
}

// The row and cell of a subject that are profiled.
struct Chosen {
  CompareTable table;
  CompareRow row;
  std::optional<CompareCell> cell;
  std::size_t of_rows = 0;
};

Result<Chosen> choose_row(Engine& engine, const ProfileSpec& spec) {
  CompareSpec compared;
  compared.subjects = {spec.subject};
  if (!spec.binding.empty()) compared.bindings = {spec.binding};
  compared.devices = spec.devices;
  compared.level = spec.level;
  compared.dtype = spec.dtype;
  compared.protocol = spec.protocol;
  compared.accepted = spec.accepted;
  FL_TRY(const auto tables, engine.compare(compared));
  std::optional<Chosen> chosen;
  std::size_t rows = 0;
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      if (row.graph.empty() || row.runs_nothing) continue;
      ++rows;
      if (!is_called(row, spec.piece)) continue;
      if (!chosen || best_ns(row) > best_ns(chosen->row)) chosen = Chosen{table, row, std::nullopt, 0};
    }
  }
  if (!chosen) {
    return Error{ErrorCode::kNotFound, spec.piece.empty() ? spec.subject + " has no piece that runs"
                                                          : spec.subject + " has no piece '" + spec.piece + "'; `fuse` lists them"};
  }
  chosen->of_rows = rows;
  for (const CompareCell& cell : chosen->row.cells) {
    if (cell.device_id == chosen->row.recommended_device) chosen->cell = cell;
  }
  if (!chosen->cell && !chosen->row.cells.empty()) chosen->cell = chosen->row.cells.front();
  return *chosen;
}

Result<DeviceInfo> device_called(Engine& engine, const std::string& id) {
  FL_TRY(const auto backends, engine.devices(false));
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) {
      if (device.id == id && backend.availability.usable) return device;
    }
  }
  return Error{ErrorCode::kUnavailable, id + " is not usable here: its plans cannot be profiled on this machine"};
}

Status place(Engine& engine, const std::string& device_id, ProfiledPlan& found) {
  FL_TRY(found.device, device_called(engine, device_id));
  FL_TRY(const auto backends, engine.devices(false));
  const auto environments = environments_here(backends);
  if (const auto here = environments.find(device_id); here != environments.end()) found.environment_key = here->second;
  FL_TRY(const Catalog catalog, engine.queries().catalog());
  for (const auto& [key, table] : catalog.ceilings) {
    if (key == found.environment_key) found.ceilings = table;
  }
  return {};
}

// Makes the plan of its kernels.
Status assemble(ProfiledPlan& found) {
  std::vector<std::string> keys;
  for (const CompiledKernel& kernel : found.kernels) keys.push_back(kernel.kernel_id());
  if (found.plan_key.empty()) found.plan_key = plan_key_of(keys);
  const std::string label = std::string(name_of(found.kind)) + " " + found.config;
  if (found.kind == PlanKind::kFused || found.piece.is_single()) {
    found.plan = whole_graph_plan(label, found.piece.operation.graph, found.kernels.front());
    return {};
  }
  FL_TRY(found.plan, make_plan(label, found.piece.operation.graph, found.piece.operators, found.kernels));
  return {};
}

Status take_trial(Engine& engine, WorkerPool& workers, const std::string& id, bool as_stored, const std::stop_token& stop,
                  ProfiledPlan& found) {
  FL_TRY(found.trial, engine.queries().trial(id));
  if (!found.trial) return Error{ErrorCode::kNotFound, "no trial '" + id + "' is stored"};
  const TrialRecord& trial = *found.trial;
  if (trial.kernel_keys.empty())
    return Error{ErrorCode::kUnsupported, "no kernel of trial " + id + " could be made: " + trial.result.reason};
  found.kind = trial.kind;
  found.config = trial.config;
  found.plan_key = trial.plan_key;
  found.metric_key = trial.metric_key;
  FL_TRY(const Catalog catalog, engine.queries().catalog());
  for (const auto& [key, metric] : catalog.metrics) {
    if (key == trial.metric_key) found.mode = metric.mode;
  }
  FL_TRY(found.kernels, stored_kernels(engine.queries(), workers, found, trial, as_stored, stop));
  if (trial.environment_key != found.environment_key)
    found.note = "this trial was measured in another environment (machine, driver or version) than the one here";
  FL_TRY(const auto evidence, engine.queries().evidence(evidence_key_of(trial)));
  for (const TrialRecord& each : evidence) {
    if (each.median_ns <= 0) continue;
    (each.kind == PlanKind::kFused ? found.fused : found.unfused) = each;
  }
  if (found.fused && found.unfused) {
    FL_TRY(found.gain,
           engine.queries().gain(
               {found.fused->plan_key, found.unfused->plan_key, trial.device_id, trial.metric_key, trial.environment_key, {}}));
  }
  return assemble(found);
}

Status take_default(WorkerPool& workers, const std::string& level, const std::stop_token& stop, ProfiledPlan& found) {
  const Graph& graph = found.piece.operation.graph;
  FL_TRY(const wire::DescribeReply described, workers.describe(describe_request(found.device, level, graph), stop));
  if (!described.support.yes)
    return Error{ErrorCode::kUnsupported, found.piece.operation.name + " on " + found.device.id + ": " + described.support.why_not};
  FL_TRY(CompiledKernel kernel, workers.compile(compile_request(found.device, level, graph, described.default_config), stop));
  found.config = kernel.config.text();
  found.kernels.push_back(std::move(kernel));
  found.note = "nothing is stored of this piece on " + found.device.id +
               ": this is its default configuration, neither tuned nor measured; `fuselab bench` or `tune` measures it";
  return assemble(found);
}

Result<ProfiledPlan> plan_of_trial(Engine& engine, WorkerPool& workers, const ProfileSpec& spec, const std::stop_token& stop) {
  FL_TRY(const std::string id, find_trial(engine.queries(), spec.trial));
  FL_TRY(const auto trial, engine.queries().trial(id));
  FL_ASSERT(trial.has_value());
  FL_TRY(const Catalog catalog, engine.queries().catalog());
  const auto piece = std::find_if(catalog.pieces.begin(), catalog.pieces.end(),
                                  [&](const PieceRecord& each) { return each.key == trial->piece_key; });
  if (piece == catalog.pieces.end()) return Error{ErrorCode::kCorrupt, "trial " + id + " is of a piece that is not stored"};
  ProfiledPlan found;
  FL_TRY(const FusionPatternType pattern, parse_fusion_pattern(piece->pattern));
  FL_TRY(found.piece, piece_of(piece->canonical_text, piece->name, pattern));
  const auto use = std::find_if(catalog.model_pieces.begin(), catalog.model_pieces.end(),
                                [&](const ModelPieceRecord& each) { return each.piece_key == trial->piece_key; });
  if (use != catalog.model_pieces.end()) {
    found.model = use->model;
    found.binding = use->binding;
    found.level = use->level;
    found.dtype = use->dtype;
  }
  if (found.level.empty()) found.level = JobSpec().level;
  FL_TRY_VOID(place(engine, trial->device_id, found));
  FL_TRY_VOID(take_trial(engine, workers, id, spec.stored, stop, found));
  return found;
}

}  // namespace

int ProfiledPlan::threads() const {
  int most = 1;
  // A device whose launches name no threads spreads them over all that it has.
  const std::int64_t all = device.compute_units.value_or(1);
  for (const CompiledKernel& kernel : kernels) {
    const std::int64_t unnamed = kernel.binary.format == "elf-so" ? 1 : all;
    most = std::max(most, static_cast<int>(kernel.config.integer("threads", unnamed)));
  }
  return most;
}

Result<std::vector<CompiledKernel>> stored_kernels(ResultQueries& queries, WorkerPool& workers, const ProfiledPlan& plan,
                                                   const TrialRecord& trial, bool as_stored, const std::stop_token& stop) {
  std::vector<const Graph*> graphs = graphs_of(plan.piece);
  if (trial.kind == PlanKind::kFused) graphs.resize(1);
  if (trial.kind != PlanKind::kFused && !plan.piece.is_single()) graphs.erase(graphs.begin());
  if (graphs.size() != trial.kernel_keys.size()) {
    return Error{ErrorCode::kUnsupported, "trial " + trial.id + " has " + std::to_string(trial.kernel_keys.size()) + " of the " +
                                              std::to_string(graphs.size()) + " kernels of its plan" +
                                              (trial.result.reason.empty() ? "" : ": " + trial.result.reason)};
  }
  std::vector<CompiledKernel> kernels;
  for (std::size_t step = 0; step < graphs.size(); ++step) {
    const std::string& key = trial.kernel_keys[step];
    auto kernel = as_stored ? kept_kernel(queries, key) : stored_kernel(queries, workers, plan.device, *graphs[step], key, stop);
    if (!kernel.ok()) return kernel.error();
    kernels.push_back(std::move(kernel).value());
  }
  return kernels;
}

Result<ProfiledPlan> find_plan(Engine& engine, WorkerPool& workers, const ProfileSpec& spec, const std::stop_token& stop) {
  if (!spec.target.empty()) return plan_for_target(engine, workers, spec, stop);
  if (!spec.trial.empty()) return plan_of_trial(engine, workers, spec, stop);
  FL_TRY(const Chosen chosen, choose_row(engine, spec));
  if (!chosen.cell) return Error{ErrorCode::kUnavailable, "no usable device to profile on"};
  ProfiledPlan found;
  FL_TRY(const FusionPatternType pattern, parse_fusion_pattern(chosen.row.pattern));
  FL_TRY(found.piece, piece_of(chosen.row.graph, chosen.row.name, pattern));
  found.model = chosen.table.model;
  found.binding = chosen.table.binding;
  found.dtype = chosen.table.dtype;
  found.level = chosen.table.level.empty() ? JobSpec().level : chosen.table.level;
  FL_TRY_VOID(place(engine, chosen.cell->device_id, found));
  const bool unfused = spec.plan.empty() ? chosen.row.recommended_plan == PlanKind::kUnfused : spec.plan == "unfused";
  const Cell& cell = unfused ? chosen.cell->unfused : chosen.cell->fused;
  if (cell.figure) {
    FL_TRY_VOID(take_trial(engine, workers, cell.figure->trial_id, spec.stored, stop, found));
  } else if (unfused && !spec.plan.empty()) {
    return Error{ErrorCode::kNotFound, "no unfused plan of " + chosen.row.name + " is stored for " + found.device.id};
  } else {
    FL_TRY_VOID(take_default(workers, found.level, stop, found));
    if (!cell.reason.empty()) found.note += "; it has no figure because: " + cell.reason;
  }
  if (chosen.of_rows > 1 && spec.piece.empty()) {
    found.note += (found.note.empty() ? "" : "; ") + std::string("the piece of ") + std::to_string(chosen.of_rows) +
                  " that takes the most time; --piece names another";
  }
  return found;
}

Result<std::string> find_trial(ResultQueries& queries, const std::string& beginning) {
  FL_TRY(const auto exact, queries.trial(beginning));
  if (exact) return exact->id;
  constexpr std::size_t kFewest = 4;
  if (beginning.size() < kFewest) return invalid_argument("'" + beginning + "' is too short for the beginning of a trial's id");
  constexpr std::int64_t kPage = 2000;
  std::string found;
  for (std::int64_t offset = 0;; offset += kPage) {
    TrialFilter filter;
    filter.include_synthetic = true;
    FL_TRY(const auto rows, queries.page(filter, TrialOrder::kNewestFirst, offset, kPage));
    for (const TrialRow& row : rows) {
      if (!row.id.starts_with(beginning) || row.id == found) continue;
      if (!found.empty())
        return invalid_argument(
            std::string("several trials begin with '").append(beginning).append("': ").append(found).append(", ").append(row.id));
      found = row.id;
    }
    if (static_cast<std::int64_t>(rows.size()) < kPage) break;
  }
  if (found.empty())
    return Error{ErrorCode::kNotFound, "no stored trial begins with '" + beginning +
                                           "'; `compare --wide`, `compare --json` and the Results page show them"};
  return found;
}

}  // namespace fuselab::engine
