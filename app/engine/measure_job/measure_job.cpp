// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/measure_job.h"

#include <algorithm>

#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/measure_job/estimate_job.h"
#include "app/engine/offers/offered_limits.h"
#include "app/engine/subject/given_config.h"
#include "app/engine/workers/selected_devices.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "core/platform/machine/machine.h"

namespace fuselab::engine {

Status MeasureJob::run() {
  FL_TRY_VOID(store_subjects());
  const Status measured = measure();
  return measured.ok() ? measured : show_what_is_stored(measured);
}

Status MeasureJob::prepare() {
  FL_TRY_VOID(cut_subjects());
  FL_TRY_VOID(open_tuners());
  return give_config();
}

Status MeasureJob::measure() {
  const JobSpec& spec = parts_.context.spec;
  FL_TRY_VOID(tables_.publish());
  expect();
  if (!spec.confirm_only.empty()) return phases_.confirm_what_stands();
  FL_TRY_VOID(phases_.measure_first_device());
  FL_TRY_VOID(tables_.publish());
  FL_TRY_VOID(phases_.measure_whole_models());
  FL_TRY_VOID(phases_.measure_other_devices());
  FL_TRY_VOID(tables_.publish());
  const bool has_budget = spec.verb != JobSpec::Verb::kBench;
  if (has_budget) {
    FL_TRY_VOID(tuning_.run());
    FL_TRY_VOID(phases_.measure_disturbed_again());
    FL_TRY_VOID(tables_.publish());
    FL_TRY_VOID(phases_.confirm_recommended());
  }
  if (!parts_.is_given() && spec.decide_gains) FL_TRY_VOID(phases_.decide_gains());
  if (has_budget) FL_TRY_VOID(phases_.confirm_recommended());  // what the gains changed
  if (!parts_.is_given() && spec.cold) FL_TRY_VOID(phases_.measure_cold());
  FL_TRY_VOID(tables_.publish());
  if (has_budget) phases_.say_what_is_unconfirmed();
  if (!parts_.is_given()) FL_TRY_VOID(tables_.store_choices());
  pace_.report_end();
  return {};
}

void MeasureJob::expect() {
  std::vector<DeviceInfo> devices;
  for (const auto& tuner : parts_.tuners) devices.push_back(tuner->device());
  pace_.expect(estimate_job(parts_.context.spec, tables_.all(), devices, parts_.backends, parts_.context.queries));
}

// Whatever ends a job early may come after a block was stored that no table shows yet.
Status MeasureJob::show_what_is_stored(const Status& ended) {
  Status stored;
  for (const auto& tuner : parts_.tuners) {
    const Status settled = tuner->measurer().settle();
    if (stored.ok()) stored = settled;
  }
  EvidenceReader evidence = parts_.context.evidence.after_stop();
  const Status shown = tables_.publish(evidence);
  if (stored.ok() && !shown.ok())
    parts_.say(LogLine::Level::kWarning, "what was measured last is stored and not shown: " + shown.error().message);
  const bool cancelled = ended.error().code == ErrorCode::kCancelled;
  return cancelled && !stored.ok() ? stored : ended;
}

Status MeasureJob::cut_subjects() {
  const JobSpec& spec = parts_.context.spec;
  pace_.report("importing", "", std::nullopt);
  FL_TRY(const DType dtype, parse_element_type(spec.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  FL_TRY(const auto devices, select_devices(parts_.backends, spec.devices, parts_.context.config.synthetic));
  const std::vector<BackendLimits> asked = offered_limits(parts_.context.workers, parts_.backends, devices, spec.level);
  const std::vector<std::string> names = spec.subjects.empty() ? default_subjects() : spec.subjects;
  FL_TRY(const auto bindings, shape_of_each(names, spec.bindings, parts_.context.config.model_links));
  for (std::size_t index = 0; index < names.size(); ++index) {
    FL_TRY(auto subjects, resolve_subject(parts_.context.config, names[index], bindings[index], dtype));
    for (Subject& subject : subjects) {
      const bool own_types = subject.dtype.empty() && spec.dtype != JobSpec().dtype;
      if (own_types) subject.notes.push_back("keeps its own element types; --dtype is for built-in workloads");
      for (const std::string& note : subject.notes) parts_.say(LogLine::Level::kInfo, subject.name + ": " + note);
      const bool whole = !spec.config.values().empty();
      const TraceScope traced(parts_.context.config.trace, kJobTrack, "fuse " + subject.name, "fuse");
      FL_TRY(FusedModel fused_model, whole ? keep_whole(std::move(subject), level) : cut(std::move(subject), level, asked));
      parts_.fused_models.push_back(std::move(fused_model));
    }
  }
  return name_models();
}

// Gives two files of the same name different names, in this job and among what is stored.
Status MeasureJob::name_models() {
  FL_TRY(const Catalog catalog, parts_.context.queries.catalog());
  parts_.names = ModelNames(catalog);
  for (const FusedModel& fused_model : parts_.fused_models) parts_.names.add(stored_name(fused_model));
  return {};
}

Status MeasureJob::give_config() {
  if (parts_.context.spec.config.values().empty()) return {};
  for (const FusedModel& fused_model : parts_.fused_models) {
    for (const Piece& piece : fused_model.pieces) {
      for (const auto& tuner : parts_.tuners) FL_TRY_VOID(tuner->give_config(piece, parts_.context.spec.config));
    }
  }
  return {};
}

Status MeasureJob::open_tuners() {
  const JobSpec& spec = parts_.context.spec;
  FL_TRY(const auto devices, select_devices(parts_.backends, spec.devices, parts_.context.config.synthetic));
  for (const std::string& line : unusable_preferences(parts_.backends, spec.devices)) parts_.say(LogLine::Level::kWarning, line);
  const auto machine = platform::machine_facts();
  // Reports remarks on stacks that are usable: that one has no compiler, say, and what it uses instead.
  for (const BackendReport& backend : parts_.backends) {
    const bool asked =
        std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo& each) { return each.backend == backend.id; });
    const std::string& note = backend.availability.reason;
    if (asked && !note.empty()) parts_.say(LogLine::Level::kInfo, backend.id + ": " + note);
  }
  StoreBatch batch;
  for (const DeviceInfo& device : devices) {
    const auto environment = platform::environment_identity(machine, device, std::string(tool_version()));
    batch.devices.push_back(device);
    batch.environments.push_back(environment);
    FL_TRY(DeviceInfo aimed, on_target(device, spec.target));
    parts_.tuners.push_back(std::make_unique<DeviceTuner>(parts_.context, std::move(aimed), environment));
  }
  return parts_.context.store.commit(batch);
}

Status MeasureJob::store_subjects() {
  const JobSpec& spec = parts_.context.spec;
  StoreBatch batch;
  for (const FusedModel& fused_model : parts_.fused_models) {
    int position = 0;
    // How a model is cut for one configuration, or for a confirmation, is no answer about the model.
    const bool is_answer = spec.config.values().empty() && spec.confirm_only.empty();
    const auto store_piece = [&](const Piece& piece, int at) -> Status {
      // The graph of a whole model may be an ordinary piece elsewhere, which has one record.
      const auto pattern = at == ModelPieceRecord::kWholeModel ? FusionPatternType::kMixed : piece.operation.pattern;
      batch.pieces.push_back({piece.key, canonical_text(piece.operation.graph), piece.operation.name, std::string(name_of(pattern)),
                              piece.operation.cost});
      for (std::size_t index = 0; index < piece.operator_graphs.size() && !piece.is_single(); ++index) {
        const Graph& graph = piece.operator_graphs[index];
        FL_TRY(const Cost cost, cost_of(graph));
        const Node& node = piece.operation.graph.node(piece.operators[index].front());
        batch.pieces.push_back({graph_key(graph).hex(), canonical_text(graph), std::string(name_of(node.op)), "Single", cost});
      }
      if (!is_answer) return {};
      batch.model_pieces.push_back({parts_.context.run_id, stored_name(fused_model), fused_model.subject.binding, piece.key,
                                    piece.operation.name, at, piece.operation.count, piece.not_measured, fused_model.level,
                                    fused_model.subject.dtype});
      return {};
    };
    for (const Piece& piece : fused_model.pieces) FL_TRY_VOID(store_piece(piece, position++));
    const bool is_taken =
        std::any_of(parts_.tuners.begin(), parts_.tuners.end(), [&](const auto& tuner) { return parts_.takes_whole(*tuner); });
    if (fused_model.whole && is_taken) FL_TRY_VOID(store_piece(*fused_model.whole, ModelPieceRecord::kWholeModel));
  }
  return parts_.context.store.commit(batch);
}

}  // namespace fuselab::engine
