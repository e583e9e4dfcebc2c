// SPDX-License-Identifier: Apache-2.0
// What changing the device between two pieces costs in production execution (R131): the wall time around the kernels of a chain
// that changes device at every piece, beside the same chain on one device. Tensors go through the host, as they must between
// workers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/engine/compare/stored_results.h"
#include "app/engine/execute/runtime_executor.h"
#include "core/graph/graph_text.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/temporary_folder.h"
#include "core/reference/special_inputs.h"
#include "db/connection/trust.h"

namespace fuselab {
namespace {

using engine::ExecutionCandidate;
using engine::ExecutionGraph;
using engine::RuntimeExecutor;

constexpr int kPieces = 9;  // of the chain: eight switches

engine::WorkerPoolOptions pool() {
  engine::WorkerPoolOptions options;
  options.worker_program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fuselab-worker";
  return options;
}

Result<ExecutionGraph> chain(std::int64_t rows) {
  std::string text = "graph(i0: f32[" + std::to_string(rows) + ",256]) { v0 = Sigmoid(i0)";
  for (int i = 1; i < kPieces; ++i) text += "; v" + std::to_string(i) + " = Sigmoid(v" + std::to_string(i - 1) + ")";
  engine::Subject subject;
  subject.name = "chain";
  FL_TRY(subject.graph, parse_graph(text + "; return v" + std::to_string(kPieces - 1) + " }"));
  FL_TRY(engine::FusedModel fused_model, engine::cut(std::move(subject), OptimizationLevel::kO0));
  FL_TRY(ExecutionGraph graph, engine::execution_graph(std::move(fused_model)));
  // Each use is a piece of its own, so that each may have a device of its own.
  for (std::size_t i = 1; i < graph.uses.size(); ++i) {
    graph.fused_model.pieces.push_back(graph.fused_model.pieces.front());
    graph.uses[i].piece = i;
  }
  return graph;
}

std::optional<DeviceInfo> device_of(engine::WorkerPool& workers, const std::string& backend) {
  const auto report = workers.probe(backend);
  if (!report.ok() || report.value().devices.empty()) return std::nullopt;
  return report.value().devices.front();
}

// Wall time of a run outside its kernels, the least of several.
Result<double> around_kernels(RuntimeExecutor& executor, const ExecutionGraph& graph, const DeviceInfo& even, const DeviceInfo& odd,
                              const std::filesystem::path& folder) {
  std::vector<std::vector<ExecutionCandidate>> candidates;
  for (std::size_t i = 0; i < graph.fused_model.pieces.size(); ++i)
    candidates.push_back({{i % 2 == 0 ? even : odd, PlanKind::kFused, "", ""}});
  double least = 0;
  for (int run = 0; run < 6; ++run) {  // the first compiles and starts the workers
    FL_TRY(const auto result, executor.run(graph, candidates, folder, {}));
    double around = 0;
    for (const engine::ExecutionMetrics& stage : result.stages)
      around +=
          stage.total.count - stage.execution.count - stage.first_launch.count - stage.compilation.count - stage.waiting.count;
    if (run == 1 || (run > 1 && around < least)) least = around;
  }
  return least;
}

void switch_between(benchmark::State& state, const std::string& first, const std::string& second) {
  for (auto _ : state) {
    engine::WorkerPool workers(pool());
    const auto even = device_of(workers, first), odd = device_of(workers, second);
    if (!even || !odd) return state.SkipWithError((first + " or " + second + " is not usable here").c_str());
    const auto folder = platform::TemporaryFolder::create("fuselab-switch-bench");
    const auto graph = chain(state.range(0) / 1024);  // 256 f32 a row
    if (!folder.ok() || !graph.ok()) return state.SkipWithError("no chain");
    engine::StoredResults none(folder.value().path() / "none.db", std::make_shared<db::Trust>(folder.value().path() / "keys"));
    RuntimeExecutor executor(workers, none, "O2", {1e10});
    const Graph& whole = graph.value().whole();
    const RealTensor input = make_input(whole, 0, {});
    const auto written = platform::write_file_atomically(
        RuntimeExecutor::tensor_file(folder.value().path(), whole.inputs().front()), pack(input), 0600);
    if (!written.ok()) return state.SkipWithError(written.error().message.c_str());
    const auto staying = around_kernels(executor, graph.value(), *even, *even, folder.value().path());
    const auto switching = around_kernels(executor, graph.value(), *even, *odd, folder.value().path());
    if (!staying.ok()) return state.SkipWithError(staying.error().message.c_str());
    if (!switching.ok()) return state.SkipWithError(switching.error().message.c_str());
    const double each = (switching.value() - staying.value()) / (kPieces - 1);
    state.SetIterationTime(each * 1e-9);
    state.counters["ms_staying"] = staying.value() * 1e-6;
    state.counters["ms_switching"] = switching.value() * 1e-6;
  }
}
#define FL_SWITCH(first, second)                                       \
  BENCHMARK_CAPTURE(switch_between, first##_##second, #first, #second) \
      ->Name("switch_overhead/" #first "-" #second)                    \
      ->Arg(4 << 10)                                                   \
      ->Arg(4 << 20)                                                   \
      ->Iterations(1)                                                  \
      ->UseManualTime()                                                \
      ->Unit(benchmark::kMillisecond)
FL_SWITCH(cpu, null);
FL_SWITCH(cpu, opencl);
FL_SWITCH(cpu, cuda);
FL_SWITCH(cpu, onednn);

}  // namespace
}  // namespace fuselab
