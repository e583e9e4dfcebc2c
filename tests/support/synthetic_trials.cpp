// SPDX-License-Identifier: Apache-2.0
#include "tests/support/synthetic_trials.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/random.h"
#include "core/stats/statistics.h"

namespace fuselab::testing {
namespace {

constexpr std::int64_t kStartUnixMs = 1'750'000'000'000;

std::string uuid_from(std::uint64_t high, std::uint64_t low) {
  char text[40];
  std::snprintf(text, sizeof text, "%08x-%04x-4%03x-8%03x-%012llx", static_cast<unsigned>(high >> 32),
                static_cast<unsigned>((high >> 16) & 0xffff), static_cast<unsigned>(high & 0xfff), static_cast<unsigned>(low >> 52),
                static_cast<unsigned long long>(low & 0xffffffffffffULL));
  return text;
}

std::string run_id(const SyntheticTrials& spec) {
  return uuid_from(spec.seed, 0);
}

std::string piece_text(int piece) {
  return "graph(i0: f32[" + std::to_string(piece + 1) + ",64]) { v0 = Exp(i0); return v0 }";
}

EnvironmentIdentity environment(int device) {
  EnvironmentIdentity identity;
  identity.host = "synthetic-host";
  identity.device_uuid = "synthetic-device-" + std::to_string(device);
  identity.driver = "1.0";
  identity.cpu_model = "made up";
  identity.microcode = "0x1";
  identity.os_kernel = "Linux 6.1";
  identity.clock_policy = "performance";
  identity.tool_version = "0.1.0";
  return identity;
}

MetricIdentity metric(int number) {
  MetricIdentity identity;
  identity.mode = number == 0 ? CacheMode::kWarm : CacheMode::kCold;
  identity.detail = "samples=15";
  return identity;
}

// Hashing a key anew for each of a million trials would be most of the time.
const std::string& piece_key(int piece) {
  static std::vector<std::string> keys;
  for (int next = static_cast<int>(keys.size()); next <= piece; ++next) keys.push_back(ContentHash::of(piece_text(next)).hex());
  return keys.at(static_cast<std::size_t>(piece));
}

const std::string& environment_key(int device) {
  static std::vector<std::string> keys;
  for (int next = static_cast<int>(keys.size()); next <= device; ++next) keys.push_back(environment(next).key().hex());
  return keys.at(static_cast<std::size_t>(device));
}

const std::string& metric_key(int number) {
  static const std::array<std::string, 2> keys = {metric(0).key().hex(), metric(1).key().hex()};
  return keys.at(static_cast<std::size_t>(number));
}

std::string random_key(SeededRandom& random) {
  std::array<std::uint8_t, 32> bytes{};
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  return ContentHash(bytes).hex();
}

void time_it(TrialRecord& trial, SeededRandom& random) {
  const double usual = 1000.0 + 1e6 * random.unit();
  trial.result.samples.resize(9);
  for (double& sample : trial.result.samples) sample = usual * (0.98 + 0.04 * random.unit());
  const Summary summary = summarize(trial.result.samples);
  trial.median_ns = summary.median;
  trial.low_ns = summary.interval.low;
  trial.high_ns = summary.interval.high;
}

DeviceInfo device_info(int number) {
  DeviceInfo device;
  device.id = "null:" + std::to_string(number);
  device.backend = "null";
  device.type = "synthetic";
  device.index = number;
  device.name = "made-up device " + std::to_string(number);
  device.uuid = environment(number).device_uuid;
  device.synthetic = true;
  return device;
}

}  // namespace

StoreBatch synthetic_basis(const SyntheticTrials& spec) {
  StoreBatch batch;
  batch.runs.push_back(
      {run_id(spec), "tune", "fuselab tune synthetic", "0.1.0", "synthetic-host", "finished", kStartUnixMs, kStartUnixMs});
  for (int piece = 0; piece < spec.pieces; ++piece) {
    PieceRecord record;
    record.key = piece_key(piece);
    record.canonical_text = piece_text(piece);
    record.name = "piece-" + std::to_string(piece);
    record.pattern = piece % 2 == 0 ? "ElementWise" : "ReductionThenElementWise";
    record.cost.read = {256 * (piece + 1)};
    record.cost.written = record.cost.read;
    batch.pieces.push_back(std::move(record));
  }
  for (int device = 0; device < spec.devices; ++device) {
    batch.devices.push_back(device_info(device));
    batch.environments.push_back(environment(device));
  }
  batch.metrics = {metric(0), metric(1)};
  return batch;
}

TrialRecord synthetic_trial(const SyntheticTrials& spec, std::int64_t index) {
  SeededRandom random(spec.seed * 0x2545f4914f6cdd1dULL + static_cast<std::uint64_t>(index));
  const auto below = [&](int bound) { return static_cast<int>(random.below(static_cast<std::uint64_t>(bound))); };
  TrialRecord trial;
  trial.id = uuid_from(random.next(), random.next());
  trial.run_id = run_id(spec);
  trial.piece_key = piece_key(below(spec.pieces));
  const int device = below(spec.devices);
  trial.device_id = "null:" + std::to_string(device);
  trial.backend = "null";
  trial.kind = below(4) == 0 ? PlanKind::kUnfused : PlanKind::kFused;
  trial.config = "threads=" + std::to_string(1 + below(4)) + ",vector=" + std::to_string(1 << below(5));
  trial.kernel_keys = {random_key(random)};
  trial.plan_key = plan_key_of(trial.kernel_keys);
  trial.metric_key = metric_key(below(8) == 0 ? 1 : 0);
  trial.environment_key = environment_key(device);
  trial.block_id = uuid_from(spec.seed + 1, static_cast<std::uint64_t>(index / std::max(1, spec.per_block)));
  trial.process_id = "measure-" + std::to_string(index / 1000);
  trial.retimed = below(10) == 0;
  trial.synthetic = random.unit() < spec.synthetic_share;
  trial.created_unix_ms = kStartUnixMs + index;
  trial.result.source = TimingSource::kSynthetic;
  if (random.unit() < spec.timed_share) {
    trial.result.outcome = Outcome::kTimed;
    trial.result.verification.passed = true;
    time_it(trial, random);
  } else {
    trial.result.outcome = below(2) == 0 ? Outcome::kCompileError : Outcome::kWrongResult;
    trial.result.reason = "scripted";
  }
  return trial;
}

void set_median(TrialRecord& trial, double median_ns) {
  trial.median_ns = trial.low_ns = trial.high_ns = median_ns;
  trial.result.samples.assign(median_ns > 0 ? 9 : 0, median_ns);
}

Status fill_with_synthetic_trials(ResultStore& store, const SyntheticTrials& spec) {
  constexpr std::int64_t kBatch = 5000;
  FL_TRY_VOID(store.commit(synthetic_basis(spec)));
  for (std::int64_t first = 0; first < spec.count; first += kBatch) {
    StoreBatch batch;
    const std::int64_t end = std::min(first + kBatch, spec.count);
    for (std::int64_t index = first; index < end; ++index) batch.trials.push_back(synthetic_trial(spec, index));
    FL_TRY_VOID(store.commit(batch));
  }
  return {};
}

CompiledKernel synthetic_kernel(int number, std::size_t binary_bytes) {
  CompiledKernel kernel;
  kernel.config.set("vector", std::int64_t{number});
  kernel.config.set("order", std::string("rows"));
  kernel.source.language = "c";
  kernel.source.text = "void k" + std::to_string(number) + "(const float* i0, float* v0) { v0[0] = i0[0]; }\n";
  kernel.source.entry = "k" + std::to_string(number);
  kernel.source.generator = "cpu-c";
  kernel.source.generator_version = "1";
  kernel.abi.entry = kernel.source.entry;
  kernel.abi.arguments = {{"i0", BufferRole::kIn, {DType::kF32, {Dim::symbol("rows"), 64}}, 64},
                          {"v0", BufferRole::kOut, {DType::kF32, {8, 64}}, 32}};
  kernel.abi.grid_x = {"ceil_div(rows, 4)"};
  kernel.source.abi = kernel.abi;
  kernel.identity.graph = ContentHash::of(piece_text(number));
  kernel.identity.backend = "cpu";
  kernel.identity.generator = "cpu-c";
  kernel.identity.generator_version = "1";
  kernel.identity.source = ContentHash::of(kernel.source.text);
  kernel.identity.target = "x86-64-v3";
  kernel.identity.compiler = "gcc";
  kernel.identity.compiler_version = "12.2.0";
  kernel.identity.flags = "-O3 -mavx2";
  kernel.identity.config = kernel.config.text();
  kernel.binary.format = "elf-so";
  SeededRandom random(static_cast<std::uint64_t>(number) + 77);
  for (std::size_t index = 0; index < binary_bytes; ++index) kernel.binary.data.push_back(static_cast<std::byte>(random.next()));
  kernel.binary.metadata = {{"compiler", "gcc"}, {"flags", "-O3 -mavx2"}};
  kernel.resources = {{"code_bytes", 512}, {"spill_bytes", 0}};
  kernel.metrics.generate_time = {1250.5};
  kernel.metrics.compile_time = {8.5e7};
  kernel.metrics.binary_size = {static_cast<std::int64_t>(binary_bytes)};
  kernel.metrics.level = OptimizationLevel::kO3;
  return kernel;
}

}  // namespace fuselab::testing
