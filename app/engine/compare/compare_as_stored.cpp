// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/compare_as_stored.h"

#include <map>

#include "app/engine/compare/compared_devices.h"
#include "app/engine/compare/preferred_devices.h"
#include "app/engine/compare/recorded_devices.h"
#include "app/engine/compare/stored_devices.h"
#include "app/engine/compare/table/compare_builder.h"
#include "app/engine/subject/measured_question.h"
#include "app/engine/subject/model_names.h"
#include "core/platform/machine/machine.h"

namespace fuselab::engine {

Result<std::vector<CompareTable>> compare_as_stored(Engine& engine, const Protocol& protocol, const std::string& only_run) {
  FL_TRY(const Catalog catalog, engine.queries().catalog());
  const std::vector<BackendReport> backends = stored_backends(catalog);
  // What the user prefers may be a backend that was never measured here; then nothing is preferred until all are asked.
  const auto preferred = with_user_preferences(engine.config(), {}, backends);
  FL_TRY(const auto devices,
         compared_devices(catalog, backends, preferred.ok() ? preferred.value() : DeviceChoice(), engine.config().synthetic));
  DeviceChoice everything;
  bool only_recorded = false;
  const auto recorded = take_recorded_devices(catalog, everything, only_recorded);
  const auto measured = measured_questions(catalog, platform::machine_facts().host, only_run);
  WorkerPool no_workers{WorkerPoolOptions()};      // never asked: all figures count as stored
  std::map<std::string, EvidenceReader> evidence;  // by level, as the checked ones
  std::vector<CompareTable> tables;
  ModelNames names(catalog);
  for (const MeasuredQuestion& asked : choose_questions(measured, {}, /*every_question=*/true)) {
    FL_TRY(const FusedModel fused_model, stored_fused_model(catalog, asked));
    auto& reader =
        evidence.try_emplace(fused_model.level, no_workers, engine.queries(), fused_model.level, std::stop_token(), only_run)
            .first->second;
    std::vector<ComparedDevice> compared = devices;
    if (is_recording(fused_model)) {
      FL_TRY(compared, devices_of_recording(fused_model, recorded, engine.queries()));
    }
    if (compared.empty()) continue;
    for (const ComparedDevice& device : compared) reader.take_as_stored(device.info.id);
    FL_TRY(CompareTable table, build_compare_table(fused_model, compared, protocol, reader, {}));
    table.unchecked = "whether today's kernels are those that were measured is being checked";
    names.add(table.model);
    tables.push_back(std::move(table));
  }
  note_what_else_was_measured(tables, measured);
  for (CompareTable& table : tables) table.model = names.shown(table.model);
  return tables;
}

}  // namespace fuselab::engine
