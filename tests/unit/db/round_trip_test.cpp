// SPDX-License-Identifier: Apache-2.0
// Every struct of a batch reads back as it was written.
#include <cmath>

#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using RoundTrip = DatabaseTest;

Ceiling ceiling(const std::string& kind) {
  Ceiling made;
  made.kind = kind;
  return made;
}

TrialRecord full_trial() {
  TrialRecord trial = testing::synthetic_trial({}, 5);
  trial.kind = PlanKind::kUnfused;
  trial.config = "vector=8;vector=4,order=a/b";
  trial.kernel_keys = {"k1", "k2", "k1"};
  trial.plan_key = plan_key_of(trial.kernel_keys);
  trial.result.outcome = Outcome::kTimed;
  trial.result.reason = "said \"why\" in ünïcode\n";
  trial.result.verification = {true, 4096, 1.5e-7, 2.5e-8, 0.25, "output 0"};
  trial.result.samples = {1000.25, 1001.5, 999.75};
  trial.result.inner_repetitions = 128;
  trial.result.first_launch = {5e6};
  trial.result.source = TimingSource::kDeviceEvents;
  trial.result.overhead = {1.5e6};
  trial.compile_time = {9e7};
  trial.median_ns = 1000.25;
  trial.low_ns = 999.75;
  trial.high_ns = 1001.5;
  trial.retimed = true;
  trial.synthetic = false;
  trial.origin = Origin::kImported;
  return trial;
}

void expect_equal(const TrialRecord& a, const TrialRecord& b) {
  EXPECT_EQ(std::tie(a.id, a.run_id, a.piece_key, a.device_id, a.backend, a.kind, a.config, a.kernel_keys, a.plan_key),
            std::tie(b.id, b.run_id, b.piece_key, b.device_id, b.backend, b.kind, b.config, b.kernel_keys, b.plan_key));
  EXPECT_EQ(std::tie(a.metric_key, a.environment_key, a.median_ns, a.low_ns, a.high_ns, a.block_id, a.process_id, a.retimed),
            std::tie(b.metric_key, b.environment_key, b.median_ns, b.low_ns, b.high_ns, b.block_id, b.process_id, b.retimed));
  EXPECT_EQ(std::tie(a.synthetic, a.origin, a.created_unix_ms, a.compile_time.count),
            std::tie(b.synthetic, b.origin, b.created_unix_ms, b.compile_time.count));
  const PlanResult &x = a.result, &y = b.result;
  EXPECT_EQ(std::tie(x.outcome, x.reason, x.samples, x.inner_repetitions, x.first_launch.count, x.source, x.overhead.count),
            std::tie(y.outcome, y.reason, y.samples, y.inner_repetitions, y.first_launch.count, y.source, y.overhead.count));
  EXPECT_EQ(std::tie(x.verification.passed, x.verification.checked, x.verification.detail),
            std::tie(y.verification.passed, y.verification.checked, y.verification.detail));
}

TEST_F(RoundTrip, TrialKeepsEveryField) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({});
  batch.trials = {full_trial()};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto read = database->queries().trial(batch.trials[0].id);
  ASSERT_TRUE(succeeded(read));
  ASSERT_TRUE(read.value().has_value());
  expect_equal(*read.value(), batch.trials[0]);
  EXPECT_EQ(read.value()->result.verification.max_error, 1.5e-7);
  EXPECT_EQ(read.value()->result.verification.worst_ratio, 0.25);
}

BlockConditions hot_block() {
  BlockConditions conditions;
  conditions.wall_seconds = 0.5;
  conditions.threads = 2;
  conditions.steal_seconds = 0.01;
  conditions.throttled_seconds = 0.02;
  conditions.involuntary_switches = 7;
  conditions.waited_seconds = 0.03;
  conditions.load = 1.5;
  conditions.runnable = 3;
  conditions.clock_mhz = 2400;
  conditions.device = {4, "then it was lost", "550.54.15", 0x8000000000000008, 1200, 1980, 3201, 91, 312.5};
  conditions.timer = {TimingSource::kDeviceEvents, {1536}, {512}, 301, {}};
  conditions.ceiling.spec = {1, 1, {1 << 20}, "flops", 2, "4 places at once", "AVX2, 12 chains"};
  conditions.ceiling.looks = {{0, 1e10, 9e10}, {3, 1.1e10, 9.1e10}};
  conditions.ceiling.seconds = 0.125;
  return conditions;
}

