// SPDX-License-Identifier: Apache-2.0
#include "tests/device/primitives/in_flight.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "backends/codegen/emit/dialect.h"
#include "core/base/random.h"
#include "core/kernel/cuda_features.h"

namespace fuselab::primitives {
namespace {

constexpr int kRuns = 3;

// Each thread adds up `kLoads` parts of 16 bytes before it asks for the next ones.
constexpr const char* kLoadsText = R"(
extern "C" FL_KERNEL(kThreads, kBlocks) void stream_read(const float* FL_RESTRICT x, float* FL_RESTRICT y) {
  const long long step = fl_grid_size() * kThreads * 4;
  float sum = 0.0f;
  for (long long at = (fl_block() * kThreads + fl_thread()) * 4; at + (kLoads - 1) * step < kCount; at += kLoads * step) {
    fl_vec<float, 4> parts[kLoads];
#pragma unroll
    for (int i = 0; i < kLoads; ++i) parts[i] = fl_load_readonly<float, 4>(x + at + i * step);
#pragma unroll
    for (int i = 0; i < kLoads; ++i) sum += parts[i].v[0] + parts[i].v[1] + parts[i].v[2] + parts[i].v[3];
  }
  if (sum == 12345.0f) y[0] = sum;
}
)";

// One thread keeps `kLoads` copies of 8 KiB under way, the others only free their places.
constexpr const char* kEngineText = R"(
extern "C" FL_KERNEL(kThreads, kBlocks) void stream_read(const float* FL_RESTRICT x, float* FL_RESTRICT y) {
  FL_ALIGNED_SHARED(float, stages, kLoads * 2048, 0);
  FL_ALIGNED_SHARED(unsigned long long, full, kLoads, kLoads * 8192);
  const int thread = fl_thread();
  const auto fetch = [&](long long part, int stage) {
    fl_phase_expect(full + stage, 8192);
    fl_copy_bytes(stages + stage * 2048, x + part * 2048, 8192, full + stage);
  };
  if (thread == 0) {
    for (int i = 0; i < kLoads; ++i) fl_phase_init(full + i, 1);
    fl_phase_publish();
    for (int i = 0; i < kLoads; ++i) {
      if (fl_block() + i * fl_grid_size() < kCount / 2048) fetch(fl_block() + i * fl_grid_size(), i);
    }
  }
  fl_barrier();
  int stage = 0, parity = 0;
  float sum = 0.0f;
  for (long long part = fl_block(); part < kCount / 2048; part += fl_grid_size()) {
    fl_phase_wait(full + stage, parity);
    sum += stages[stage * 2048 + thread];
    fl_barrier();
    if (thread == 0 && part + kLoads * fl_grid_size() < kCount / 2048) fetch(part + kLoads * fl_grid_size(), stage);
    stage = stage + 1 == kLoads ? 0 : stage + 1;
    parity ^= stage == 0;
  }
  if (sum == 12345.0f) y[0] = sum;
}
)";

std::vector<InFlight> ways(bool has_engine) {
  std::vector<InFlight> all;
  for (const auto& [blocks, threads] :
       {std::pair{1, 256}, std::pair{1, 1024}, std::pair{2, 512}, std::pair{2, 1024}, std::pair{4, 512}}) {
    for (const int loads : {1, 2, 4, 8}) {
      if (blocks * threads * loads > 8192) continue;  // 128 KiB under way are enough for every device
      all.push_back({"loads", blocks, threads, loads, std::int64_t{16} * blocks * threads * loads});
    }
  }
  for (const int stages : {1, 2, 3, 4, 6, 8, 12, 24}) {
    if (has_engine) all.push_back({"engine", 1, 128, stages, std::int64_t{8192} * stages});
  }
  return all;
}

SourceModule source_of(const InFlight& way, std::int64_t count) {
  const bool engine = way.form == "engine";
  SourceModule source;
  source.language = "cuda";
  source.text = std::string(codegen::cuda_prelude()) + std::string(codegen::cuda_matrix_prelude()) +
                "constexpr int kThreads = " + std::to_string(way.threads) + ", kBlocks = " + std::to_string(way.blocks) +
                ", kLoads = " + std::to_string(way.each) + ";\nconstexpr long long kCount = " + std::to_string(count) + ";\n" +
                (engine ? kEngineText : kLoadsText);
  KernelAbi& abi = source.abi;
  source.entry = abi.entry = "stream_read";
  abi.arguments = {{"x", BufferRole::kIn, {DType::kF32, {count}}, 64}, {"y", BufferRole::kOut, {DType::kF32, {4}}, 64}};
  abi.grid_x.text = std::to_string(way.blocks) + " * multiprocessors";
  abi.block_x.text = std::to_string(way.threads);
  abi.shared_bytes.text = std::to_string(engine ? way.each * (8192 + 8) : 0);
  return source;
}

Result<double> seconds_of(FusionBackend& backend, DeviceRuntime& runtime, const SourceModule& source,
                          const std::vector<Buffer>& buffers) {
  CompiledKernel kernel;
  FL_TRY(kernel.binary, backend.compiler()->compile(source, runtime.info().target, OptimizationLevel::kO2, {}));
  kernel.abi = source.abi;
  kernel.identity.target = runtime.info().target.id;
  FL_TRY(const std::unique_ptr<Executable> loaded, runtime.load(kernel));
  double least = 0;
  for (int run = 0; run < kRuns; ++run) {
    FL_TRY(const Timing timing, runtime.time(std::vector{Launch{loaded.get(), buffers}}, 2));
    const double seconds = timing.duration.count * 1e-9 / 2;
    least = run == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

// With random bits: memory may be faster with zeros.
Status fill(DeviceRuntime& runtime, const Buffer& whole) {
  SeededRandom random(1);
  std::vector<std::uint32_t> bits(std::size_t{16} << 20);
  for (std::uint32_t& each : bits) each = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32));
  const auto bytes = std::as_bytes(std::span(bits));
  Buffer part = whole;
  for (; part.offset < whole.size.count; part.offset += part.size.count) {
    part.size.count = std::min<std::int64_t>(static_cast<std::int64_t>(bytes.size()), whole.size.count - part.offset);
    FL_TRY_VOID(runtime.upload(part, bytes.first(static_cast<std::size_t>(part.size.count))));
  }
  return {};
}

}  // namespace

Result<std::vector<InFlight>> sweep(FusionBackend& backend, DeviceRuntime& runtime, Bytes footprint, double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  const std::int64_t count = footprint.count / 8192 * 2048;
  FL_TRY(const Buffer x, runtime.allocate({count * 4}, BufferRole::kIn));
  FL_TRY(const Buffer y, runtime.allocate({16}, BufferRole::kOut));
  FL_TRY_VOID(fill(runtime, x));
  std::vector<InFlight> measured;
  for (InFlight& way : ways(cuda_features(runtime.info().target).copy_engine)) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds) break;
    const auto took = seconds_of(backend, runtime, source_of(way, count), {x, y});
    if (!took.ok() && took.error().code == ErrorCode::kUnsupported) continue;
    if (!took.ok()) return took.error();
    if (took.value() <= 0) continue;
    way.per_second = static_cast<double>(count) * 4 / took.value();
    measured.push_back(way);
  }
  FL_TRY_VOID(runtime.release(x));
  FL_TRY_VOID(runtime.release(y));
  return measured;
}

}  // namespace fuselab::primitives
