// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execute_subject.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/engine/compare/preferred_devices.h"
#include "app/engine/compare/selection.h"
#include "app/engine/execute/execution_candidates.h"
#include "app/engine/execute/execution_memory.h"
#include "app/engine/execute/given/given_extents.h"
#include "app/engine/execute/given/given_indices.h"
#include "app/engine/execute/hand_over.h"
#include "app/engine/execute/run_steps.h"
#include "app/engine/offers/offered_limits.h"
#include "app/engine/workers/selected_devices.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/machine/machine.h"

namespace fuselab::engine {
namespace {

// Returns the devices that were asked for or are preferred, then every other one that is not synthetic.
Result<ExecutionDevices> devices_in_order(Engine& engine, ExecuteSpec spec) {
  FL_TRY(const auto backends, engine.devices(false));
  FL_TRY(spec.devices, with_user_preferences(engine.config(), std::move(spec.devices), backends));
  FL_TRY(auto order, select_devices(backends, spec.devices, engine.config().synthetic));
  const bool named = !spec.devices.only.empty(), config_given = !spec.config.empty();
  const auto preferred_end = std::find_if(order.begin(), order.end(), [&](const DeviceInfo& device) {
    return preference_rank(spec.devices.prefer, device.id, device.backend) == spec.devices.prefer.size();
  });
  const auto preferred = static_cast<std::size_t>(preferred_end - order.begin());
  const std::size_t asked = named || preferred == 0 ? order.size() : preferred;
  if (!spec.fall_back) {
    order.resize(asked);
    return ExecutionDevices{std::move(order), asked, named, config_given};
  }
  for (const bool again : {false, true}) {
    for (const BackendReport& backend : backends) {
      for (const DeviceInfo& device : backend.devices) {
        const bool known = std::any_of(order.begin(), order.end(), [&](const DeviceInfo& each) { return each.id == device.id; });
        const auto& except = spec.devices.except;
        const bool left_out = preference_rank(except, device.id, device.backend) < except.size();
        if (!known && !left_out && !device.synthetic && device.is_host_cpu_again() == again) order.push_back(device);
      }
    }
  }
  return ExecutionDevices{std::move(order), asked, named, config_given};
}

// Checks the memory before anything of that size is made.
Result<std::string> check_memory(const ExecutionGraph& graph, const ExecutionDevices& devices, bool check) {
  FL_TRY(const ExecutionMemory needed, execution_memory(graph, check));
  ExecutionRoom room;
  room.memory = platform::available_memory();
  // Only the devices that may run it at first count: a fallback to a device with memory of its own saves nothing here.
  const auto end = devices.asked > 0 ? devices.all.begin() + static_cast<std::ptrdiff_t>(devices.asked) : devices.all.end();
  room.devices_share = std::any_of(devices.all.begin(), end, [](const DeviceInfo& device) { return device.uses_host_memory(); });
  FL_TRY(room.files, platform::file_room(std::filesystem::temp_directory_path()));
  const Status fitting = check_room(needed, room);
  if (!fitting.ok()) return Error{fitting.error().code, fitting.error().message + "; " + who_would_do(needed, room, devices.all)};
  return room_text(needed, room);
}

const CompareRow* row_of(const std::vector<CompareTable>& tables, const std::string& piece_key) {
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      if (row.piece_key == piece_key) return &row;
    }
  }
  return nullptr;
}

Status take_config(const ExecuteSpec& spec, std::vector<std::vector<ExecutionCandidate>>& candidates) {
  if (spec.config.empty()) return {};
  if (candidates.size() != 1)
    return invalid_argument("--config is for a subject of one piece, this one has " + std::to_string(candidates.size()));
  FL_TRY(const LaunchConfig config, LaunchConfig::parse(spec.config));
  candidates.front().front().configs = config.text();
  candidates.front().front().kind = PlanKind::kFused;
  candidates.front().front().why = "the configuration that was given";
  return {};
}