TEST_F(RoundTrip, ATrialTellsTheConditionsOfItsBlock) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({});
  batch.trials = {full_trial(), testing::synthetic_trial({}, 6)};
  batch.trials[1].block_id = "of another";
  const BlockConditions kept = hot_block();
  batch.blocks = {{batch.trials[0].block_id, kept}};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto read = database->queries().trial(batch.trials[0].id);
  ASSERT_TRUE(succeeded(read));
  ASSERT_TRUE(read.value() && read.value()->conditions);
  const BlockConditions& told = *read.value()->conditions;
  EXPECT_EQ(std::tie(told.wall_seconds, told.threads, told.steal_seconds, told.throttled_seconds, told.involuntary_switches),
            std::tie(kept.wall_seconds, kept.threads, kept.steal_seconds, kept.throttled_seconds, kept.involuntary_switches));
  EXPECT_EQ(std::tie(told.waited_seconds, told.load, told.runnable, told.clock_mhz),
            std::tie(kept.waited_seconds, kept.load, kept.runnable, kept.clock_mhz));
  const DeviceStates &x = told.device, &y = kept.device;
  EXPECT_EQ(std::tie(x.readings, x.unknown, x.driver, x.throttle, x.core_mhz_low, x.core_mhz_high, x.memory_mhz_low),
            std::tie(y.readings, y.unknown, y.driver, y.throttle, y.core_mhz_low, y.core_mhz_high, y.memory_mhz_low));
  EXPECT_EQ(std::tie(x.celsius_high, x.watts_high), std::tie(y.celsius_high, y.watts_high));
  EXPECT_EQ(timer_text(told.timer), timer_text(kept.timer));
  const CeilingSpec &beside = told.ceiling.spec, &asked = kept.ceiling.spec;
  EXPECT_EQ(std::tie(beside.read_streams, beside.write_streams, beside.footprint, beside.arithmetic, beside.threads),
            std::tie(asked.read_streams, asked.write_streams, asked.footprint, asked.arithmetic, asked.threads));
  EXPECT_EQ(std::tie(beside.stream_form, beside.arithmetic_form), std::tie(asked.stream_form, asked.arithmetic_form));
  ASSERT_EQ(told.ceiling.looks.size(), 2u);
  EXPECT_EQ(told.ceiling.looks[1].rounds, 3);
  EXPECT_EQ(told.ceiling.looks[1].flops_per_second, 9.1e10);
  EXPECT_EQ(told.ceiling.seconds, 0.125);
  EXPECT_FALSE(database->queries().trial(batch.trials[1].id).value()->conditions) << "nobody said how it was";
}

TEST_F(RoundTrip, ConditionsAreMergedWithTheirTrials) {
  StoreBatch batch = testing::synthetic_basis({});
  batch.trials = {full_trial()};
  batch.blocks = {{batch.trials[0].block_id, hot_block()}};
  {
    auto other = open(Access::kWrite, "other.db");
    ASSERT_TRUE(other);
    ASSERT_TRUE(succeeded(other->store().commit(batch)));
  }
  auto database = open();
  ASSERT_TRUE(database);
  const std::filesystem::path other = path().parent_path() / "other.db";
  ASSERT_TRUE(succeeded(database->merge(other)));
  ASSERT_TRUE(succeeded(database->merge(other))) << "twice changes nothing";
  const auto merged = database->queries().trial(batch.trials[0].id);
  ASSERT_TRUE(succeeded(merged));
  ASSERT_TRUE(merged.value() && merged.value()->conditions);
  EXPECT_EQ(merged.value()->conditions->device.watts_high, 312.5);
  EXPECT_EQ(merged.value()->conditions->ceiling.looks.size(), 2u);
}

TEST_F(RoundTrip, TrialWithNaNErrorsAndNoKernels) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({});
  TrialRecord trial = full_trial();
  trial.kernel_keys.clear();
  trial.plan_key.clear();
  trial.result.outcome = Outcome::kWrongResult;
  trial.result.samples.clear();
  trial.median_ns = 0;
  trial.result.verification.max_error = std::nan("");
  trial.result.verification.worst_ratio = INFINITY;
  batch.trials = {trial};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto read = database->queries().trial(trial.id);
  ASSERT_TRUE(succeeded(read) && read.value());
  expect_equal(*read.value(), trial);
  EXPECT_TRUE(std::isnan(read.value()->result.verification.max_error));
  EXPECT_TRUE(std::isinf(read.value()->result.verification.worst_ratio));
}

