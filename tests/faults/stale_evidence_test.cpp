// SPDX-License-Identifier: Apache-2.0
// Key proof at the session's door: today's worker is asked which kernel it would make, and a stored trial is served, as a figure or
// as the reason why there is none, only when each component of its three identities is today's.
#include <functional>

#include "app/engine/compare/table/compare_builder.h"
#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/kernels/kernel_builder.h"
#include "app/engine/kernels/requests.h"
#include "core/graph/graph_text.h"
#include "core/platform/system/clock.h"
#include "core/platform/system/uuid.h"
#include "tests/faults/support/job_fixture.h"

namespace fuselab::engine {
namespace {

constexpr const char* kGraph = "graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }";

class StaleEvidence : public JobTest {
 protected:
  void SetUp() override {
    JobTest::SetUp();
    Subject subject;
    subject.graph = parse_graph(kGraph).value();
    auto fused_model = cut(std::move(subject), OptimizationLevel::kO2);
    ASSERT_TRUE(fused_model.ok()) << fused_model.error().message;
    ASSERT_EQ(fused_model.value().pieces.size(), 1U);
    piece_ = std::move(fused_model.value().pieces.front());
    ASSERT_EQ(piece_.operator_graphs.size(), 2U);
    fused_ = kernel_today(piece_.operation.graph);
    for (const Graph& graph : piece_.operator_graphs) operators_.push_back(kernel_today(graph));
    StoreBatch batch;
    batch.runs.push_back({"run", "bench", "fuselab bench", "test", "here", "finished", 1, 2});
    batch.pieces.push_back({piece_.key, kGraph, "piece", "ElementWise", piece_.operation.cost});
    ASSERT_TRUE(database_->store().commit(batch).ok());
  }

  wire::DescribeReply described(const Graph& graph, OptimizationLevel level = OptimizationLevel::kO2) {
    auto reply = workers_->describe({device_.backend, device_.target, canonical_text(graph), level}, {});
    EXPECT_TRUE(reply.ok()) << reply.error().message;
    return reply.ok() ? std::move(reply).value() : wire::DescribeReply();
  }
  CompiledKernel kernel_today(const Graph& graph) {
    const LaunchConfig config = described(graph).default_config;
    auto kernel = workers_->generate(generate_request(device_, "O2", graph, {config}), {}).front();
    EXPECT_TRUE(kernel.ok()) << kernel.error().message;
    return kernel.ok() ? std::move(kernel).value() : CompiledKernel();
  }

  // Every trial has its own metric, so that what one check stored is not what the next one finds.
  MetricIdentity next_metric() {
    MetricIdentity metric = metric_of(Protocol());
    metric.detail = "check " + std::to_string(++checks_);
    return metric;
  }

  TrialRecord trial_of(PlanKind kind, const std::vector<CompiledKernel>& kernels, const MetricIdentity& metric) const {
    TrialRecord trial;
    trial.id = platform::make_uuid();
    trial.run_id = "run";
    trial.piece_key = piece_.key;
    trial.device_id = device_.id;
    trial.backend = device_.backend;
    trial.kind = kind;
    for (const CompiledKernel& kernel : kernels) {
      trial.config += (trial.config.empty() ? "" : ";") + kernel.config.text();
      trial.kernel_keys.push_back(kernel.kernel_id());
    }
    trial.plan_key = plan_key_of(trial.kernel_keys);
    trial.metric_key = metric.key().hex();
    trial.environment_key = environment_.key().hex();
    trial.result.outcome = Outcome::kTimed;
    trial.result.samples = {1000, 1001, 1002, 1003, 1004};
    trial.median_ns = 1002;
    trial.low_ns = 1000;
    trial.high_ns = 1004;
    trial.block_id = trial.id;
    trial.synthetic = true;
    trial.created_unix_ms = platform::unix_milliseconds();
    return trial;
  }
  static TrialRecord failed(TrialRecord trial, const std::string& reason) {
    trial.result = PlanResult();
    trial.result.outcome = Outcome::kCompileError;
    trial.result.reason = reason;
    trial.median_ns = trial.low_ns = trial.high_ns = 0;
    return trial;
  }

