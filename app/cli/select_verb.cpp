// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/terminal.h"

namespace fuselab::cli {
namespace {

struct Selected {
  const session::CompareRow* row = nullptr;
  const session::CompareCell* cell = nullptr;  // null: nothing measured
  bool fused = true;
};

// The recommended device's cell and which of its two plans the choice fell on.
Selected select_for(const session::CompareRow& row) {
  Selected selected{&row, nullptr, true};
  for (auto const& cell : row.cells) {
    if (cell.device_id != row.recommended_device) continue;
    selected.cell = &cell;
    selected.fused = row.recommended_plan == PlanKind::kFused;
  }
  return selected;
}

const session::Figure* figure_of(const Selected& selected) {
  if (selected.cell == nullptr) return nullptr;
  auto const& cell = selected.fused ? selected.cell->fused : selected.cell->unfused;
  return cell.figure ? &*cell.figure : nullptr;
}

nlohmann::json selected_json(const Selected& selected) {
  nlohmann::json object = {{"piece", selected.row->piece_key}, {"name", selected.row->name}, {"reason", selected.row->reason}};
  if (const session::Figure* figure = figure_of(selected)) {
    object["device"] = selected.cell->device_id;
    object["backend"] = selected.cell->backend;
    object["plan"] = selected.fused ? "fused" : "unfused";
    object["config"] = figure->config;
    object["median_ns"] = figure->median_ns;
    object["trial"] = figure->trial_id;
  }
  return object;
}

ExitCode select(Invocation& invocation, const session::JobSpec& spec) {
  auto const session = invocation.session();
  if (!session.ok()) return fail(invocation, session.error());
  auto const tables = session.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  nlohmann::json models = nlohmann::json::array();
  int measured = 0;
  Terminal const terminal = Terminal::of_stdout();
  for (auto const& table : tables.value()) {
    nlohmann::json pieces = nlohmann::json::array();
    if (!invocation.json)
      std::printf("%s\n", terminal.bold(table.model + (table.binding.empty() ? "" : " (" + table.binding + ")")).c_str());
    for (auto const& row : table.rows) {
      Selected const selected = select_for(row);
      const session::Figure* const figure = figure_of(selected);
      measured += figure != nullptr ? 1 : 0;
      pieces.push_back(selected_json(selected));
      if (invocation.json) continue;
      std::printf("  %s → %s\n    %s\n", row.name.c_str(), figure != nullptr ? selected.cell->device_id.c_str() : "none",
                  row.reason.c_str());
      if (figure != nullptr) std::printf("    %s: %s\n", selected.fused ? "fused" : "unfused", figure->config.c_str());
    }
    models.push_back({{"model", table.model}, {"binding", table.binding}, {"pieces", pieces}});
  }
  if (invocation.json) {
    std::puts(nlohmann::json{{"schema", "fuselab.select/1"}, {"models", models}}
                  .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                  .c_str());
  }
  if (measured > 0) return ExitCode::kOk;
  if (!invocation.json) std::puts("Nothing measured here yet, so nothing is selected; `fuselab run` measures.");
  return ExitCode::kNothingMatched;
}

}  // namespace

void add_select_verb(CLI::App& app, Invocation& invocation) {
  auto const spec = std::make_shared<session::JobSpec>();
  CLI::App* const command =
      app.add_subcommand("select", "Print the default backend and launch configuration per piece, with the numbers that decided");
  command->add_option("SUBJECT", spec->subjects, "As for run; none: everything that was measured");
  add_shape_option(*command, spec->bindings);
  command->add_option("--device", spec->devices, "Choose among these devices or backends only; several: repeat")->take_all();
  command->add_option("--dtype", spec->dtype, "Element type of built-in workloads")->capture_default_str();
  command->add_option("--level", spec->level, "Optimisation level")->capture_default_str();
  command->callback([&invocation, spec] { invocation.action = [&invocation, spec] { return select(invocation, *spec); }; });
}

}  // namespace fuselab::cli