TEST_F(RoundTrip, EveryOutcomeIsStored) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({});
  for (int outcome = 0; outcome <= static_cast<int>(Outcome::kCancelled); ++outcome) {
    batch.trials.push_back(testing::synthetic_trial({}, outcome));
    batch.trials.back().result.outcome = static_cast<Outcome>(outcome);
    testing::set_median(batch.trials.back(), 500);
  }
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  for (const TrialRecord& trial : batch.trials) {
    const auto read = database->queries().trial(trial.id);
    ASSERT_TRUE(succeeded(read) && read.value());
    EXPECT_EQ(read.value()->result.outcome, trial.result.outcome);
  }
}

DeviceInfo full_device() {
  DeviceInfo device;
  device.id = "cuda:1";
  device.backend = "cuda";
  device.type = "gpu";
  device.index = 1;
  device.name = "a GPU";
  device.uuid = "GPU-123";
  device.unified_memory = true;
  device.total_memory_bytes = 80LL << 30;
  device.compute_units = 132;
  device.compute_capability = "9.0";
  device.properties = {{"simd", "avx2"}, {"note", "a \"quoted\" word"}};
  device.target = {"sm_90", "cuda", {{"max_threads", 1024}}};
  device.other_targets = {{"sm_80", "cuda", {}}};
  return device;
}

TEST_F(RoundTrip, CatalogHoldsTheSmallTables) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({.pieces = 2, .devices = 1});
  batch.devices = {full_device()};
  batch.metrics[0].inputs = {InputPattern::kDenormal, 0xffffffffffffffffULL};
  const std::string environment = batch.environments[0].key().hex();
  batch.model_pieces = {{batch.runs[0].id, "resnet50", "batch=1", batch.pieces[0].key, "conv1", 0, 3, "", "O2", ""},
                        {batch.runs[0].id, "resnet50", "batch=1", "", "fc", 1, 1, "opaque operator", "O3", "f16"}};
  batch.ceilings = {
      {environment, {{{"stream", 2, 1, true, {64 << 20}, 2, 1.5e10, 1.4e10, 1.6e10, "in phases"}, ceiling("flops")}}}};
  batch.choices = {{batch.pieces[0].key, environment, "cuda:1", "trial-1", "fastest", 5}};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));

  const auto read = database->queries().catalog();
  ASSERT_TRUE(succeeded(read));
  const Catalog& catalog = read.value();
  ASSERT_EQ(catalog.runs.size(), 1u);
  EXPECT_EQ(catalog.runs[0].command, batch.runs[0].command);
  ASSERT_EQ(catalog.pieces.size(), 2u);
  EXPECT_EQ(catalog.pieces[1].canonical_text, batch.pieces[1].canonical_text);
  EXPECT_EQ(catalog.pieces[1].cost.read, batch.pieces[1].cost.read);
  ASSERT_EQ(catalog.model_pieces.size(), 2u);
  EXPECT_EQ(catalog.model_pieces[0].count, 3);
  EXPECT_EQ(catalog.model_pieces[1].reason, "opaque operator");
  EXPECT_EQ(catalog.model_pieces[1].level, "O3");
  EXPECT_EQ(catalog.model_pieces[1].dtype, "f16");
  ASSERT_EQ(catalog.devices.size(), 1u);
  EXPECT_EQ(catalog.devices[0].properties, batch.devices[0].properties);
  EXPECT_EQ(catalog.devices[0].target, batch.devices[0].target);
  EXPECT_EQ(catalog.devices[0].other_targets, batch.devices[0].other_targets);
  EXPECT_EQ(catalog.devices[0].total_memory_bytes, batch.devices[0].total_memory_bytes);
  EXPECT_EQ(catalog.devices[0].free_memory_bytes, std::nullopt);
  EXPECT_EQ(catalog.devices[0].driver_version, std::nullopt);
  ASSERT_EQ(catalog.environments.size(), 1u);
  EXPECT_EQ(catalog.environments[0].second.key().hex(), environment);
  ASSERT_EQ(catalog.metrics.size(), 2u);
  EXPECT_EQ(catalog.metrics[0].second.key(), batch.metrics[0].key());
  ASSERT_EQ(catalog.ceilings.size(), 1u);
  ASSERT_EQ(catalog.ceilings[0].second.rows.size(), 2u);
  EXPECT_EQ(catalog.ceilings[0].second.rows[0].per_second, 1.5e10);
  EXPECT_EQ(catalog.ceilings[0].second.rows[0].form, "in phases");
  EXPECT_TRUE(catalog.ceilings[0].second.rows[0].nontemporal);
  ASSERT_EQ(catalog.choices.size(), 1u);
  EXPECT_EQ(catalog.choices[0].reason, "fastest");
}

