// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/runtime_executor.h"

#include <algorithm>

#include "core/platform/system/clock.h"

namespace fuselab::engine {
namespace {

constexpr int kDeathsOfADevice = 3;  // of its worker in one run; the device then counts as lost

std::int64_t elements_of(const Graph& graph, const PieceUse& use) {
  std::int64_t sum = 0;
  for (const ValueId output : use.outputs) {
    const auto count = element_count(graph.type(output).shape);
    sum += count.ok() ? count.value() : 0;
  }
  return sum;
}

// Gives each value of a stage its place in the request.
class StageValues {
 public:
  StageValues(const Graph& graph, wire::ExecuteRequest& request) : graph_(graph), request_(request) {}
  int of(ValueId value) {
    const auto [place, added] = places_.try_emplace(value, static_cast<int>(request_.values.size()));
    if (added) request_.values.push_back(graph_.type(value));
    return place->second;
  }
  int inside(const TensorType& type) {
    request_.values.push_back(type);
    return static_cast<int>(request_.values.size()) - 1;
  }

 private:
  const Graph& graph_;
  wire::ExecuteRequest& request_;
  std::map<ValueId, int> places_;
};

std::string types_text(const Graph& graph, const std::vector<ValueId>& values) {
  std::string text;
  for (const ValueId value : values) text += (text.empty() ? "" : ", ") + type_text(graph.type(value));
  return text;
}

// Returns the operators of a piece, or of one of its groups. Each group runs by itself.
std::string operators_text(const Piece& piece, const char* between, std::optional<std::size_t> only = {}) {
  std::string text;
  for (std::size_t group = 0; group < piece.operators.size(); ++group) {
    if (only && group != *only) continue;
    for (const NodeId node : piece.operators[group])
      text += (text.empty() ? "" : between) + std::string(name_of(piece.operation.graph.node(node).op));
  }
  return text;
}

// A plan of several kernels has one for each group of operators, in their order.
wire::StepName name_of_step(const Graph& graph, const PieceUse& use, const Piece& piece, std::size_t step, std::size_t steps) {
  const bool one_each = steps > 1 && steps == piece.operators.size();
  return {use.name, operators_text(piece, ", ", one_each ? std::optional(step) : std::nullopt),
          types_text(graph, use.inputs) + " -> " + types_text(graph, use.outputs)};
}

void add_steps(const Graph& graph, const PieceUse& use, const Piece& piece, const Plan& plan, StageValues& values,
               wire::ExecuteRequest& request) {
  std::vector<int> places;
  for (const ValueId input : use.inputs) places.push_back(values.of(input));
  for (const ValueId output : use.outputs) places.push_back(values.of(output));
  for (std::size_t i = places.size(); i < plan.values.size(); ++i) places.push_back(values.inside(plan.values[i]));
  for (std::size_t step = 0; step < plan.steps.size(); ++step) {
    PlanStep placed = plan.steps[step];
    placed.kernel.source = {};  // only the binary runs
    for (int& argument : placed.arguments) argument = places[static_cast<std::size_t>(argument)];
    request.steps.push_back(std::move(placed));
    request.names.push_back(name_of_step(graph, use, piece, step, plan.steps.size()));
  }
}

}  // namespace

// The state of one run: the candidate that each piece is at, and the devices that are lost.
struct RuntimeExecutor::Run {
  const ExecutionGraph& graph;
  const std::vector<std::vector<ExecutionCandidate>>& candidates;
  const std::filesystem::path& folder;
  std::stop_token stop;
  ExecutionResult result;
  std::vector<std::size_t> at;                    // per piece, index of its candidate
  std::vector<std::string> tried;                 // per piece: "opencl:0 fused: no memory; "
  std::map<std::size_t, std::string> notes = {};  // by piece: ExecutablePiece::note
  std::set<std::string> lost;                     // device ids
  std::map<std::string, int> deaths;              // by device id
  std::size_t longest_stage = SIZE_MAX;           // in uses; reduced after a device ran out of memory

