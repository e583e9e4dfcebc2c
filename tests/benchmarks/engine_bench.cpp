// SPDX-License-Identifier: Apache-2.0
// engine_bench [--json]: what the engine itself costs (R204). Estimating a piece < 100 µs, choosing a backend < 1 ms
// (selection_bench.cpp has the selector's, switch_bench.cpp what a switch between devices costs, which has no limit), and of a
// trial at most 2 ms outside making its kernel (text and binary), verifying, timing, measuring the device's limits again and
// holding a search's winner against what it began with in fresh processes; at most 2 µs of bookkeeping per sample, and 0.2 s of
// kernel time until a side that takes twice as long is called (measuring_bench.cpp); exit 1 when one of them is missed. Where a
// benchmark is repeated, the median of its repetitions is what is judged.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/engine/job/engine.h"
#include "core/base/random.h"
#include "core/cost/cost.h"
#include "core/graph/graph_text.h"
#include "core/platform/system/clock.h"
#include "core/select/best_mix.h"
#include "core/select/default_choice.h"
#include "core/select/workload_characteristics.h"
#include "core/workloads/workload.h"
#include "db/database.h"
#include "tests/support/synthetic_trials.h"

namespace fuselab {
namespace {

namespace fs = std::filesystem;

fs::path g_program;

CeilingTable measured_ceilings() {
  CeilingTable table;
  table.rows.push_back({"flops", 0, 0, false, {0}, 2, 1e11, 1e11, 1e11});
  for (int reads = 0; reads <= 4; ++reads) {
    for (int shift = 16; shift <= 28; ++shift)
      table.rows.push_back({"stream", reads, 1, false, {std::int64_t{1} << shift}, 2, 2e10, 2e10, 2e10});
  }
  return table;
}

// Cost, characteristics and the ceiling's time of one built-in workload.
void estimate_cost_of(benchmark::State& state, const Graph& graph) {
  const CeilingTable ceilings = measured_ceilings();
  for (auto _ : state) {
    const auto cost = cost_of(graph);
    const auto characteristics = characterize(graph);
    const auto estimate = estimate_cost(characteristics.value(), ceilings);
    benchmark::DoNotOptimize(cost.ok());
    benchmark::DoNotOptimize(estimate);
  }
  state.counters["nodes"] = static_cast<double>(graph.nodes().size());
}

// The default among `devices` that each have a fused and an unfused figure.
void choose_default_of(benchmark::State& state) {
  SeededRandom random(7);
  std::vector<MeasuredCandidate> candidates;
  for (int device = 0; device < state.range(0); ++device) {
    for (const PlanKind kind : {PlanKind::kFused, PlanKind::kUnfused}) {
      const double median = 1e6 * (1 + random.unit());
      candidates.push_back(
          {"cpu:" + std::to_string(device), "cpu", kind, median, {0.98 * median, 1.02 * median}, false, false, {}});
    }
  }
  for (auto _ : state) benchmark::DoNotOptimize(choose_default(candidates));
}
BENCHMARK(choose_default_of)->Name("choose_default/devices")->Arg(1)->Arg(24)->Unit(benchmark::kMicrosecond);

// The best mix of a model of `pieces` over eight devices.
void best_mix_of(benchmark::State& state) {
  SeededRandom random(7);
  std::vector<MixPiece> pieces(static_cast<std::size_t>(state.range(0)));
  for (MixPiece& piece : pieces) {
    piece.boundary = {4096};
    for (int device = 0; device < 8; ++device) piece.ns_per_device.emplace_back(1e6 * (1 + random.unit()));
  }
  const auto switching = [](std::size_t, std::size_t, Bytes bytes) {
    return std::optional(0.1 * static_cast<double>(bytes.count));
  };
  for (auto _ : state) benchmark::DoNotOptimize(best_mix(pieces, 8, switching));
}
BENCHMARK(best_mix_of)->Name("best_mix/pieces")->Arg(32)->Arg(200)->Unit(benchmark::kMicrosecond);

// Makes the trials of one measured block durable, four candidates at a time as a search stores them.
void commit_block(benchmark::State& state) {
  const fs::path folder = fs::temp_directory_path() / "fuselab-engine-bench-commit";
  fs::remove_all(folder);
  auto database = db::Database::open(folder / "bench.db", db::Access::kWrite, std::make_shared<db::Trust>(folder / "keys"));
  if (!database.ok()) return state.SkipWithError(database.error().message.c_str());
  const testing::SyntheticTrials world;
  if (!database.value()->store().commit(testing::synthetic_basis(world)).ok()) return state.SkipWithError("no basis");
  std::int64_t next = 0;
  for (auto _ : state) {
    StoreBatch batch;
    for (int trial = 0; trial < 4; ++trial) batch.trials.push_back(testing::synthetic_trial(world, next++));
    if (!database.value()->store().commit(batch).ok()) return state.SkipWithError("a commit failed");
  }
  state.counters["ms_per_trial"] =
      benchmark::Counter(4e-3, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  fs::remove_all(folder);
}
BENCHMARK(commit_block)->Name("commit_block/trials:4")->UseRealTime()->Unit(benchmark::kMillisecond);

engine::Config fresh_config(const fs::path& folder) {
  engine::Config config;
  config.database = folder / "bench.db";
  config.model_directory = folder / "models";
  config.cache_directory = folder / "cache";
  config.key_directory = folder / "keys";
  config.worker_program = g_program.parent_path() / "fuselab-worker";
  config.synthetic = true;
  return config;
}

// When the last of these is done, each begun in order by whichever of the machine's compilers is free first.
double makespan(const std::vector<double>& durations) {
  std::vector<double> busy_until(std::max(1U, std::thread::hardware_concurrency()), 0.0);
  for (const double duration : durations) *std::min_element(busy_until.begin(), busy_until.end()) += duration;
  return *std::max_element(busy_until.begin(), busy_until.end());
}

// What the stored trials say of themselves.
struct StoredTimes {
  std::vector<double> overheads;  // in the workers, outside compiling, verifying and timing; ascending
  double compiled_ns = 0;         // from graph to binary; wall time: the candidates of a block are compiled side by side
};

// What writing a kernel's text took before it was compiled.
double written_ns(engine::Engine& engine, const std::string& kernel_key) {
  const auto kernel = engine.queries().kernel(kernel_key);
  return kernel.ok() && kernel.value() ? kernel.value()->metrics.generate_time.count : 0;
}

StoredTimes stored_times(engine::Engine& engine) {
  TrialFilter filter;
  filter.include_synthetic = true;
  StoredTimes times;
  std::map<std::string, std::vector<double>> compiled_by_block;
  std::set<std::string> compiled;
  const auto rows = engine.queries().page(filter, TrialOrder::kOldestFirst, 0, 100'000);
  for (const TrialRow& row : rows.value()) {
    const auto trial = engine.queries().trial(row.id);
    if (!trial.ok() || !trial.value()) continue;
    times.overheads.push_back(trial.value()->result.overhead.count);
    bool fresh = false;  // a kernel that an earlier trial was of is not compiled again
    double made_ns = trial.value()->compile_time.count;
    for (const std::string& key : trial.value()->kernel_keys) {
      const bool first = compiled.insert(key).second;
      if (first) made_ns += written_ns(engine, key);
      fresh = fresh || first;
    }
    if (fresh) compiled_by_block[trial.value()->block_id].push_back(made_ns);
  }
  for (const auto& [block, durations] : compiled_by_block) times.compiled_ns += makespan(durations);
  std::sort(times.overheads.begin(), times.overheads.end());
  return times;
}

// Runs a job to its end; what its trials took in the worker to verify and to time, what measuring the device's limits took,
// which is done again where a figure beats them, and what deciding took.
struct WorkerTimes {
  double verifying_ns = 0;
  double timing_ns = 0;
  double calibrating_ns = 0;
  double deciding_ns = 0;
};
Result<WorkerTimes> run_to_its_end(engine::Engine& engine, const engine::JobSpec& spec) {
  FL_TRY(const auto job, engine.start(spec));
  WorkerTimes times;
  for (bool ended = false; !ended;) {
    ended = job->wait_for(std::chrono::milliseconds(50));
    for (const engine::Event& event : job->drain()) {
      const auto* const progress = std::get_if<engine::JobProgress>(&event);
      if (progress != nullptr) times.calibrating_ns = progress->calibrating_seconds * 1e9;
      if (progress != nullptr) times.deciding_ns = progress->deciding_seconds * 1e9;
      const auto* const trial = std::get_if<engine::TrialFinished>(&event);
      if (trial == nullptr) continue;
      times.verifying_ns += trial->verifying.count;
      times.timing_ns += trial->timing.count;
    }
  }
  FL_TRY_VOID(job->result());
  return times;
}

// A whole tuning job in worker processes with a real database. What is left of a trial's wall time without compiling (from graph to
// binary), verifying, timing, measuring the device's limits and deciding is everything else: scheduling, process starts, messages,
// commits, tables. On null a launch takes no time; on cpu the device's ceilings, which are measured once and stored, are measured
// by a job before.
void tune_on(benchmark::State& state, const std::string& device, const std::string& shape) {
  const fs::path folder = fs::temp_directory_path() / "fuselab-engine-bench";
  for (auto _ : state) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    auto engine = engine::Engine::open(fresh_config(folder));
    if (!engine.ok() || !engine.value()->devices(false).ok()) return state.SkipWithError("the session does not open");
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kTune;
    spec.subjects = {"w3"};
    spec.bindings = {shape};
    spec.devices.only = {device};
    spec.budget_seconds = 60;
    if (device != "null:0") {
      engine::JobSpec before = spec;
      before.budget_trials = 1;
      if (const auto ceilings = run_to_its_end(*engine.value(), before); !ceilings.ok()) {
        return state.SkipWithError(ceilings.error().message.c_str());
      }
    }
    const StoredTimes before = stored_times(*engine.value());
    const double start = platform::monotonic_now().count;
    const auto spent = run_to_its_end(*engine.value(), spec);
    const double wall = platform::monotonic_now().count - start;
    if (!spent.ok()) return state.SkipWithError(spent.error().message.c_str());
    state.SetIterationTime(wall / 1e9);
    const StoredTimes times = stored_times(*engine.value());
    const double compiled_ns = times.compiled_ns - before.compiled_ns;
    const auto& overheads = times.overheads;
    if (overheads.size() <= before.overheads.size()) return state.SkipWithError("no trials were stored");
    const auto trials = static_cast<double>(overheads.size() - before.overheads.size());
    const auto each = [&](double ns) { return ns / 1e6 / trials; };
    state.counters["trials"] = trials;
    state.counters["wall_ms_per_trial"] = each(wall);
    state.counters["compile_ms_per_trial"] = each(compiled_ns);
    state.counters["verify_ms_per_trial"] = each(spent.value().verifying_ns);
    state.counters["timed_ms_per_trial"] = each(spent.value().timing_ns);
    state.counters["limits_ms_per_trial"] = each(spent.value().calibrating_ns);
    state.counters["decide_ms_per_trial"] = each(spent.value().deciding_ns);
    state.counters["rest_ms_per_trial"] = each(wall - compiled_ns - spent.value().verifying_ns - spent.value().timing_ns -
                                               spent.value().calibrating_ns - spent.value().deciding_ns);
    state.counters["worker_overhead_ms_median"] = overheads[overheads.size() / 2] / 1e6;
    state.counters["worker_overhead_ms_max"] = overheads.back() / 1e6;
  }
  fs::remove_all(folder);
}

struct Limit {
  std::string_view benchmark;  // the name's beginning
  std::string_view counter;    // empty: the time of an iteration
  double at_most;              // milliseconds
};
constexpr Limit kLimits[] = {
    {"estimate_cost/", "", 0.1},
    {"estimate_rule/", "", 0.1},
    {"choose_default/", "", 1},
    {"select/", "", 1},
    {"best_mix/", "", 1},
    {"trial_overhead/", "worker_overhead_ms_median", 2},
    {"trial_overhead/", "rest_ms_per_trial", 2},
    {"bookkeeping/", "", 0.002},
    {"decide_2x_loser/", "", 200},
};

// Reports as asked for, and remembers what missed its limit.
class Gate : public benchmark::BenchmarkReporter {
 public:
  explicit Gate(benchmark::BenchmarkReporter& inner) : inner_(inner) {}
  bool ReportContext(const Context& context) override { return inner_.ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      for (const Limit& limit : kLimits) check(run, limit);
    }
    inner_.ReportRuns(runs);
  }
  void Finalize() override { inner_.Finalize(); }
  bool passed() const { return passed_; }

 private:
  void check(const Run& run, const Limit& limit) {
    const std::string name = run.benchmark_name();
    const bool one_of_many = run.repetitions > 1 && run.run_type == Run::RT_Iteration;
    const bool failed = run.iterations == 0;
    const bool judged = one_of_many ? failed : run.repetitions <= 1 || run.aggregate_name == "median";
    if (!judged || name.rfind(limit.benchmark, 0) != 0) return;
    const auto taken = milliseconds(run, limit.counter);
    if (taken && *taken <= limit.at_most) return;
    passed_ = false;
    const std::string what = taken ? std::to_string(*taken) + " ms, more than " + std::to_string(limit.at_most) : "not measured";
    std::fprintf(stderr, "%s: %s\n", name.c_str(), what.c_str());
  }
  static std::optional<double> milliseconds(const Run& run, std::string_view counter) {
    if (run.iterations == 0) return std::nullopt;
    if (counter.empty()) return 1e3 * run.GetAdjustedRealTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
    const auto found = run.counters.find(std::string(counter));
    return found == run.counters.end() ? std::nullopt : std::optional(found->second.value);
  }

  benchmark::BenchmarkReporter& inner_;
  bool passed_ = true;
};

void add_benchmarks() {
  for (const Workload& workload : builtin_workloads()) {
    const auto graph = instantiate(workload, {}, workload.default_dtype);
    if (!graph.ok()) continue;
    benchmark::RegisterBenchmark(("estimate_cost/" + workload.id).c_str(), estimate_cost_of, graph.value())
        ->Unit(benchmark::kMicrosecond);
  }
  for (const char* device : {"null:0", "cpu:0"}) {
    benchmark::RegisterBenchmark((std::string("trial_overhead/") + device).c_str(), tune_on, device, "rows=64,cols=512")
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(5)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace
}  // namespace fuselab

int main(int argc, char** argv) {
  static char format[] = "--benchmark_format=json";
  std::vector<char*> arguments(argv, argv + argc);
  for (char*& argument : arguments) {
    if (std::strcmp(argument, "--json") == 0) argument = format;
  }
  argc = static_cast<int>(arguments.size());
  // How it was called is no path when a shell found it in PATH.
  fuselab::g_program = std::filesystem::read_symlink("/proc/self/exe");
  fuselab::add_benchmarks();
  benchmark::Initialize(&argc, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return 2;
  const std::unique_ptr<benchmark::BenchmarkReporter> display(benchmark::CreateDefaultDisplayReporter());
  fuselab::Gate gate(*display);
  benchmark::RunSpecifiedBenchmarks(&gate);
  return gate.passed() ? 0 : 1;
}
