// SPDX-License-Identifier: Apache-2.0
// What measuring costs beside what is measured: the loop's own time per sample, in a worker process, at most 2 µs; the canary's
// share of a compared process's time, at most 2 %; and how long it takes to find that a side takes twice as long, at most 0.2 s of
// kernel time.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <numeric>
#include <optional>

#include "app/engine/measure/paired_replay.h"
#include "app/engine/subject/subject.h"
#include "app/gate/selftest/replay_kernel.h"
#include "core/stats/statistics.h"

namespace fuselab {
namespace {

using engine::WorkerPool;

// A small workload's kernel on a device.
struct Bench {
  WorkerPool workers;
  DeviceInfo device;
  Plan plan;

  explicit Bench(engine::WorkerPoolOptions options) : workers(std::move(options)) {}
};

engine::WorkerPoolOptions worker_beside_this() {
  engine::WorkerPoolOptions options;
  options.worker_program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fuselab-worker";
  return options;
}

Result<std::unique_ptr<Bench>> bench_on(const std::string& backend) {
  auto bench = std::make_unique<Bench>(worker_beside_this());
  FL_TRY(const BackendReport report, bench->workers.probe(backend));
  if (report.devices.empty()) return Error{ErrorCode::kUnavailable, backend + ": " + report.availability.reason};
  bench->device = report.devices.front();
  FL_TRY(const auto subjects, engine::resolve_subject({}, "w1", "rows=128,cols=1024", DType::kF32));
  FL_TRY(engine::ReplayKernel kernel, engine::replay_kernel(bench->workers, bench->device, subjects.front()));
  bench->plan = std::move(kernel.plan);
  return bench;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Of two plans, the worker's time outside their kernels and the canary, in ns, and of the canary.
struct Beside {
  double loop = 0, canary = 0;
};
Result<Beside> beside_samples(Bench& bench, int samples) {
  Block block{bench.device.id, {bench.plan, bench.plan}, {}};
  block.protocol.samples = samples;
  block.protocol.most_samples = samples;
  block.protocol.drop_factor = 0;
  block.protocol.min_sample = {20'000};
  block.protocol.budget = {60e9};
  FL_TRY(const engine::MeasuredBlock measured, bench.workers.measure(bench.device, block, {}));
  Beside beside;
  beside.canary = sum_of(measured.conditions.canary.compute) + sum_of(measured.conditions.canary.memory);
  for (const PlanResult& plan : measured.plans) {
    if (plan.outcome != Outcome::kTimed) return Error{ErrorCode::kInternal, plan.reason};
    beside.loop += plan.overhead.count;
  }
  beside.loop -= beside.canary;
  return beside;
}

// What more samples cost is the samples'; loading and verifying are the same for few and many.
void bookkeeping(benchmark::State& state, const std::string& backend) {
  constexpr int kFew = 20, kMany = 2020;
  const auto bench = bench_on(backend);
  if (!bench.ok()) return state.SkipWithError(bench.error().message.c_str());
  for (auto _ : state) {
    const auto few = beside_samples(*bench.value(), kFew), many = beside_samples(*bench.value(), kMany);
    if (!few.ok() || !many.ok()) return state.SkipWithError((few.ok() ? many : few).error().message.c_str());
    const double each = (many.value().loop - few.value().loop) / (2 * (kMany - kFew));
    state.SetIterationTime(each * 1e-9);
    state.counters["canary_us_per_round"] = many.value().canary * 1e-3 / (kMany + 1);
  }
}
#define FL_BOOKKEEPING(backend)                     \
  BENCHMARK_CAPTURE(bookkeeping, backend, #backend) \
      ->Name("bookkeeping/" #backend)               \
      ->Iterations(1)                               \
      ->Repetitions(5)                              \
      ->UseManualTime()                             \
      ->Unit(benchmark::kMicrosecond)
FL_BOOKKEEPING(null);
FL_BOOKKEEPING(cpu);

// A kernel beside itself with as much again spun away: the kernel time until the verdict. Processes start and verify on top of
// that.
void decide_loser(benchmark::State& state) {
  const auto bench = bench_on("cpu");
  if (!bench.ok()) return state.SkipWithError(bench.error().message.c_str());
  engine::ReplaySpec spec;
  spec.device = bench.value()->device;
  spec.baseline = spec.candidate = bench.value()->plan;
  spec.candidate.handicap = 1;
  for (auto _ : state) {
    ++spec.seed;
    const auto start = std::chrono::steady_clock::now();
    const auto replay = engine::replay_in_pairs(bench.value()->workers, spec, {});
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!replay.ok()) return state.SkipWithError(replay.error().message.c_str());
    if (!replay.value().fitness().ok()) return state.SkipWithError(replay.value().fitness().error().message.c_str());
    if (replay.value().result.verdict != Verdict::kRegressed)
      return state.SkipWithError("twice as long was not called a regression");
    state.SetIterationTime(replay.value().result.spent.seconds());
    state.counters["wall_s"] = wall;
    state.counters["ratio"] = replay.value().result.ratio;
    state.counters["processes"] = static_cast<double>(replay.value().processes.size());
  }
}
BENCHMARK(decide_loser)
    ->Name("decide_2x_loser/replay")
    ->Iterations(1)
    ->Repetitions(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fuselab
