// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/canned.h"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "core/base/version.h"
#include "core/platform/machine/machine.h"

namespace fuselab::gui::test {
namespace {

constexpr std::int64_t kNow = 1'760'000'000'000;

DeviceInfo cpu_device() {
  DeviceInfo device;
  device.id = "cpu:0";
  device.backend = "cpu";
  device.type = "cpu";
  device.name = "Fictional 16-core processor at 3.4 GHz";
  device.uuid = "cafe0001";
  device.total_memory_bytes = std::int64_t{64} << 30;
  device.free_memory_bytes = std::int64_t{51} << 30;
  device.compute_units = 16;
  device.driver_version = "Linux 6.1.0";
  device.properties = {
      {"governor", "performance"}, {"l2", "1 MiB per core"}, {"l3", "32 MiB"}, {"microcode", "0xa101148"}, {"smt", "off"}};
  device.target = {"x86-64-v4", "x86-64", {{"vector_bytes", 64}, {"max_threads", 16}, {"l3_bytes", 32 << 20}}};
  device.other_targets = {{"x86-64-v3", "x86-64", {}}, {"x86-64-v2", "x86-64", {}}};
  return device;
}

DeviceInfo null_device() {
  DeviceInfo device;
  device.id = "null:0";
  device.backend = "null";
  device.type = "synthetic";
  device.name = "scripted latencies";
  device.uuid = "cafe0002";
  device.synthetic = true;
  device.target = {"null-1", "null", {}};
  return device;
}

BackendReport backend(std::string id, std::string name, std::string kind, std::string reason, std::vector<DeviceInfo> devices) {
  BackendReport report;
  report.id = std::move(id);
  report.display_name = std::move(name);
  report.kind = std::move(kind);
  report.availability = reason.empty() ? Availability::available() : Availability::unavailable(std::move(reason));
  report.devices = std::move(devices);
  if (report.availability.usable)
    report.capabilities.patterns = {"ElementWise", "ReductionThenElementWise", "Softmax", "Normalization"};
  return report;
}

engine::Cell measured(double ns, const char* config) {
  engine::Cell cell;
  cell.state = engine::CellState::kMeasured;
  cell.figure =
      engine::Figure{ns, {ns * 0.985, ns * 1.02}, "trial-" + std::to_string(static_cast<int>(ns)), config, true, 0, 0, ""};
  return cell;
}

engine::Cell failed(std::string reason) {
  engine::Cell cell;
  cell.state = engine::CellState::kFailed;
  cell.reason = std::move(reason);
  return cell;
}

struct PieceFigures {
  const char* name;
  const char* pattern;
  int count;
  double unfused_ns, fused_ns, ideal_ns;  // 0: not measured
  std::int64_t bytes;
  double flops;
  const char* failure;
};

constexpr std::array<PieceFigures, 10> kPieces = {{
    {"stage3/conv2/relu", "ConvActivation", 6, 4.1e6, 3.6e6, 1.2e6, 3'400'000, 4.6e8, nullptr},
    {"encoder/attention/softmax", "Softmax", 12, 912e3, 388e3, 240e3, 6'300'000, 1.2e7, nullptr},
    {"encoder/residual_norm", "ResidualNorm", 24, 251e3, 118e3, 96e3, 2'400'000, 4.7e6, nullptr},
    {"encoder/ffn/gelu", "ElementWise", 12, 402e3, 291e3, 203e3, 5'100'000, 9.4e6, nullptr},
    {"decoder/swiglu", "SwiGlu", 8, 733e3, 801e3, 402e3, 9'900'000, 8.1e6, nullptr},
    {"stage1/conv1/bn/relu", "ConvBatchNorm", 3, 1.93e6, 1.91e6, 0.81e6, 2'600'000, 2.3e8, nullptr},
    {"decoder/rope", "RotaryEmbedding", 16, 64.2e3, 22.1e3, 17.9e3, 460'000, 1.1e6, nullptr},
    {"classifier/gemm", "LinearActivation", 1, 0, 0, 0, 8'200'000, 4.1e6, nullptr},
    {"stage4/downsample", "ConvBatchNorm", 1, 0, 0, 0, 1'900'000, 1.0e8,
     "wrong-result: output 0 at [0,511,6,6]: 0.25, expected 0.5 (tolerance 1.2e-4)"},
    {"encoder/mask", "ElementWise", 12, 0, 0, 0, 780'000, 2.0e5, nullptr},
}};

std::string key_of(std::size_t piece) {
  return "0123456789abcdef" + std::to_string(100 + piece);
}

engine::CompareCell compare_cell(const PieceFigures& piece, const std::string& device, double factor) {
  engine::CompareCell cell;
  cell.device_id = device;
  cell.backend = device.substr(0, device.find(':'));
  if (piece.failure != nullptr) {
    cell.fused = failed(piece.failure);
    cell.unfused = failed(piece.failure);
    return cell;
  }
  if (piece.fused_ns <= 0) return cell;
  cell.unfused = measured(piece.unfused_ns * factor, "vector=8,threads=8;vector=8,threads=8");
  cell.fused = measured(piece.fused_ns * factor, "vector=16,unroll=4,threads=16,nontemporal=1");
  const double gain = piece.unfused_ns / piece.fused_ns;
  cell.gain = Ratio{gain, {gain * 0.97, gain * 1.03}};
  cell.ideal_ns = piece.ideal_ns * factor;
  cell.share_of_ceiling = piece.ideal_ns / piece.fused_ns;
  cell.memory_bound = piece.flops / static_cast<double>(piece.bytes) < 10;
  return cell;
}

Ceiling bandwidth(int reads, int writes, bool nontemporal, std::int64_t footprint, double gigabytes) {
  return {"stream", reads, writes, nontemporal, Bytes{footprint}, 16, gigabytes * 1e9, gigabytes * 0.98e9, gigabytes * 1.015e9};
}

CeilingTable canned_ceilings() {
  CeilingTable table;
  const std::pair<std::int64_t, double> sizes[] = {{1 << 20, 610}, {8 << 20, 420}, {64 << 20, 142}, {std::int64_t{512} << 20, 138}};
  for (const auto& [footprint, rate] : sizes) {
    table.rows.push_back(bandwidth(1, 1, false, footprint, rate * 0.82));
    table.rows.push_back(bandwidth(1, 1, true, footprint, rate * (footprint > (32 << 20) ? 1.0 : 0.4)));
    table.rows.push_back(bandwidth(2, 1, false, footprint, rate * 0.88));
  }
  Ceiling peak;
  peak.kind = "flops";
  peak.threads = 16;
  peak.per_second = 1.41e12;
  peak.low = 1.40e12;
  peak.high = 1.42e12;
  table.rows.push_back(peak);
  return table;
}

Protocol cold_protocol() {
  Protocol protocol;
  protocol.mode = CacheMode::kCold;
  return protocol;
}

ModelPieceRecord use_of(const char* model, const char* binding, std::size_t piece) {
  ModelPieceRecord use;
  use.run_id = "run-1";
  use.model = model;
  use.binding = binding;
  use.piece_key = key_of(piece);
  use.name = kPieces[piece].name;
  use.position = static_cast<int>(piece);
  return use;
}

}  // namespace

std::vector<BackendReport> canned_backends() {
  return {backend("null", "Null", "compute", "", {null_device()}),
          backend("cpu", "CPU", "compute", "", {cpu_device()}),
          backend("cuda", "CUDA", "compute", "libcuda.so.1 not found: install the NVIDIA driver", {}),
          backend("hip", "HIP", "compute", "libamdhip64.so not found: install ROCm", {}),
          backend("opencl", "OpenCL", "compute", "libOpenCL.so.1 was loaded but offers no platform", {}),
          backend("triton", "Triton", "compiler", "not driven by this version", {}),
          backend("onednn", "oneDNN", "library", "not driven by this version", {}),
          backend("xla", "XLA", "compiler", "not driven by this version", {})};
}

engine::CompareTable canned_table() {
  engine::CompareTable table;
  table.model = "bert-base-layer";
  table.binding = "batch=1,seq=128";
  table.covered_share = 0.97;
  const std::pair<const char*, double> devices[] = {{"cpu:0", 1.0}, {"opencl:0", 1.31}};
  for (std::size_t index = 0; index < kPieces.size(); ++index) {
    const PieceFigures& piece = kPieces[index];
    engine::CompareRow row;
    row.piece_key = key_of(index);
    row.name = piece.name;
    row.pattern = piece.pattern;
    row.count = piece.count;
    row.cost.read = Bytes{piece.bytes * 2 / 3};
    row.cost.written = Bytes{piece.bytes / 3};
    row.cost.eager_read = Bytes{piece.bytes * static_cast<std::int64_t>(index + 4) / 3};
    row.cost.eager_written = Bytes{piece.bytes * 2 / 3};
    row.cost.flops = piece.flops;
    row.graph = "graph(i0: f32[1,128]) { v0 = Relu(i0); return v0 }";
    for (const auto& [device, factor] : devices) row.cells.push_back(compare_cell(piece, device, factor));
    if (piece.fused_ns > 0) {
      row.share_of_model = piece.fused_ns * piece.count / 41.6e6;
      row.recommended_device = "cpu:0";
      row.reason = piece.fused_ns > piece.unfused_ns ? "run unfused: the fused kernel is slower" : "fastest verified of 2 devices";
      row.to_be_won_ns = piece.count * (piece.fused_ns - piece.ideal_ns);
    } else {
      row.reason = piece.failure != nullptr ? "no verified kernel" : "not measured yet";
    }
    table.rows.push_back(std::move(row));
  }
  table.rows[0].cells[0].tuning = {"vector=4,threads=1", "vector=8,threads=2", "improved", 0.8, 0.78, 0.82, 6, "", false};
  table.rows[1].cells[0].tuning = {"vector=8,threads=2", "vector=8,threads=1", "equivalent", 1.0, 0.99, 1.01, 6, "", false};
  table.totals = {{"cpu:0", 71.9e6, 54.6e6, 24.4e6, 0, 7, 10},
                  {"opencl:0", 94.2e6, 71.5e6, 31.9e6, 0, 7, 10},
                  {"best mix", 71.0e6, 53.2e6, 24.4e6, 0.31e6, 7, 10}};
  for (engine::ModelTotal& total : table.totals) {
    total.best_ns = total.fused_ns;
    total.best_interval = {0.985 * total.fused_ns, 1.02 * total.fused_ns};
  }
  return table;
}

engine::CompareTable canned_doubtful_table() {
  engine::CompareTable table = canned_table();
  engine::CompareCell& withheld = table.rows[1].cells[1];
  withheld.fused.state = withheld.unfused.state = engine::CellState::kWithheld;
  withheld.fused.withheld = std::exchange(withheld.fused.figure, std::nullopt);
  withheld.fused.share_of_ceiling = 1.09;
  withheld.fused.reason = "fused withheld: faster than the device's measured ceiling allows, which was measured 3 times more";
  withheld.unfused.figure.reset();
  withheld.unfused.reason = "no pair: " + withheld.fused.reason;
  withheld.gain.reset();
  withheld.share_of_ceiling.reset();
  for (std::size_t row : {0, 2, 3})
    table.rows[row].cells[0].fused.figure->disturbance = "disturbed while timing: 31 involuntary context switches in 0.4 s";
  table.rows[2].cells[0].gain_processes = 6;
  engine::ModelTotal& completed = table.totals[1];
  completed.measured_pieces = 6;
  completed.completed_pieces = completed.best_elsewhere = 1;
  completed.completed_ns = 12.5e6;
  completed.completed_unfused_ns = 17e6;
  return table;
}

engine::CompareCell unmeasured_cell(const std::string& device) {
  engine::CompareCell cell;
  cell.device_id = device;
  cell.backend = device.substr(0, device.find(':'));
  return cell;
}

Catalog canned_catalog() {
  Catalog catalog;
  RunRecord run;
  run.id = "run-1";
  run.verb = "run";
  run.command = "fuselab run";
  run.state = "finished";
  run.started_unix_ms = kNow;
  catalog.runs = {run};
  for (std::size_t index = 0; index < kPieces.size(); ++index) {
    PieceRecord piece;
    piece.key = key_of(index);
    piece.name = kPieces[index].name;
    piece.pattern = kPieces[index].pattern;
    piece.canonical_text = "graph(i0: f32[1,128," + std::to_string(64 * (index + 1)) +
                           "], p0: param f32[64]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }";
    catalog.pieces.push_back(std::move(piece));
    // The classifier is the only one that the second model has, too.
    if (index > 0) catalog.model_pieces.push_back(use_of("bert-base-layer", "batch=1,seq=128", index));
  }
  catalog.model_pieces.push_back(use_of("resnet50", "batch=1", 0));
  catalog.metrics = {{kWarmMetric, metric_of(Protocol())}, {kColdMetric, metric_of(cold_protocol())}};
  catalog.devices = {cpu_device(), null_device()};
  // The processor as it is now, and as an older version of the program saw it.
  const EnvironmentIdentity now =
      platform::environment_identity(platform::machine_facts(), cpu_device(), std::string(tool_version()));
  EnvironmentIdentity older = now;
  older.tool_version = "0.0.1";
  CeilingTable older_ceilings = canned_ceilings();
  older_ceilings.rows.resize(1);
  catalog.environments = {{older.key().hex(), older}, {now.key().hex(), now}};
  catalog.ceilings = {{older.key().hex(), older_ceilings}, {now.key().hex(), canned_ceilings()}};
  return catalog;
}

TrialRow canned_row(std::int64_t index) {
  SeededRandom random(static_cast<std::uint64_t>(index) + 1);
  const std::size_t piece = random.below(7);
  const PieceFigures& figures = kPieces[piece];
  TrialRow row;
  row.sequence = 10'000'000 - index;
  row.id = "trial-" + std::to_string(index);
  row.run_id = "run-1";
  row.piece_key = key_of(piece);
  row.piece_name = figures.name;
  row.pattern = figures.pattern;
  row.device_id = "cpu:0";
  row.backend = "cpu";
  row.kind = random.below(3) == 0 ? PlanKind::kUnfused : PlanKind::kFused;
  row.config = "vector=" + std::to_string(4 << random.below(3)) + ",unroll=" + std::to_string(1 << random.below(4)) +
               ",threads=" + std::to_string(1 << random.below(5));
  row.created_unix_ms = kNow - index * 1370;
  row.metric_key = index % 5 == 4 ? kColdMetric : kWarmMetric;
  switch (random.below(12)) {
    case 0:
      row.outcome = "compile-error";
      row.reason = "cc: error: unrecognized option '-mavx9'";
      return row;
    case 1:
      row.outcome = "wrong-result";
      row.reason = "output 0 at [3,17]: 0.25, expected 0.5";
      return row;
    case 2:
      row.outcome = "dropped";
      row.reason = "2.8x the best after 3 samples";
      return row;
    default: row.outcome = "timed";
  }
  row.median_ns = (row.kind == PlanKind::kFused ? figures.fused_ns : figures.unfused_ns) * (1 + random.unit());
  row.low_ns = row.median_ns * 0.98;
  row.high_ns = row.median_ns * 1.03;
  row.retimed = random.below(9) == 0;
  return row;
}

TrialRecord canned_record(const TrialRow& row) {
  TrialRecord record;
  record.id = row.id;
  record.run_id = row.run_id;
  record.piece_key = row.piece_key;
  record.device_id = row.device_id;
  record.backend = row.backend;
  record.kind = row.kind;
  record.config = row.config;
  record.metric_key = row.metric_key;
  record.kernel_keys = {"kernel-1"};
  record.median_ns = row.median_ns;
  record.low_ns = row.low_ns;
  record.high_ns = row.high_ns;
  record.retimed = row.retimed;
  record.created_unix_ms = row.created_unix_ms;
  record.compile_time = Nanoseconds{184e6};
  record.result.outcome = parse_outcome(row.outcome).value();
  record.result.reason = row.reason;
  record.result.verification.passed = row.median_ns > 0;
  record.result.verification.checked = 98'304;
  record.result.verification.worst_ratio = 0.21;
  SeededRandom random(7);
  for (int sample = 0; row.median_ns > 0 && sample < 24; ++sample) {
    record.result.samples.push_back(row.median_ns * (0.985 + 0.03 * random.unit() + (sample % 11 == 7 ? 0.04 : 0.0)));
  }
  record.result.inner_repetitions = 12;
  return record;
}

engine::GraphView canned_graph(int blocks) {
  engine::GraphView view;
  view.model = "resnet50";
  auto node = [&view](const char* label, int group) {
    const int index = static_cast<int>(view.nodes.size());
    view.nodes.push_back({"v" + std::to_string(index), label,
                          std::string("/") + label + "_" + std::to_string(index) + "\n→ f32[1,64,56,56]", group});
    return index;
  };
  auto edge = [&view](int from, int to, const char* rejected) { view.edges.push_back({from, to, "f32[1,64,56,56]", rejected}); };
  auto group = [&view](const char* pattern) {
    const int index = static_cast<int>(view.groups.size());
    view.groups.push_back(
        {"block" + std::to_string(index) + "/" + pattern, pattern, key_of(static_cast<std::size_t>(index) % kPieces.size())});
    return index;
  };
  int last = node("Conv", group("ConvBatchNorm"));
  for (int block = 0; block < blocks; ++block) {
    const int input = last;
    for (int layer = 0; layer < 2; ++layer) {
      const int conv_group = group("ConvBatchNorm");
      const int conv = node("Conv", conv_group), norm = node("BatchNormalization", conv_group), relu = node("Relu", conv_group);
      edge(last, conv, "Conv reads all channels of its input: a halo of 1 would be computed 9 times");
      edge(conv, norm, "");
      edge(norm, relu, "");
      last = relu;
    }
    const int add_group = group("ElementWise");
    const int add = node("Add", add_group), relu = node("Relu", add_group);
    edge(last, add, "Relu is the last operator that fits the convolution's pattern");
    edge(input, add, "the residual is read by two consumers");
    edge(add, relu, "");
    last = relu;
  }
  return view;
}

}  // namespace fuselab::gui::test
