// SPDX-License-Identifier: Apache-2.0
// What changing the device between two pieces costs in production execution (R131): the wall time around the kernels of a chain
// that changes device at every piece, beside the same chain on one device. Tensors go through the host, as they must between
// workers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/session/execute/runtime_executor.h"
#include "app/session/stored_results.h"
#include "core/graph/graph_text.h"
#include "core/graph/special_inputs.h"
#include "core/platform/atomic_file.h"
#include "core/platform/temporary_folder.h"
#include "db/trust.h"

namespace fuselab {
namespace {

using session::ExecutionCandidate;
using session::ExecutionGraph;
using session::RuntimeExecutor;

constexpr int kPieces = 9;  // of the chain: eight switches

session::HouseOptions house() {
  session::HouseOptions options;
  options.worker_program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fuselab-worker";
  return options;
}

Result<ExecutionGraph> chain(std::int64_t rows) {
  std::string text = "graph(i0: f32[" + std::to_string(rows) + ",256]) { v0 = Sigmoid(i0)";
  for (int i = 1; i < kPieces; ++i) text += "; v" + std::to_string(i) + " = Sigmoid(v" + std::to_string(i - 1) + ")";
  session::Subject subject;
  subject.name = "chain";
  FL_TRY(subject.graph, parse_graph(text + "; return v" + std::to_string(kPieces - 1) + " }"));
  FL_TRY(session::Workpiece workpiece, session::cut(std::move(subject), OptimizationLevel::kO0));
  FL_TRY(ExecutionGraph graph, session::execution_graph(std::move(workpiece)));
  // Each use is a piece of its own, so that each may have a device of its own.
  for (std::size_t i = 1; i < graph.uses.size(); ++i) {
    graph.workpiece.pieces.push_back(graph.workpiece.pieces.front());
    graph.uses[i].piece = i;
  }
  return graph;
}

std::optional<DeviceInfo> device_of(session::WorkerHouse& workers, const std::string& backend) {
  auto const report = workers.probe(backend);
  if (!report.ok() || report.value().devices.empty()) return std::nullopt;
  return report.value().devices.front();
}

// Wall time of a run outside its kernels, the least of several.
Result<double> around_kernels(RuntimeExecutor& executor, const ExecutionGraph& graph, const DeviceInfo& even, const DeviceInfo& odd,
                              const std::filesystem::path& folder) {
  std::vector<std::vector<ExecutionCandidate>> candidates;
  for (std::size_t i = 0; i < graph.workpiece.pieces.size(); ++i)
    candidates.push_back({{i % 2 == 0 ? even : odd, PlanKind::kFused, "", ""}});
  double least = 0;
  for (int run = 0; run < 6; ++run) {  // the first compiles and starts the workers
    FL_TRY(auto const result, executor.run(graph, candidates, folder, {}));
    double around = 0;
    for (const session::ExecutionMetrics& stage : result.stages)
      around +=
          stage.total.count - stage.execution.count - stage.first_launch.count - stage.compilation.count - stage.waiting.count;
    if (run == 1 || (run > 1 && around < least)) least = around;
  }
  return least;
}

void switch_between(benchmark::State& state, const std::string& first, const std::string& second) {
  for (auto _ : state) {
    session::WorkerHouse workers(house());
    auto const even = device_of(workers, first), odd = device_of(workers, second);
    if (!even || !odd) return state.SkipWithError((first + " or " + second + " is not usable here").c_str());
    auto const folder = platform::TemporaryFolder::create("fuselab-switch-bench");
    auto const graph = chain(state.range(0) / 1024);  // 256 f32 a row
    if (!folder.ok() || !graph.ok()) return state.SkipWithError("no chain");
    session::StoredResults none(folder.value().path() / "none.db", std::make_shared<db::Trust>(folder.value().path() / "keys"));
    RuntimeExecutor executor(workers, none, "O2", {1e10});
    const Graph& whole = graph.value().whole();
    RealTensor const input = make_input(whole, 0, {});
    auto const written = platform::write_file_atomically(
        RuntimeExecutor::tensor_file(folder.value().path(), whole.inputs().front()), pack(input), 0600);
    if (!written.ok()) return state.SkipWithError(written.error().message.c_str());
    auto const staying = around_kernels(executor, graph.value(), *even, *even, folder.value().path());
    auto const switching = around_kernels(executor, graph.value(), *even, *odd, folder.value().path());
    if (!staying.ok()) return state.SkipWithError(staying.error().message.c_str());
    if (!switching.ok()) return state.SkipWithError(switching.error().message.c_str());
    double const each = (switching.value() - staying.value()) / (kPieces - 1);
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
