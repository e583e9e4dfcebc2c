// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/job_tables.h"

#include <algorithm>

#include "app/engine/kernels/evidence_reader.h"
#include "core/platform/system/clock.h"

namespace fuselab::engine {
namespace {

constexpr double kSecondsBetweenTables = 2;
constexpr double kTimesTheirCost = 10;  // so that building tables takes a tenth of the job at most

}  // namespace

double JobTables::first_due() {
  return platform::monotonic_now().seconds() + kSecondsBetweenTables;
}

Status JobTables::publish(EvidenceReader& evidence) {
  FL_TRY(tables_, build(evidence));
  for (const CompareTable& table : tables_) parts_.context.events.push(TableChanged{table});
  return {};
}

Result<std::vector<CompareTable>> JobTables::build(EvidenceReader& evidence) const {
  Failures failures;
  for (const auto& tuner : parts_.tuners) {
    for (const auto& [piece, reason] : tuner->failures()) failures[{piece, tuner->device().id}] = reason;
  }
  std::vector<CompareTable> tables;
  for (const FusedModel& fused_model : parts_.fused_models) {
    FL_TRY(CompareTable table, build_compare_table(fused_model, compared_devices(), parts_.context.spec.protocol, evidence,
                                                   failures, parts_.context.spec.accepted));
    table.model = parts_.names.shown(table.model);
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<ComparedDevice> JobTables::compared_devices() const {
  std::vector<ComparedDevice> devices;
  for (const auto& tuner : parts_.tuners)
    devices.push_back({tuner->device(), tuner->measurer().environment_key(), tuner->calibration().table(),
                       preference_rank(parts_.context.spec.devices.prefer, tuner->device().id, tuner->device().backend),
                       parts_.takes_whole(*tuner)});
  return devices;
}

// A job that measures anew shows its own figures only; what is chosen rests on the strongest evidence there is.
Status JobTables::store_choices() const {
  std::vector<CompareTable> tables = tables_;
  if (parts_.context.spec.remeasure) {
    EvidenceReader evidence = parts_.context.evidence.of_every_run();
    FL_TRY(tables, build(evidence));
  }
  StoreBatch batch;
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      const auto cell = std::find_if(row.cells.begin(), row.cells.end(),
                                     [&](const CompareCell& candidate) { return candidate.device_id == row.recommended_device; });
      if (cell == row.cells.end()) continue;
      const Cell& chosen = row.recommended_plan == PlanKind::kFused ? cell->fused : cell->unfused;
      if (!chosen.figure) continue;
      const auto tuner = std::find_if(parts_.tuners.begin(), parts_.tuners.end(),
                                      [&](const auto& candidate) { return candidate->device().id == cell->device_id; });
      batch.choices.push_back({row.piece_key, (*tuner)->measurer().environment_key(), cell->device_id, chosen.figure->trial_id,
                               row.reason, platform::unix_milliseconds()});
    }
  }
  return parts_.context.store.commit(batch);
}

Status JobTables::publish_now_and_then(double& next) {
  const double now = platform::monotonic_now().seconds();
  if (now < next) return {};
  FL_TRY_VOID(publish());
  const double after = platform::monotonic_now().seconds();
  next = after + std::max(kSecondsBetweenTables, kTimesTheirCost * (after - now));
  return {};
}

}  // namespace fuselab::engine