  void store(const std::vector<TrialRecord>& trials, const MetricIdentity& metric) {
    StoreBatch batch;
    batch.metrics.push_back(metric);
    batch.trials = trials;
    const Status stored = database_->store().commit(batch);
    ASSERT_TRUE(stored.ok()) << stored.error().message;
  }

  EvidenceReader reader(const std::string& level = "O2") { return {*workers_, database_->queries(), level, std::stop_token()}; }
  std::size_t served(const MetricIdentity& metric, const EnvironmentIdentity& environment) {
    const auto found = reader().current({piece_, device_, metric.key().hex(), environment.key().hex()});
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found.ok() ? found.value().size() : 99;
  }
  std::string failure(const MetricIdentity& metric, const std::string& level = "O2") {
    const auto text = reader(level).newest_failure({piece_, device_, metric.key().hex(), environment_.key().hex()});
    EXPECT_TRUE(text.ok()) << text.error().message;
    return text.ok() ? text.value() : "?";
  }

  // A failure of what never became a kernel, stored under that generation.
  MetricIdentity stored_without_a_kernel(const std::string& generation) {
    const MetricIdentity metric = next_metric();
    TrialRecord trial = failed(trial_of(PlanKind::kFused, {}, metric), "no way to a kernel");
    trial.plan_key = failed_plan_key(piece_.key, trial.config, generation);
    store({trial}, metric);
    return metric;
  }
  std::string generation_of_a_job(const std::string& level) {
    const Config config;
    JobSpec spec;
    spec.level = level;
    EventQueue events;
    PausePoint pause_point;
    EvidenceReader evidence = reader(level);
    JobContext context{config, spec,  *workers_, database_->store(), database_->queries(), evidence, events, pause_point,
                       {},     "run", "metric"};
    return KernelBuilder(context, device_).of(piece_.operation.graph).generation;
  }

  // What a reader shows of the piece.
  CompareCell cell_shown() {
    FusedModel fused_model;
    fused_model.level = "O2";
    fused_model.pieces.push_back(piece_);
    EvidenceReader evidence = reader();
    const auto table = build_compare_table(fused_model, {{device_, environment_.key().hex(), {}}}, Protocol(), evidence, {});
    EXPECT_TRUE(table.ok()) << table.error().message;
    return table.ok() ? table.value().rows.front().cells.front() : CompareCell();
  }

