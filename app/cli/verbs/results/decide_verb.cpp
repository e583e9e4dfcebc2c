// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/verdict.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/compare/standing/backend_decision.h"
#include "core/base/formatted.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::cli {
namespace {

using engine::BackendDecision;
using engine::DecidedModel;
using engine::DeviceOnModel;
using engine::DeviceStanding;
using nlohmann::json;

std::string ratio_text(const Ratio& ratio) {
  return formatted("%.3gx [%.3g, %.3g]", ratio.value, ratio.interval.low, ratio.interval.high);
}

std::string cell_text(const DeviceOnModel& model) {
  if (!model.slow_down) return "–";
  return ratio_text(*model.slow_down) + (model.elsewhere > 0 ? formatted(" +%d", model.elsewhere) : "");
}

std::string table_text(const BackendDecision& decision, const Terminal& terminal) {
  std::vector<Column> columns = {{"model"}, {"best mix", Align::kRight}};
  for (const DeviceStanding& device : decision.devices) columns.push_back({plain_line(device.device_id), Align::kRight});
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < decision.models.size(); ++i) {
    const DecidedModel& model = decision.models[i];
    auto& row = rows.emplace_back();
    row.push_back(plain_line(model.name) +
                  (model.covered < model.pieces ? formatted(" (%d of %d pieces)", model.covered, model.pieces) : ""));
    row.push_back(model.best_ns > 0 ? format_duration(Nanoseconds{model.best_ns}) : "–");
    for (const DeviceStanding& device : decision.devices) row.push_back(cell_text(device.models[i]));
  }
  auto& mean = rows.emplace_back(std::vector<std::string>{"geometric mean", ""});
  for (const DeviceStanding& device : decision.devices) mean.push_back(device.mean ? ratio_text(*device.mean) : "–");
  auto& runs = rows.emplace_back(std::vector<std::string>{"pieces that it runs", ""});
  for (const DeviceStanding& device : decision.devices) runs.push_back(formatted("%d of %d", device.own, device.pieces));
  return terminal.bold("Time of each device as a multiple of the best mix of all devices") + "\n" +
         render_table(columns, rows, terminal) +
         "Intervals hold what those of all pieces allow together. +2: two pieces run on the fastest other device.\n";
}

std::string missing_text(const BackendDecision& decision, const Terminal& terminal) {
  std::string text;
  for (const DeviceStanding& device : decision.devices) {
    for (const engine::MissingPieces& missing : device.missing)
      text += "  " + plain_line(device.device_id) + ": " + counted(missing.pieces, "piece") + ", first " +
              plain_line(missing.first) + ": " + plain_line(missing.reason) + "\n";
  }
  return text.empty() ? text : "\n" + terminal.bold("Not run") + "\n" + text;
}

json ratio_json(const Ratio& ratio) {
  return {{"value", ratio.value}, {"low", ratio.interval.low}, {"high", ratio.interval.high}};
}

json device_json(const DeviceStanding& device, const BackendDecision& decision) {
  json models = json::array(), missing = json::array();
  for (std::size_t i = 0; i < device.models.size(); ++i) {
    const DeviceOnModel& model = device.models[i];
    json entry = {{"model", decision.models[i].name},
                  {"own_pieces", model.own},
                  {"pieces_elsewhere", model.elsewhere},
                  {"pieces", model.pieces}};
    if (model.slow_down) {
      entry["slow_down"] = ratio_json(*model.slow_down);
      entry["time_ns"] = model.ns;
    } else {
      entry["why_not"] = model.why_not;
    }
    models.push_back(entry);
  }
  for (const engine::MissingPieces& each : device.missing)
    missing.push_back({{"reason", each.reason}, {"first", each.first}, {"pieces", each.pieces}});
  json object = {{"device", device.device_id},
                 {"backend", device.backend},
                 {"models", models},
                 {"missing", missing},
                 {"own_pieces", device.own},
                 {"pieces", device.pieces},
                 {"whole_models", device.whole_models}};
  if (device.mean) object["mean"] = ratio_json(*device.mean);
  return object;
}

json decision_json(const BackendDecision& decision) {
  json models = json::array(), devices = json::array();
  for (const DecidedModel& model : decision.models) {
    json entry = {{"model", model.name},      {"covered_pieces", model.covered}, {"pieces", model.pieces},
                  {"figures", model.figures}, {"disturbed", model.disturbed},    {"pieces_on", model.pieces_on}};
    if (model.best_ns > 0) entry["best_mix_ns"] = model.best_ns;
    if (model.newest_unix_ms > 0) {
      entry["oldest_unix_ms"] = model.oldest_unix_ms;
      entry["newest_unix_ms"] = model.newest_unix_ms;
    }
    models.push_back(entry);
  }
  for (const DeviceStanding& device : decision.devices) devices.push_back(device_json(device, decision));
  return {{"schema", "fuselab.decide/1"}, {"sentence", decision.sentence()}, {"models", models}, {"devices", devices}};
}

ExitCode decide(Invocation& invocation, const engine::CompareSpec& spec) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  say_what_was_taken(invocation, spec.subjects);
  const auto tables = engine.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  const Status verdict = verdict_on_stored(tables.value(), *engine.value(), spec);
  std::vector<std::shared_ptr<const engine::CompareTable>> shared;
  for (const engine::CompareTable& table : tables.value()) shared.push_back(std::make_shared<const engine::CompareTable>(table));
  const BackendDecision decision = engine::decide_backend(shared);
  if (invocation.json) return print_document(decision_json(decision), problem_of(verdict));
  if (!verdict.ok()) return fail(invocation, verdict.error());
  const Terminal terminal = Terminal::of_stdout();
  if (!decision.models.empty()) std::fputs(table_text(decision, terminal).c_str(), stdout);
  std::fputs(missing_text(decision, terminal).c_str(), stdout);
  std::printf("\n%s\n", plain_line(decision.sentence()).c_str());
  if (!decision.devices.empty() && decision.devices.front().mean)
    std::printf("`fuselab default set %s` makes it the default.\n", plain_line(decision.devices.front().backend).c_str());
  return ExitCode::kOk;
}

}  // namespace

void add_decide_verb(CLI::App& command, Invocation& invocation) {
  const auto spec = std::make_shared<engine::CompareSpec>();
  spec->at_once = true;
  add_stored_options(command, *spec, "Decide between these devices (cpu:0) or backends (cpu) only; several: repeat");
  add_run_option(command, *spec);
  show_examples(command, {"fuselab decide", "fuselab decide resnet50 bert-layer", "fuselab decide --device cpu --device onednn"});
  command.callback([&invocation, spec] { invocation.action = [&invocation, spec] { return decide(invocation, *spec); }; });
}

}  // namespace fuselab::cli