// Returns the selector's choices, restricted to the devices that were asked for.
std::vector<Selection> among_asked(std::vector<Selection> selections, const ExecutionDevices& devices) {
  for (Selection& selection : selections) {
    const auto asked = [&](std::size_t index) { return devices.is_asked(selection.estimates[index].device_id); };
    if (selection.chosen && asked(*selection.chosen)) continue;
    selection.chosen.reset();
    for (std::size_t i = 0; i < selection.estimates.size() && !selection.chosen; ++i) {
      if (asked(i)) selection.chosen = i;
    }
  }
  return selections;
}

// Takes the cost of handing tensors over into account: between devices they go through the host. The cost is measured only where it
// may change the choice.
void mind_handing_over(const ExecutionGraph& graph, const ExecutionDevices& devices, WorkerPool& workers,
                       const std::filesystem::path& folder, const std::stop_token& stop, std::vector<Selection>& selections) {
  const std::vector<Selection> own = among_asked(selections, devices);
  std::vector<std::string> without_copies;
  std::vector<DeviceInfo> known;
  for (const DeviceInfo& device : devices.all) {
    if (device.uses_host_memory()) without_copies.push_back(device.id);
    const bool named = std::any_of(own.begin(), own.end(), [&](const Selection& selection) {
      return std::any_of(selection.estimates.begin(), selection.estimates.end(),
                         [&](const DeviceEstimate& estimate) { return estimate.device_id == device.id; });
    });
    if (named && devices.is_asked(device.id)) known.push_back(device);
  }
  if (known.size() < 2 || !handing_over_matters(own, without_copies)) return;
  std::vector<Selection> placed = own;
  place_together(graph, measure_hand_over(workers, known, folder, stop), placed);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (placed[i].chosen != own[i].chosen) selections[i] = std::move(placed[i]);
  }
}

struct ChosenCandidates {
  std::vector<std::vector<ExecutionCandidate>> of_piece;
  std::vector<Degradation> passed_over;
};

Result<ChosenCandidates> choose(const ExecutionGraph& graph, const std::vector<CompareTable>& tables,
                                const ExecutionDevices& devices, const std::vector<Selection>& selections) {
  ChosenCandidates chosen;
  for (std::size_t i = 0; i < graph.fused_model.pieces.size(); ++i) {
    const Piece& piece = graph.fused_model.pieces[i];
    FL_TRY(auto of_piece, candidates_for(piece, row_of(tables, piece.key), devices, selections[i]));
    chosen.of_piece.push_back(std::move(of_piece.order));
    chosen.passed_over.insert(chosen.passed_over.end(), of_piece.passed_over.begin(), of_piece.passed_over.end());
  }
  return chosen;
}

std::vector<Selection> select_each(const ExecutionGraph& graph, const std::vector<CompareTable>& tables, const Selector& selector) {
  std::vector<Selection> selections;
  for (const Piece& piece : graph.fused_model.pieces) {
    const CompareRow* const row = row_of(tables, piece.key);
    const auto query = row == nullptr ? Result<SelectionQuery>(Error{}) : query_of(*row);
    selections.push_back(query.ok() ? selector.select(query.value()) : Selection{});
  }
  return selections;
}

}  // namespace

