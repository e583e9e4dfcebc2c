// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/cli/shell/usage.h"
#include "app/engine/measure/device_ceilings.h"
#include "core/base/plain_text.h"
#include "core/base/units.h"

namespace fuselab::cli {
namespace {

using engine::DeviceCeilings;

struct CeilingOptions {
  DeviceChoice devices;
  double seconds = 0.25;
};

std::string streams_text(const Ceiling& row) {
  if (row.kind != "stream") return "";
  return std::to_string(row.read_streams) + " read, " + std::to_string(row.write_streams) + " written";
}

std::string rate_text(const Ceiling& row, double per_second) {
  if (row.kind.rfind("launch", 0) == 0) return per_second > 0 ? format_duration({1e9 / per_second}) : "";
  char text[32];
  std::snprintf(text, sizeof text, row.kind.rfind("flops", 0) == 0 ? "%.1f GFLOP/s" : "%.1f GB/s", per_second * 1e-9);
  return text;
}

std::string ceilings_text(const std::vector<DeviceCeilings>& devices, const Terminal& terminal) {
  std::vector<std::vector<std::string>> cells;
  std::string refusals;
  for (const DeviceCeilings& each : devices) {
    if (!each.why_not.empty()) refusals += each.device.id + ": " + plain_line(each.why_not) + "\n";
    for (const Ceiling& row : each.rows) {
      cells.push_back({each.device.id, row.kind, streams_text(row), row.footprint.count > 0 ? format_bytes(row.footprint) : "",
                       row.form.empty() && row.nontemporal ? "bypassing caches" : row.form, std::to_string(row.threads),
                       rate_text(row, row.per_second), rate_text(row, row.low)});
    }
  }
  const std::vector<Column> columns = {{"device"},
                                       {"limit"},
                                       {"arrays"},
                                       {"working set", Align::kRight},
                                       {"form"},
                                       {"threads", Align::kRight},
                                       {"ceiling", Align::kRight},
                                       {"median", Align::kRight}};
  return (cells.empty() ? std::string() : render_table(columns, cells, terminal)) + refusals;
}

nlohmann::json ceilings_json(const std::vector<DeviceCeilings>& devices) {
  nlohmann::json list = nlohmann::json::array();
  for (const DeviceCeilings& each : devices) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Ceiling& row : each.rows) {
      rows.push_back({{"kind", row.kind},
                      {"read_streams", row.read_streams},
                      {"write_streams", row.write_streams},
                      {"nontemporal", row.nontemporal},
                      {"footprint_bytes", row.footprint.count},
                      {"form", row.form},
                      {"threads", row.threads},
                      {"per_second", row.per_second},
                      {"median_per_second", row.low}});
    }
    nlohmann::json object = {{"id", each.device.id}, {"name", each.device.name}, {"ceilings", rows}};
    if (!each.why_not.empty()) object["reason"] = each.why_not;
    list.push_back(std::move(object));
  }
  return {{"schema", "fuselab.ceilings/1"}, {"devices", list}};
}

Status outcome_of(const std::vector<DeviceCeilings>& devices) {
  const bool any = std::any_of(devices.begin(), devices.end(), [](const DeviceCeilings& each) { return !each.rows.empty(); });
  if (any) return {};
  return Error{ErrorCode::kUnavailable, "nothing was measured: " + (devices.empty() ? "no device" : devices.front().why_not)};
}

ExitCode ceilings(Invocation& invocation, const CeilingOptions& options) {
  const auto measured = engine::measure_ceilings(invocation.config, options.devices, options.seconds);
  if (!measured.ok()) return fail(invocation, measured.error());
  const Status outcome = outcome_of(measured.value());
  if (invocation.json)
    return print_document(ceilings_json(measured.value()), outcome.ok() ? std::nullopt : std::optional(outcome.error()));
  std::fputs(ceilings_text(measured.value(), Terminal::of_stdout()).c_str(), stdout);
  return outcome.ok() ? ExitCode::kOk : fail(invocation, outcome.error());
}

}  // namespace

void add_ceilings_verb(CLI::App& command, Invocation& invocation) {
  const auto options = std::make_shared<CeilingOptions>();
  add_device_options(command, options->devices, "This device (cpu:0) or backend (cpu) only; several: repeat");
  command.add_option("--seconds", options->seconds, "Time for each figure")
      ->type_name("S")
      ->capture_default_str()
      ->check(above_zero());
  show_examples(command, {"fuselab ceilings", "fuselab ceilings --device cpu --seconds 0.5"});
  command.callback(
      [&invocation, options] { invocation.action = [&invocation, options] { return ceilings(invocation, *options); }; });
}

}  // namespace fuselab::cli
