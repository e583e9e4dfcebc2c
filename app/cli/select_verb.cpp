// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/compare_text.h"
#include "app/cli/help_format.h"
#include "app/cli/json_output.h"
#include "app/cli/terminal.h"
#include "app/cli/verdict.h"
#include "app/session/plan_words.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

std::string plan_text(const session::CompareRow& row, bool fused) {
  return std::string(session::plan_word(fused ? PlanKind::kFused : PlanKind::kUnfused, row.single_operator));
}

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
    object["plan"] = plan_text(*selected.row, selected.fused);
    object["config"] = figure->config;
    object["median_ns"] = figure->median_ns;
    object["trial"] = figure->trial_id;
  }
  return object;
}

nlohmann::json models_json(const std::vector<session::CompareTable>& tables) {
  nlohmann::json models = nlohmann::json::array();
  for (auto const& table : tables) {
    nlohmann::json pieces = nlohmann::json::array();
    for (auto const& row : table.rows) pieces.push_back(selected_json(select_for(row)));
    models.push_back({{"model", table.model},
                      {"binding", table.binding},
                      {"level", table.level},
                      {"dtype", table.dtype},
                      {"also_measured", questions_json(table.also_measured)},
                      {"unchecked", table.unchecked},
                      {"pieces", pieces}});
  }
  return models;
}

void print_models(const std::vector<session::CompareTable>& tables) {
  Terminal const terminal = Terminal::of_stdout();
  for (auto const& table : tables) {
    std::printf("%s\n%s%s", terminal.bold(title_text(table)).c_str(), unchecked_text(table).c_str(),
                also_measured_text(table).c_str());
    for (auto const& row : table.rows) {
      Selected const selected = select_for(row);
      const session::Figure* const figure = figure_of(selected);
      std::string const device = figure != nullptr ? selected.cell->device_id : "none";
      std::printf("  %s → %s\n    %s\n", plain_line(row.name).c_str(), plain_line(device).c_str(), plain_text(row.reason).c_str());
      if (figure != nullptr)
        std::printf("    %s: %s\n", plan_text(row, selected.fused).c_str(), plain_line(figure->config).c_str());
    }
  }
}

ExitCode select(Invocation& invocation, const session::CompareSpec& spec) {
  auto const session = invocation.session();
  if (!session.ok()) return fail(invocation, session.error());
  say_what_was_taken(invocation, spec.subjects);
  auto const tables = session.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  Status const verdict = verdict_on_stored(tables.value(), *session.value(), spec);
  if (std::string const note = note_on_dtype(tables.value(), spec.dtype); !note.empty())
    std::fprintf(stderr, "fuselab: %s\n", plain_line(note).c_str());
  if (invocation.json)
    return print_document({{"schema", "fuselab.select/1"}, {"models", models_json(tables.value())}}, problem_of(verdict));
  print_models(tables.value());
  return verdict.ok() ? ExitCode::kOk : fail(invocation, verdict.error());
}

}  // namespace

void add_select_verb(CLI::App& app, Invocation& invocation) {
  auto const spec = std::make_shared<session::CompareSpec>();
  CLI::App* const command =
      app.add_subcommand("select", "Print the default backend and launch configuration per piece, with the numbers that decided");
  add_stored_options(*command, *spec, "Choose among these devices (cpu:0) or backends (cpu) only; several: repeat");
  show_examples(*command, {"fuselab select", "fuselab select llama-layer --json", "fuselab select w3 --device cpu"});
  command->callback([&invocation, spec] { invocation.action = [&invocation, spec] { return select(invocation, *spec); }; });
}

}  // namespace fuselab::cli
