// SPDX-License-Identifier: Apache-2.0
#include "app/engine/recording.h"

#include <algorithm>
#include <set>

#include "app/engine/compare/recorded_devices.h"
#include "app/engine/own/own_file.h"
#include "app/engine/tensors/gzip_file.h"
#include "core/base/ascii.h"
#include "core/base/plain_text.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "core/measure/loop/series_looks.h"
#include "core/measure/protocol.h"
#include "core/platform/system/clock.h"
#include "core/platform/system/uuid.h"
#include "core/store/result_store.h"
#include "db/database.h"
#include "tuner/formats/recorded_formats.h"

namespace fuselab::engine {
namespace {

constexpr Bytes kLargest{std::int64_t{512} << 20};
constexpr std::string_view kTritonCache = ".autotune.json";

// The words of a file's name: "convolution_A100.T4.json.gz" is of the kernel "convolution" on "A100".
std::pair<std::string, std::string> named_by(const std::filesystem::path& file) {
  std::string stem = file.filename().string();
  if (stem.ends_with(kTritonCache)) return {stem.substr(0, stem.size() - kTritonCache.size()), ""};  // "matmul_kernel": no device
  stem = stem.substr(0, stem.find('.'));
  const std::size_t between = stem.rfind('_');
  if (between == std::string::npos || between == 0) return {stem, ""};
  return {stem.substr(0, between), stem.substr(between + 1)};
}

// A parameter's name as the definition of a kernel takes it.
std::string as_name(const std::string& text) {
  std::string name;
  for (const char c : text.substr(0, 60)) name += is_letter(c) || is_digit(c) ? c : '_';
  return name.empty() || !is_letter(name.front()) ? "p" + name : name;
}

// The graph that stands for a kernel whose text is not known: its parameters tell it apart.
Result<Graph> graph_of_recorded(const std::string& name, const std::vector<tuner::RecordedTrial>& trials) {
  OwnKernel kernel;
  kernel.name = name;
  kernel.language = kRecordedLanguage;
  kernel.function = "recorded";
  kernel.source_name = name;
  OwnArgument output;
  output.name = "result";
  output.role = OwnRole::kOut;
  output.shape = {Dim(1)};
  kernel.arguments = {output};
  // Names alone: recordings of two devices, which need not have tried the same values, are of one kernel.
  std::set<std::string> names;
  for (const tuner::RecordedTrial& trial : trials) {
    for (const auto& [parameter, value] : trial.config.values()) names.insert(as_name(parameter));
  }
  for (const std::string& parameter : names) {
    OwnParameter& each = kernel.parameters.emplace_back();
    each.name = parameter;
    each.values = {"recorded"};
    each.otherwise = "recorded";
  }
  return graph_of(kernel);
}

DeviceInfo recorded_device(const std::string& name) {
  DeviceInfo device;
  std::string slug;
  for (const char c : name) slug += is_letter(c) || is_digit(c) ? c : '-';
  device.id = std::string(kRecordedBackend) + ":" + slug;
  device.backend = std::string(kRecordedBackend);
  device.type = "gpu";
  device.name = name + " (recorded elsewhere)";
  device.uuid = ContentHash::of("recorded " + name).hex();
  return device;
}

TrialRecord record_of(const tuner::RecordedTrial& recorded, const std::string& kernel) {
  TrialRecord record;
  record.id = platform::make_uuid();
  record.backend = std::string(kRecordedBackend);
  record.config = recorded.config.text();
  record.plan_key = ContentHash::of("recorded " + kernel + " " + record.config).hex();
  record.result.outcome = recorded.outcome;
  record.result.reason = recorded.reason;
  record.result.verification.passed = recorded.outcome == Outcome::kTimed;
  record.result.verification.detail = "as the recording says";
  record.compile_time = {recorded.compile_ns};
  record.block_id = platform::make_uuid();  // trials of a recording were not measured in turns
  record.process_id = record.block_id;
  record.origin = Origin::kImported;
  record.created_unix_ms = platform::unix_milliseconds();
  if (recorded.outcome != Outcome::kTimed) return record;
  record.result.samples = recorded.runtimes_ns;
  const Summary summary = summarize_series(record.result.samples);
  record.median_ns = summary.median;
  record.low_ns = summary.interval.low;
  record.high_ns = summary.interval.high;
  return record;
}

RunRecord run_of(const std::filesystem::path& file) {
  RunRecord run;
  run.id = platform::make_uuid();
  run.verb = kRecordedVerb;
  run.command = "fuselab db import " + file.filename().string();
  run.tool_version = std::string(tool_version());
  run.state = "finished";
  run.started_unix_ms = run.finished_unix_ms = platform::unix_milliseconds();
  return run;
}

}  // namespace

Result<ImportedRecording> import_recording(const Config& config, const std::filesystem::path& file, const std::string& kernel,
                                           const std::string& device_name) {
  FL_TRY(const std::string text, read_maybe_gzip(file, kLargest));
  auto read = tuner::parse_recording(text);
  if (!read.ok()) return read.error().within(file.filename().string());
  const tuner::RecordedSpace& recorded = read.value();
  const auto [stem_kernel, stem_device] = named_by(file);
  const auto first_of = [](std::initializer_list<std::string> names) {
    const auto given = std::ranges::find_if(names, [](const std::string& name) { return !name.empty(); });
    return given == names.end() ? std::string("unknown") : plain_line(*given);
  };
  ImportedRecording imported;
  imported.kernel = first_of({kernel, recorded.name, stem_kernel});
  if (is_builtin_subject(imported.kernel)) imported.kernel += "-recorded";  // its name is that of what is measured here
  imported.device = first_of({device_name, recorded.device, stem_device});

  StoreBatch batch;
  const RunRecord run = run_of(file);
  batch.runs = {run};
  imported.run_id = run.id;
  FL_TRY(const Graph graph, graph_of_recorded(imported.kernel, recorded.trials));
  PieceRecord piece;
  piece.canonical_text = canonical_text(graph);
  piece.key = graph_key(graph).hex();
  piece.name = imported.kernel;
  piece.pattern = "Single";
  batch.pieces = {piece};
  ModelPieceRecord use;
  use.run_id = run.id;
  use.model = imported.kernel;
  use.piece_key = piece.key;
  use.name = imported.kernel;
  use.level = "O2";
  batch.model_pieces = {use};
  const DeviceInfo device = recorded_device(imported.device);
  imported.device_id = device.id;
  batch.devices = {device};
  const EnvironmentIdentity environment = recorded_environment(device);
  batch.environments = {environment};
  MetricIdentity metric = metric_of(Protocol());
  batch.metrics = {metric};
  for (const tuner::RecordedTrial& each : recorded.trials) {
    TrialRecord record = record_of(each, imported.kernel);
    record.run_id = run.id;
    record.piece_key = piece.key;
    record.device_id = device.id;
    record.metric_key = metric.key().hex();
    record.environment_key = environment.key().hex();
    BlockRecord block;
    block.id = record.block_id;
    batch.blocks.push_back(std::move(block));
    imported.timed += each.outcome == Outcome::kTimed ? 1 : 0;
    batch.trials.push_back(std::move(record));
  }
  imported.trials = static_cast<std::int64_t>(batch.trials.size());
  FL_TRY(auto database, db::Database::open(config.database, db::Access::kWrite, std::make_shared<db::Trust>(config.key_directory)));
  FL_TRY_VOID(database->store().commit(batch));
  return imported;
}

}  // namespace fuselab::engine