  Piece piece_;
  CompiledKernel fused_;
  std::vector<CompiledKernel> operators_;
  int checks_ = 0;
};

using KernelChange = std::pair<const char*, std::function<void(KernelIdentity&)>>;
const std::vector<KernelChange> kKernelChanges = {
    {"graph", [](auto& kernel) { kernel.graph = ContentHash::of("another graph"); }},
    {"backend", [](auto& kernel) { kernel.backend += "x"; }},
    {"generator", [](auto& kernel) { kernel.generator += "x"; }},
    {"generator version", [](auto& kernel) { kernel.generator_version += "x"; }},
    {"source", [](auto& kernel) { kernel.source = ContentHash::of("other text"); }},
    {"target", [](auto& kernel) { kernel.target += "x"; }},
    {"compiler", [](auto& kernel) { kernel.compiler += "x"; }},
    {"compiler version", [](auto& kernel) { kernel.compiler_version += "x"; }},
    {"flags", [](auto& kernel) { kernel.flags += " -g"; }},
    {"library", [](auto& kernel) { kernel.library += "x"; }},
    {"library version", [](auto& kernel) { kernel.library_version += "x"; }},
    {"configuration", [](auto& kernel) { kernel.config += "x"; }},
};

TEST_F(StaleEvidence, IsServedWhileNothingHasChanged) {
  const MetricIdentity metric = next_metric();
  const TrialRecord fused = trial_of(PlanKind::kFused, {fused_}, metric);
  TrialRecord unfused = trial_of(PlanKind::kUnfused, operators_, metric);
  unfused.block_id = fused.block_id;
  store({fused, unfused}, metric);
  EXPECT_EQ(served(metric, environment_), 2U);
}

TEST_F(StaleEvidence, IsNotServedWhenAComponentOfItsKernelHasChanged) {
  for (const auto& [what, change] : kKernelChanges) {
    const MetricIdentity metric = next_metric();
    CompiledKernel kernel = fused_;
    change(kernel.identity);
    store({trial_of(PlanKind::kFused, {kernel}, metric)}, metric);
    EXPECT_EQ(served(metric, environment_), 0U) << what;
  }
}

TEST_F(StaleEvidence, IsNotServedWhenOneOfItsOperatorsHasChanged) {
  for (const auto& [what, change] : kKernelChanges) {
    const MetricIdentity metric = next_metric();
    std::vector<CompiledKernel> kernels = operators_;
    change(kernels.back().identity);
    const TrialRecord fused = trial_of(PlanKind::kFused, {fused_}, metric);
    TrialRecord unfused = trial_of(PlanKind::kUnfused, kernels, metric);
    unfused.block_id = fused.block_id;
    store({fused, unfused}, metric);
    EXPECT_EQ(served(metric, environment_), 0U) << what << ": the block's two figures belong together";
  }
}

TEST_F(StaleEvidence, IsNotServedWhenAComponentOfItsMetricHasChanged) {
  const std::vector<std::pair<const char*, std::function<void(MetricIdentity&)>>> changes = {
      {"cache mode", [](auto& metric) { metric.mode = CacheMode::kCold; }},
      {"what is timed", [](auto& metric) { metric.what += "x"; }},
      {"threads", [](auto& metric) { metric.threads += 1; }},
      {"input pattern", [](auto& metric) { metric.inputs.pattern = InputPattern::kLarge; }},
      {"input seed", [](auto& metric) { metric.inputs.seed += 1; }},
      {"protocol version", [](auto& metric) { metric.protocol_version += 1; }},
      {"detail", [](auto& metric) { metric.detail += "x"; }},
  };
  const MetricIdentity metric = next_metric();
  store({trial_of(PlanKind::kFused, {fused_}, metric)}, metric);
  ASSERT_EQ(served(metric, environment_), 1U);
  for (const auto& [what, change] : changes) {
    MetricIdentity changed = metric;
    change(changed);
    EXPECT_EQ(served(changed, environment_), 0U) << what;
  }
}

TEST_F(StaleEvidence, IsNotServedWhenAComponentOfItsEnvironmentHasChanged) {
  const std::vector<std::pair<const char*, std::string EnvironmentIdentity::*>> components = {
      {"host", &EnvironmentIdentity::host},
      {"device", &EnvironmentIdentity::device_uuid},
      {"driver", &EnvironmentIdentity::driver},
      {"CPU model", &EnvironmentIdentity::cpu_model},
      {"microcode", &EnvironmentIdentity::microcode},
      {"kernel of the system", &EnvironmentIdentity::os_kernel},
      {"clock policy", &EnvironmentIdentity::clock_policy},
      {"version of Fuselab", &EnvironmentIdentity::tool_version},
  };
  const MetricIdentity metric = next_metric();
  store({trial_of(PlanKind::kFused, {fused_}, metric)}, metric);
  ASSERT_EQ(served(metric, environment_), 1U);
  for (const auto& [what, component] : components) {
    EnvironmentIdentity changed = environment_;
    changed.*component += "x";
    EXPECT_EQ(served(metric, changed), 0U) << what;
  }
}

TEST_F(StaleEvidence, OfAFailureIsTodaysReasonOnlyWithTodaysKernel) {
  MetricIdentity metric = next_metric();
  store({failed(trial_of(PlanKind::kFused, {fused_}, metric), "too many registers")}, metric);
  EXPECT_EQ(failure(metric), "fused compile-error: too many registers");
  for (const auto& [what, change] : kKernelChanges) {
    metric = next_metric();
    CompiledKernel kernel = fused_;
    change(kernel.identity);
    store({failed(trial_of(PlanKind::kFused, {kernel}, metric), "too many registers")}, metric);
    EXPECT_EQ(failure(metric), "") << what;
  }
}

TEST_F(StaleEvidence, OfAFailureDoesNotHideTodaysOlderOne) {
  const MetricIdentity metric = next_metric();
  CompiledKernel other = fused_;
  other.identity.generator_version += "x";
  store({failed(trial_of(PlanKind::kFused, {fused_}, metric), "today's")}, metric);
  store({failed(trial_of(PlanKind::kFused, {other}, metric), "of another generator")}, metric);
  EXPECT_EQ(failure(metric), "fused compile-error: today's");
}

TEST_F(StaleEvidence, OfWhatNeverBecameAKernelBelongsToItsGenerator) {
  const wire::DescribeReply today = described(piece_.operation.graph);
  const auto stored_by = [&](const wire::DescribeReply& generation) {
    return stored_without_a_kernel(generation_key(device_, "O2", generation));
  };
  EXPECT_EQ(failure(stored_by(today)), "fused compile-error: no way to a kernel");
  for (std::string wire::DescribeReply::*component :
       {&wire::DescribeReply::generator, &wire::DescribeReply::generator_version, &wire::DescribeReply::compiler,
        &wire::DescribeReply::compiler_version, &wire::DescribeReply::flags}) {
    wire::DescribeReply other = today;
    other.*component += "x";
    EXPECT_EQ(failure(stored_by(other)), "");
  }
}

// A key of level O3 once had O2's flags in it; what was stored under it is of a compilation that nobody makes.
TEST_F(StaleEvidence, OfWhatNeverBecameAKernelBelongsToTheFlagsOfItsLevel) {
  const Graph& graph = piece_.operation.graph;
  const wire::DescribeReply usual = described(graph), most = described(graph, OptimizationLevel::kO3);
  ASSERT_NE(usual.flags, most.flags);
  EXPECT_EQ(failure(stored_without_a_kernel(generation_key(device_, "O3", most)), "O3"), "fused compile-error: no way to a kernel");
  EXPECT_EQ(failure(stored_without_a_kernel(generation_key(device_, "O3", usual)), "O3"), "");
}

TEST_F(StaleEvidence, IsStoredUnderTheGenerationThatReadersAskFor) {
  const Graph& graph = piece_.operation.graph;
  for (const auto& [level, meant] : {std::pair("O2", OptimizationLevel::kO2), std::pair("O3", OptimizationLevel::kO3)})
    EXPECT_EQ(generation_of_a_job(level), generation_key(device_, level, described(graph, meant))) << level;
}

TEST_F(StaleEvidence, OfAPairThatFailedGivesEachPlanItsOwnReason) {
  const MetricIdentity metric = metric_of(Protocol());
  store({failed(trial_of(PlanKind::kFused, {fused_}, metric), "too many registers"),
         failed(trial_of(PlanKind::kUnfused, operators_, metric), "no such operator")},
        metric);
  const CompareCell cell = cell_shown();
  EXPECT_EQ(cell.fused.reason, "fused compile-error: too many registers");
  EXPECT_EQ(cell.unfused.reason, "unfused compile-error: no such operator");
}

TEST_F(StaleEvidence, OfAPlanThatWasTimedSinceIsNoFailureOfIt) {
  const MetricIdentity metric = metric_of(Protocol());
  store({failed(trial_of(PlanKind::kUnfused, operators_, metric), "of long ago")}, metric);
  store({failed(trial_of(PlanKind::kFused, {fused_}, metric), "too many registers"),
         trial_of(PlanKind::kUnfused, operators_, metric)},
        metric);
  const CompareCell cell = cell_shown();
  EXPECT_EQ(cell.fused.reason, "fused compile-error: too many registers");
  EXPECT_EQ(cell.unfused.reason, "no pair: fused compile-error: too many registers") << "the other plan's failure, said as such";
  EXPECT_EQ(cell.unfused.state, CellState::kFailed);
}

}  // namespace
}  // namespace fuselab::engine