Result<std::vector<ExecutedSubject>> execute_subject(Engine& engine, const ExecuteSpec& spec, std::stop_token stop) {
  FL_TRY(const DType dtype, parse_element_type(spec.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  FL_TRY(const std::string binding,
         bound_by_files(engine.config(), spec.subject, spec.binding, dtype, spec.given, std::max(1, spec.times)));
  FL_TRY(auto subjects, resolve_subject(engine.config(), spec.subject, binding, dtype, Extents::kAllBound, Weights::kRead,
                                        spec.given.lasting_values()));
  std::vector<GivenNumbers> given;
  for (const Subject& subject : subjects) {
    FL_TRY(GivenNumbers numbers, read_given(subject.graph, spec.given, std::max(1, spec.times)));
    FL_TRY_VOID(check_given_indices(subject.graph, spec.given, numbers, subject.weights));
    given.push_back(std::move(numbers));
  }
  FL_TRY(const auto backends, engine.devices(false));
  FL_TRY(const auto devices, devices_in_order(engine, spec));
  CompareSpec stored;
  for (const DeviceInfo& device : devices.all) stored.devices.only.push_back(device.id);
  stored.devices.prefer = spec.devices.prefer;
  stored.accepted = spec.accepted;
  FL_TRY(const auto selector, selector_of(engine, stored));
  WorkerPoolOptions options;
  options.worker_program = engine.config().worker_program;
  options.cache_directory = engine.config().cache_directory;
  options.trace = engine.config().trace;
  WorkerPool workers(options);
  const std::vector<BackendLimits> limits = offered_limits(workers, backends, devices.all, spec.level);
  const bool several = subjects.size() > 1;
  std::vector<ExecutedSubject> executed;
  for (std::size_t index = 0; index < subjects.size(); ++index) {
    Subject& subject = subjects[index];
    const GivenNumbers& numbers = given[index];
    stored.subjects = {spec.subject};
    stored.bindings = {subject.binding};
    stored.level = spec.level;
    stored.dtype = spec.dtype;
    // A new executor, so that its counts are those of this subject.
    RuntimeExecutor executor(workers, engine.queries(), spec.level, spec.launch_timeout, spec.accepted);
    executor.repeat_launches(spec.steady);
    ExecutedSubject done;
    done.model = subject.name;
    done.binding = subject.binding;
    done.passed_over = unusable_preferences(backends, spec.devices);
    // A weight that is given stays where the model has it.
    for (const auto& [name, files] : spec.given.inputs) subject.constants.erase(name);
    for (const auto& [name, value] : spec.given.values) subject.constants.erase(name);
    for (const auto& [name, output] : spec.given.feedback) subject.constants.erase(name);
    std::optional<TraceScope> fusing(std::in_place, engine.config().trace, kJobTrack, "fuse " + subject.name, "fuse");
    FL_TRY(FusedModel fused_model, cut(std::move(subject), level, limits));
    fusing.reset();
    done.notes = fused_model.subject.notes;
    WeightNumbers weights = std::exchange(fused_model.subject.weights, nullptr);
    FL_TRY(const ExecutionGraph graph, execution_graph(std::move(fused_model)));
    auto memory = check_memory(graph, devices, spec.check);
    if (!memory.ok()) return memory.error().within(done.model);
    done.memory = std::move(memory).value();
    platform::TemporaryFolder::sweep("fuselab-exec");
    FL_TRY(const auto folder, platform::TemporaryFolder::create("fuselab-exec"));
    FL_TRY(const auto not_of_file, write_inputs(graph, folder.path(), spec, numbers, weights, done));
    // What was measured is looked up by reading the model once more: with its weights beside that, it would lie in memory twice.
    weights.reset();
    const auto tables = engine.compare(stored);
    const std::vector<CompareTable> known = tables.ok() ? tables.value() : std::vector<CompareTable>();
    std::vector<Selection> selections = select_each(graph, known, *selector);
    if (!devices.config_given) mind_handing_over(graph, devices, workers, folder.path(), stop, selections);
    FL_TRY(ChosenCandidates chosen, choose(graph, known, devices, selections));
    FL_TRY_VOID(take_config(spec, chosen.of_piece));
    FL_TRY_VOID(run_steps(executor,
                          {graph, chosen.of_piece, folder.path(), spec, numbers, not_of_file, engine.config().model_links, several},
                          stop, done));
    auto& first = done.runs.front().degradations;
    first.insert(first.begin(), chosen.passed_over.begin(), chosen.passed_over.end());
    done.counts = executor.counts();
    done.peak.here = platform::peak_memory();
    for (const DeviceInfo& device : devices.all) {
      if (const Bytes peak = workers.peak_memory(device); peak.count > 0) done.peak.workers[device.id] = peak;
    }
    executed.push_back(std::move(done));
  }
  return executed;
}

}  // namespace fuselab::engine
