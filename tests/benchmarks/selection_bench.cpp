// SPDX-License-Identifier: Apache-2.0
// What a decision of the selector costs (R204): on a snapshot of 10^5 measured pieces, by each of its three sources; and what
// reading such a snapshot from a database of 10^5 rows costs, which a decision does not wait for.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>

#include "core/graph/graph_text.h"
#include "core/select/piece_signature.h"
#include "core/select/selector.h"
#include "db/database.h"
#include "tests/support/synthetic_trials.h"

namespace fuselab {
namespace {

namespace fs = std::filesystem;

constexpr int kSizesOfASignature = 10;
constexpr int kDevices = 8;

CeilingTable ceilings_of(int device) {
  CeilingTable table;
  const double rate = 1e10 * (1 + device);
  table.rows.push_back({"flops", 0, 0, false, {0}, 2, 1e11, 1e11, 1e11});
  table.rows.push_back({"launch", 0, 0, false, {0}, 1, 1e6, 1e6, 1e6});
  for (int shift = 12; shift <= 28; ++shift)
    table.rows.push_back({"stream", 1, 1, false, {std::int64_t{1} << shift}, 2, rate, rate, rate});
  return table;
}

std::unique_ptr<Selector> selector_of(std::int64_t pieces) {
  std::vector<SelectableDevice> devices;
  for (int device = 0; device < kDevices; ++device)
    devices.push_back({"cuda:" + std::to_string(device), "cuda", ceilings_of(device), 1, false, false});
  std::vector<MeasuredPiece> measured;
  for (std::int64_t index = 0; index < pieces; ++index) {
    MeasuredPiece piece;
    piece.key = "key" + std::to_string(index);
    piece.signature = "signature" + std::to_string(index / kSizesOfASignature);
    piece.name = piece.key;
    piece.work = map_workload(std::int64_t{1024} << (2 * (index % kSizesOfASignature)), DType::kF32, 4);
    for (int device = 0; device < kDevices; ++device) {
      const double ns = 1000 + static_cast<double>(piece.work.traffic().count) / (10 * (1 + device));
      piece.times.push_back({devices[static_cast<std::size_t>(device)].id, ns, {0.99 * ns, 1.01 * ns}});
    }
    measured.push_back(std::move(piece));
  }
  return std::make_unique<Selector>(std::move(devices), std::move(measured));
}

void decide(benchmark::State& state, EstimateSource source) {
  static const std::unique_ptr<Selector> selector = selector_of(100'000);
  SelectionQuery query = query_of(selector->pieces()[50'005]);
  if (source != EstimateSource::kMeasured) query.key = "never measured";
  if (source == EstimateSource::kInterpolated) query.work = map_workload(3000, DType::kF32, 4);
  if (source == EstimateSource::kRule) query.signature = "never seen";
  for (auto _ : state) {
    const Selection selection = selector->select(query);
    if (selection.estimates[*selection.chosen].source != source) return state.SkipWithError("decided by another source");
    benchmark::DoNotOptimize(selection.chosen);
  }
}
BENCHMARK_CAPTURE(decide, measured, EstimateSource::kMeasured)->Name("select/measured")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide, interpolated, EstimateSource::kInterpolated)->Name("select/interpolated")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(decide, rule, EstimateSource::kRule)->Name("select/rule")->Unit(benchmark::kMicrosecond);

// From a piece's text to what the selector is asked, and the rule of one device.
void estimate(benchmark::State& state) {
  const std::unique_ptr<Selector> selector = selector_of(100);
  const DeviceModel model(selector->devices().front(), selector->pieces());
  const std::string text =
      "graph(i0: f32[4096,4096], p0: param f32[4096]) { v0 = Add(i0, p0); v1 = Gelu(v0, approximate=\"tanh\"); return v1 }";
  const Graph graph = parse_graph(text).value();
  for (auto _ : state) {
    const auto work = characterize(graph);
    benchmark::DoNotOptimize(piece_signature(text));
    benchmark::DoNotOptimize(model.time(work.value()));
  }
}
BENCHMARK(estimate)->Name("estimate_rule/w1")->Unit(benchmark::kMicrosecond);

// What is known best of each piece on each device, out of a database of so many rows, and the selector made of it.
void read_snapshot(benchmark::State& state) {
  const fs::path folder = fs::temp_directory_path() / "fuselab-selection-bench";
  fs::remove_all(folder);
  auto database = db::Database::open(folder / "bench.db", db::Access::kWrite, std::make_shared<db::Trust>(folder / "keys"));
  testing::SyntheticTrials world;
  world.count = state.range(0);
  world.pieces = 64;
  if (!database.ok() || !testing::fill_with_synthetic_trials(database.value()->store(), world).ok())
    return state.SkipWithError("no database");
  ResultQueries& queries = database.value()->queries();
  const StoreBatch basis = testing::synthetic_basis(world);
  const std::string metric = basis.metrics.front().key().hex();
  std::size_t figures = 0;
  for (auto _ : state) {
    std::vector<SelectableDevice> devices;
    for (const DeviceInfo& device : basis.devices) devices.push_back({device.id, device.backend, {}, 1, true, false});
    std::vector<MeasuredPiece> pieces;
    figures = 0;
    for (const PieceRecord& record : basis.pieces) {
      MeasuredPiece piece;
      piece.key = record.key;
      piece.signature = piece_signature(record.canonical_text);
      piece.name = record.name;
      const auto graph = parse_graph(record.canonical_text);
      if (graph.ok()) piece.work = characterize(graph.value()).value();
      for (std::size_t device = 0; device < basis.devices.size(); ++device) {
        const auto trials =
            queries.evidence({record.key, basis.devices[device].id, metric, basis.environments[device].key().hex()});
        if (!trials.ok() || trials.value().empty()) continue;
        const TrialRecord& trial = trials.value().front();
        piece.times.push_back({trial.device_id, trial.median_ns, {trial.low_ns, trial.high_ns}});
        ++figures;
      }
      pieces.push_back(std::move(piece));
    }
    const Selector selector(std::move(devices), std::move(pieces));
    benchmark::DoNotOptimize(selector.select(query_of(selector.pieces().front())).chosen);
  }
  if (figures == 0) return state.SkipWithError("nothing was read");
  state.counters["figures"] = static_cast<double>(figures);
  fs::remove_all(folder);
}
BENCHMARK(read_snapshot)->Name("select_snapshot/rows")->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fuselab