  const Piece& piece(std::size_t index) const { return graph.fused_model.pieces[index]; }
  const ExecutionCandidate& candidate(std::size_t index) const { return candidates[index][at[index]]; }
  std::string text(std::size_t index) const { return candidate(index).text(piece(index).is_single()); }
  std::string why(std::size_t index) const {
    const auto note = notes.find(index);
    return candidate(index).why + (note == notes.end() || note->second.empty() ? "" : "; " + note->second);
  }
};

std::filesystem::path RuntimeExecutor::tensor_file(const std::filesystem::path& folder, ValueId value) {
  return folder / ("v" + std::to_string(index_of(value)));
}

Status RuntimeExecutor::degrade(Run& run, std::size_t index, const Error& why) {
  if (why.code == ErrorCode::kCancelled) return why;
  const std::string from = run.text(index), backend = run.candidate(index).device.backend;
  run.tried[index] += (run.tried[index].empty() ? "" : "; ") + from + ": " + why.message;
  const auto& candidates = run.candidates[index];
  do {
    ++run.at[index];
  } while (run.at[index] < candidates.size() && run.lost.count(candidates[run.at[index]].device.id) != 0);
  const bool left = run.at[index] < candidates.size();
  counts_.add_degradation(backend, left ? run.candidate(index).device.backend : "");
  run.result.degradations.push_back({run.piece(index).operation.name, from, left ? run.text(index) : "", why.message});
  if (left) return {};
  return Error{why.code, "'" + run.piece(index).operation.name + "' could be run nowhere: " + run.tried[index]};
}

Result<ExecutablePiece*> RuntimeExecutor::made(Run& run, std::size_t index) {
  for (;;) {
    auto made = maker_.make(run.piece(index), run.candidate(index), run.stop);
    if (made.ok()) {
      run.notes[index] = made.value()->note;
      return made;
    }
    if (made.error().code != ErrorCode::kUnsupported) {  // a kernel that the backend does not support is no failed execution
      ExecutionMetrics failed;
      failed.backend = run.candidate(index).device.backend;
      failed.device_id = run.candidate(index).device.id;
      failed.error = made.error().message;
      counts_.add(failed);
    }
    FL_TRY_VOID(degrade(run, index, made.error()));
  }
}

// Uses that run one after the other on one device, as one request.
struct RuntimeExecutor::Stage {
  std::size_t first = 0, end = 0;  // uses
  DeviceInfo device;
  wire::ExecuteRequest request;
  std::vector<std::size_t> use_of_step;
  Drawbacks drawbacks;  // that its kernels state
};

// Makes the kernels of the uses from `first` on, as long as they stay on one device.
Result<RuntimeExecutor::Stage> RuntimeExecutor::gather(Run& run, std::size_t first, ExecutionMetrics& metrics) {
  const ExecutionGraph& graph = run.graph;
  Stage stage;
  stage.first = stage.end = first;
  FL_TRY([[maybe_unused]] const auto first_made, made(run, graph.uses[first].piece));  // or it may go elsewhere
  stage.device = run.candidate(graph.uses[first].piece).device;
  stage.request.backend = metrics.backend = stage.device.backend;
  stage.request.device = metrics.device_id = stage.device.id;
  stage.request.repeat = repeat_;
  metrics.cache_hit = true;
  StageValues values(graph.whole(), stage.request);
  for (; stage.end < graph.uses.size() && stage.end - first < run.longest_stage; ++stage.end) {
    const PieceUse& use = graph.uses[stage.end];
    FL_TRY(ExecutablePiece* const piece, made(run, use.piece));
    if (run.candidate(use.piece).device.id != stage.device.id) break;
    add_steps(graph.whole(), use, run.piece(use.piece), piece->plan, values, stage.request);
    stage.drawbacks = stage.drawbacks | stated_drawbacks(piece->plan);
    stage.use_of_step.resize(stage.request.steps.size(), stage.end);
    metrics.data_size += elements_of(graph.whole(), use);
    metrics.cache_hit = metrics.cache_hit && piece->kept;
    metrics.compilation.count += piece->count_compilation().count;
  }
  name_files(run, stage, [&](ValueId value) { return values.of(value); });
  return stage;
}

// Names the files of a stage: values from earlier stages are read, those needed afterwards are written.
void RuntimeExecutor::name_files(const Run& run, Stage& stage, const std::function<int(ValueId)>& place) {
  const auto& uses = run.graph.uses;
  std::set<ValueId> inside, read, needed(run.graph.outputs.begin(), run.graph.outputs.end());
  for (std::size_t i = stage.first; i < stage.end; ++i) inside.insert(uses[i].outputs.begin(), uses[i].outputs.end());
  for (std::size_t i = stage.end; i < uses.size(); ++i) needed.insert(uses[i].inputs.begin(), uses[i].inputs.end());
  for (std::size_t i = stage.first; i < stage.end; ++i) {
    for (const ValueId input : uses[i].inputs) {
      const bool from_before = inside.count(input) == 0 && read.insert(input).second;
      if (from_before) stage.request.inputs.push_back({place(input), tensor_file(run.folder, input).string()});
    }
  }
  for (const ValueId output : inside) {
    if (needed.count(output) != 0) stage.request.outputs.push_back({place(output), tensor_file(run.folder, output).string()});
  }
}

void RuntimeExecutor::take_uses(Run& run, const Stage& stage, const wire::ExecuteReply& reply) {
  run.result.drawbacks = run.result.drawbacks | stage.drawbacks;
  for (std::size_t i = stage.first; i < stage.end; ++i) {
    const std::size_t piece = run.graph.uses[i].piece;
    run.result.uses.push_back({run.graph.uses[i].name, operators_text(run.piece(piece), "+"), run.text(piece), run.why(piece), {}});
  }
  run.result.passes.resize(std::max(run.result.passes.size(), reply.passes.size()));
  for (std::size_t pass = 0; pass < reply.passes.size(); ++pass) run.result.passes[pass].count += reply.passes[pass].count;
  for (std::size_t step = 0; step < std::min(reply.steps.size(), stage.use_of_step.size()); ++step)
    run.result.uses[stage.use_of_step[step]].execution.count += reply.steps[step].count;
  for (std::size_t step = 0; step < std::min(reply.steady.size(), stage.use_of_step.size()); ++step)
    run.result.uses[stage.use_of_step[step]].steady.count += reply.steady[step].count;
  for (const int step : reply.first) {
    if (step >= 0 && static_cast<std::size_t>(step) < stage.use_of_step.size())
      run.result.uses[stage.use_of_step[static_cast<std::size_t>(step)]].first_launch = true;
  }
}

void RuntimeExecutor::take_launches(const wire::ExecuteReply& reply, ExecutionMetrics& metrics) {
  for (std::size_t step = 0; step < reply.steps.size(); ++step) {
    const bool first = std::find(reply.first.begin(), reply.first.end(), static_cast<int>(step)) != reply.first.end();
    (first ? metrics.first_launch : metrics.execution).count += reply.steps[step].count;
  }
}

// Runs the uses from `first` on that stay on one device. Returns how many succeeded; 0 when one has to go elsewhere first.
Result<std::size_t> RuntimeExecutor::run_stage(Run& run, std::size_t first) {
  ExecutionMetrics metrics;
  std::size_t uses = 0;
  {
    ExecutionMetricsTimer timer(metrics);
    FL_TRY(const Stage stage, gather(run, first, metrics));
    const double waited = workers_.waited_seconds();
    auto executed = workers_.execute(stage.device, stage.request, launch_timeout_, run.stop);
    metrics.waiting = {1e9 * (workers_.waited_seconds() - waited)};
    if (!executed.ok() && executed.error().code == ErrorCode::kCancelled) return executed.error();
    wire::ExecuteReply reply;
    if (!executed.ok()) reply.error = executed.error();
    if (executed.ok()) reply = std::move(executed).value();
    metrics.transfer = {reply.to_device.count + reply.from_device.count};
    take_launches(reply, metrics);
    metrics.memory_allocated = reply.allocated;
    metrics.buffers = reply.buffers;
    metrics.memory_unshared = reply.unshared;
    metrics.tensors = reply.tensors;
    if (reply.ran) {
      take_uses(run, stage, reply);
      uses = stage.end - first;
    } else {
      timer.record_error(reply.error.message);
      FL_TRY_VOID(digest_failure(run, stage, reply));
    }
  }
  counts_.add(metrics);
  run.result.stages.push_back(std::move(metrics));
  return uses;
}

Status RuntimeExecutor::digest_failure(Run& run, const Stage& stage, const wire::ExecuteReply& reply) {
  if (reply.wrong_index && reply.failed_step >= 0 && static_cast<std::size_t>(reply.failed_step) < stage.use_of_step.size()) {
    const PieceUse& use = run.graph.uses[stage.use_of_step[static_cast<std::size_t>(reply.failed_step)]];
    return reply.error.within("'" + use.name + "' on " + stage.device.id);
  }
  const bool died = reply.error.code == ErrorCode::kCrashed || reply.error.code == ErrorCode::kTimeout;
  const bool no_memory = reply.error.code == ErrorCode::kOutOfMemory;
  if (died && ++run.deaths[stage.device.id] >= kDeathsOfADevice) return lose_device(run, stage, reply.error);
  const auto step = static_cast<std::size_t>(reply.failed_step);
  if (reply.failed_step >= 0 && step < stage.use_of_step.size())
    return degrade(run, run.graph.uses[stage.use_of_step[step]].piece, reply.error);
  const std::size_t uses = stage.end - stage.first;
  if (no_memory && uses > 1) {  // fewer at a time before going to another device
    run.longest_stage = uses / 2;
    return {};
  }
  if (died) return {};  // between its steps, which may have been bad luck
  return no_memory ? degrade(run, run.graph.uses[stage.first].piece, reply.error) : lose_device(run, stage, reply.error);
}

// Moves all pieces that have yet to run on the device to their next candidate.
Status RuntimeExecutor::lose_device(Run& run, const Stage& stage, const Error& why) {
  const std::string& device = stage.device.id;
  run.lost.insert(device);
  std::set<std::size_t> pieces;
  for (std::size_t i = stage.first; i < run.graph.uses.size(); ++i) pieces.insert(run.graph.uses[i].piece);
  for (const std::size_t piece : pieces) {
    if (run.candidate(piece).device.id != device) continue;
    FL_TRY_VOID(degrade(run, piece, {why.code, device + " is lost: " + why.message}));
  }
  return {};
}

Result<ExecutionResult> RuntimeExecutor::run(const ExecutionGraph& graph,
                                             const std::vector<std::vector<ExecutionCandidate>>& candidates,
                                             const std::filesystem::path& folder, std::stop_token stop) {
  Run run{graph, candidates, folder, stop, {}, {}, {}, {}, {}, {}};
  run.at.resize(candidates.size());
  run.tried.resize(candidates.size());
  for (const PieceUse& use : graph.uses) {
    if (use.piece >= candidates.size() || candidates[use.piece].empty())
      return Error{ErrorCode::kUnavailable, "no device can run '" + use.name + "'"};
  }
  for (std::size_t next = 0; next < graph.uses.size();) {
    FL_TRY(const std::size_t done, run_stage(run, next));
    next += done;
  }
  return std::move(run.result);
}

}  // namespace fuselab::engine