TEST_F(RoundTrip, RunsAreUpdatedAndCeilingsReplaced) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({});
  batch.runs[0].state = "running";
  const std::string environment = batch.environments[0].key().hex();
  batch.ceilings = {{environment, {{ceiling("stream"), ceiling("flops")}}}};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  batch.runs[0].state = "finished";
  batch.runs[0].finished_unix_ms = 99;
  batch.ceilings = {{environment, {{ceiling("flops")}}}};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto catalog = database->queries().catalog();
  ASSERT_TRUE(succeeded(catalog));
  ASSERT_EQ(catalog.value().runs.size(), 1u);
  EXPECT_EQ(catalog.value().runs[0].state, "finished");
  EXPECT_EQ(catalog.value().runs[0].finished_unix_ms, 99);
  ASSERT_EQ(catalog.value().ceilings.size(), 1u);
  EXPECT_EQ(catalog.value().ceilings[0].second.rows.size(), 1u);
}

TEST_F(RoundTrip, KernelKeepsEveryField) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch;
  batch.kernels = {testing::synthetic_kernel(1), testing::synthetic_kernel(2)};
  batch.keep_binaries = {batch.kernels[0].kernel_id()};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto read = database->queries().kernel(batch.kernels[0].kernel_id());
  ASSERT_TRUE(succeeded(read) && read.value());
  const CompiledKernel &kept = *read.value(), &original = batch.kernels[0];
  EXPECT_EQ(kept.identity.key(), original.identity.key());
  EXPECT_EQ(kept.config, original.config);
  EXPECT_EQ(kept.source.text, original.source.text);
  EXPECT_EQ(kept.source.abi, original.source.abi);
  EXPECT_EQ(kept.abi, original.abi);
  EXPECT_EQ(kept.binary.data, original.binary.data);
  EXPECT_EQ(kept.binary.metadata, original.binary.metadata);
  EXPECT_EQ(kept.resources, original.resources);
  EXPECT_EQ(kept.metrics.level, original.metrics.level);
  EXPECT_EQ(kept.metrics.compile_time, original.metrics.compile_time);
  const auto source_only = database->queries().kernel(batch.kernels[1].kernel_id());
  ASSERT_TRUE(succeeded(source_only) && source_only.value());
  EXPECT_TRUE(source_only.value()->binary.data.empty());
  EXPECT_EQ(source_only.value()->source.text, batch.kernels[1].source.text);
}

TEST_F(RoundTrip, ABatchIsAllOrNothing) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({});
  batch.trials = {testing::synthetic_trial({}, 0), testing::synthetic_trial({}, 1)};
  batch.trials[1].piece_key = "a piece nobody stored";
  EXPECT_TRUE(failed_with(database->store().commit(batch), ErrorCode::kInvalidArgument, "a piece nobody stored"));
  const auto catalog = database->queries().catalog();
  ASSERT_TRUE(succeeded(catalog));
  EXPECT_TRUE(catalog.value().runs.empty());
  const auto count = database->queries().count_trials(every_trial());
  ASSERT_TRUE(succeeded(count));
  EXPECT_EQ(count.value(), 0);
  // The store goes on: what the failed batch numbered is not remembered.
  batch.trials.pop_back();
  EXPECT_TRUE(succeeded(database->store().commit(batch)));
}

TEST_F(RoundTrip, TrialsAreOnlyEverAdded) {
  auto database = open();
  ASSERT_TRUE(database);
  StoreBatch batch = testing::synthetic_basis({});
  batch.trials = {testing::synthetic_trial({}, 0)};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  EXPECT_TRUE(failed_with(database->store().commit(batch), ErrorCode::kInvalidArgument, "only ever added"));
}

TEST_F(RoundTrip, EveryRowSaysItsHostAndOrigin) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    StoreBatch batch = testing::synthetic_basis({});
    batch.trials = {testing::synthetic_trial({}, 0)};
    batch.kernels = {testing::synthetic_kernel(1)};
    batch.keep_binaries = {batch.kernels[0].kernel_id()};
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
  }
  SQLite::Database shell(path().string());
  for (const char* table : {"run", "piece", "device", "environment", "metric", "kernel", "source", "kernel_binary"}) {
    const std::string where = std::string(" FROM ") + table + " WHERE host <> '' AND origin = 'measured-here'";
    EXPECT_GT(shell.execAndGet("SELECT count(*)" + where).getInt(), 0) << table;
  }
  EXPECT_EQ(shell.execAndGet("SELECT host || ' ' || origin FROM trials").getString(), "test-host measured-here");
}

}  // namespace
}  // namespace fuselab::db
