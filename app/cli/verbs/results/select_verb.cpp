// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/output/compare_text.h"
#include "app/cli/output/verdict.h"
#include "app/cli/shell/command.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/compare/selection.h"
#include "app/engine/profile/profile_subject.h"
#include "app/views/choice.h"
#include "app/views/decision_words.h"
#include "app/views/figure_marks.h"
#include "app/views/plan_words.h"
#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

std::string plan_text(const engine::CompareRow& row, bool fused) {
  return std::string(engine::plan_word(fused ? PlanKind::kFused : PlanKind::kUnfused, row.single_operator));
}

struct Selected {
  const engine::CompareRow* row = nullptr;
  const engine::CompareCell* cell = nullptr;  // null: nothing measured
  bool fused = true;
  std::optional<DeviceEstimate> estimate;  // where nothing was measured of the piece, and something of others
  std::string reason;
  std::vector<Recommendation> advice;
  std::optional<BoundVerdict> bound;  // of the stored profile of what was chosen
  std::string why_no_bound;           // why there can be no profile here
  std::string profile_with;           // the command that makes one, where advice is asked for and there is none
};
using SelectedModels = std::vector<std::vector<Selected>>;  // per table, per row

// The recommended device's cell and which of its two plans the choice fell on.
Selected select_for(const engine::CompareRow& row) {
  Selected selected;
  selected.row = &row;
  selected.reason = row.reason;
  for (const auto& cell : row.cells) {
    if (cell.device_id != row.recommended_device) continue;
    selected.cell = &cell;
    selected.fused = row.recommended_plan == PlanKind::kFused;
  }
  return selected;
}

const engine::Figure* figure_of(const Selected& selected) {
  if (selected.cell == nullptr) return nullptr;
  const auto& cell = selected.fused ? selected.cell->fused : selected.cell->unfused;
  return cell.figure ? &*cell.figure : nullptr;
}

bool lacks_figure(const Selected& selected) {
  return selected.cell == nullptr && !selected.row->graph.empty() && !selected.row->runs_nothing;
}

// Returns whether the piece was measured but may not be chosen, since it loses NaN.
bool is_withheld(const engine::CompareCell& cell) {
  return cell.fused.figure && !cell.fused.figure->is_choosable();
}

bool was_tried(const engine::CompareCell& cell) {
  const engine::CellState state = cell.fused.state;
  return is_withheld(cell) || state == engine::CellState::kFailed || state == engine::CellState::kExcluded ||
         state == engine::CellState::kWithheld;
}

// Neither measured nor tried anywhere.
bool is_unknown(const Selected& selected) {
  return lacks_figure(selected) && std::none_of(selected.row->cells.begin(), selected.row->cells.end(), was_tried);
}

// Takes the estimate, unless the piece was already tried on the estimated device.
void take_estimate(Selected& selected, const Selection& selection) {
  if (!selection.chosen) return;
  const DeviceEstimate& estimate = selection.estimates[*selection.chosen];
  const bool failed = std::any_of(selected.row->cells.begin(), selected.row->cells.end(), [&](const engine::CompareCell& cell) {
    return cell.device_id == estimate.device_id && was_tried(cell);
  });
  if (failed) return;
  selected.reason = (is_unknown(selected) ? "not measured; " : selected.reason + "; not measured elsewhere: ") + selection.reason;
  selected.estimate = estimate;
}

// Decides anew, measured or not, with the copies of inputs and outputs: a device may be fastest and yet not worth the way.
void take_from_host(Selected& selected, const Selection& selection) {
  if (!selection.chosen) return;
  const DeviceEstimate& chosen = selection.estimates[*selection.chosen];
  if (chosen.source != EstimateSource::kMeasured) {
    const engine::CompareCell* const measured = std::exchange(selected.cell, nullptr);
    take_estimate(selected, selection);
    if (!selected.estimate) selected.cell = measured;
    if (selected.estimate) selected.reason = "from the host and back: " + selection.reason;
    return;
  }
  for (const engine::CompareCell& cell : selected.row->cells) {
    const auto plan = cell.device_id == chosen.device_id ? engine::best_plan(cell) : std::nullopt;
    if (!plan) continue;
    selected.cell = &cell;
    selected.fused = *plan == PlanKind::kFused;
    selected.reason = "from the host and back: " + selection.reason;
  }
}

// Says what bounds the chosen plan, where its profile is stored. What was only estimated has no plan to profile.
void explain(engine::Engine& engine, const std::string& trial, Selected& selected) {
  const auto stored = engine::stored_profile(engine, trial);
  if (!stored.ok())
    selected.why_no_bound = stored.error().message;
  else if (stored.value())
    selected.bound = stored.value()->profile.verdict;
  else
    selected.profile_with = "fuselab profile --trial " + trial;
}

struct SelectOptions {
  bool advise = false;
  bool from_host = false;  // inputs and outputs lie on the host
};

// Pieces that were not measured are estimated from all that were; the advice rests on the same measurements.
SelectedModels select_all(engine::Engine& engine, const engine::CompareSpec& spec, const std::vector<engine::CompareTable>& tables,
                          const SelectOptions& options) {
  SelectedModels models;
  bool unknown = false;
  for (const auto& table : tables) {
    auto& rows = models.emplace_back();
    for (const auto& row : table.rows) unknown = lacks_figure(rows.emplace_back(select_for(row))) || unknown;
  }
  if (!unknown && !options.advise && !options.from_host) return models;
  engine::CompareSpec everything;
  everything.devices = spec.devices;
  everything.protocol = spec.protocol;
  everything.accepted = spec.accepted;
  everything.at_once = spec.at_once;
  const auto selector = engine::selector_of(engine, everything);
  if (!selector.ok() || selector.value()->pieces().empty()) return models;  // limits alone say too little
  for (auto& rows : models) {
    for (Selected& selected : rows) {
      const auto query = engine::query_of(*selected.row);
      if (options.from_host && query.ok())
        take_from_host(selected, selector.value()->select(query.value(), {false, false}));
      else if (lacks_figure(selected) && query.ok())
        take_estimate(selected, selector.value()->select(query.value()));
      const engine::Figure* const figure = figure_of(selected);
      if (options.advise && figure != nullptr) {
        selected.advice = recommendations_for(*selected.row, selected.cell->device_id, figure->median_ns, *selector.value());
        explain(engine, figure->trial_id, selected);
      }
      if (options.advise && selected.estimate)
        selected.advice =
            recommendations_for(*selected.row, selected.estimate->device_id, selected.estimate->ns, *selector.value());
    }
  }
  return models;
}

// An estimate answers what was never tried; it makes no success of a failure.
bool estimates_answer(const SelectedModels& models) {
  bool estimated = false, failed = false;
  for (const std::vector<Selected>& rows : models) {
    for (const Selected& each : rows) {
      estimated = estimated || each.estimate.has_value();
      failed = failed || (lacks_figure(each) && !is_unknown(each));
    }
  }
  return estimated && !failed;
}

nlohmann::json selected_json(const Selected& selected) {
  nlohmann::json object = {{"piece", selected.row->piece_key}, {"name", selected.row->name}, {"reason", selected.reason}};
  if (const engine::Figure* figure = figure_of(selected)) {
    object["device"] = selected.cell->device_id;
    object["source"] = name_of(EstimateSource::kMeasured);
    object["backend"] = selected.cell->backend;
    object["plan"] = plan_text(*selected.row, selected.fused);
    object["config"] = figure->config;
    object["median_ns"] = figure->median_ns;
    object["trial"] = figure->trial_id;
    if (!figure->disturbance.empty()) object["disturbed"] = figure->disturbance;
    if (selected.fused && selected.cell->tuning.is_known()) object["tuning"] = tuning_json(selected.cell->tuning);
    add_drawbacks(figure->drawbacks, object);
  }
  if (selected.estimate) {
    object["device"] = selected.estimate->device_id;
    object["backend"] = selected.estimate->device_id.substr(0, selected.estimate->device_id.find(':'));
    object["source"] = name_of(selected.estimate->source);
    object["estimate_ns"] = selected.estimate->ns;
    object["estimate_low_ns"] = selected.estimate->low;
    object["estimate_high_ns"] = selected.estimate->high;
  }
  for (const Recommendation& each : selected.advice)
    object["advice"].push_back({{"what", name_of(each.advice)}, {"text", each.text}});
  if (const auto& bound = selected.bound) {
    object["bound"] = {{"what", name_of(bound->bound)},
                       {"where", bound->where},
                       {"certainty", name_of(bound->certainty)},
                       {"text", bound->text},
                       {"look_at", bound->look_at}};
  }
  if (!selected.profile_with.empty()) object["profile_with"] = selected.profile_with;
  return object;
}

nlohmann::json models_json(const std::vector<engine::CompareTable>& tables, const SelectedModels& chosen) {
  nlohmann::json models = nlohmann::json::array();
  for (std::size_t index = 0; index < tables.size(); ++index) {
    const engine::CompareTable& table = tables[index];
    nlohmann::json pieces = nlohmann::json::array();
    for (const Selected& selected : chosen[index]) pieces.push_back(selected_json(selected));
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

void print_models(const std::vector<engine::CompareTable>& tables, const SelectedModels& chosen) {
  const Terminal terminal = Terminal::of_stdout();
  for (std::size_t index = 0; index < tables.size(); ++index) {
    const engine::CompareTable& table = tables[index];
    std::printf("%s\n%s%s", terminal.bold(title_text(table)).c_str(), unchecked_text(table).c_str(),
                also_measured_text(table).c_str());
    for (const Selected& selected : chosen[index]) {
      const engine::Figure* const figure = figure_of(selected);
      const std::string device = figure != nullptr   ? selected.cell->device_id
                                 : selected.estimate ? selected.estimate->device_id + ", estimated"
                                                     : "none";
      std::printf("  %s → %s\n    %s\n", plain_line(selected.row->name).c_str(), plain_line(device).c_str(),
                  plain_text(selected.reason).c_str());
      if (figure != nullptr)
        std::printf("    %s: %s\n", plan_text(*selected.row, selected.fused).c_str(), plain_line(figure->config).c_str());
      if (figure != nullptr && !figure->disturbance.empty())
        std::printf("    %s %s\n", engine::kDisturbedMark, plain_line(figure->disturbance).c_str());
      if (figure != nullptr && selected.fused && selected.cell->tuning.is_known())
        std::printf("    tuned: %s\n", plain_line(engine::decision_text(selected.cell->tuning)).c_str());
      for (const Recommendation& each : selected.advice) std::printf("    advice: %s\n", each.text.c_str());
      if (selected.bound) std::printf("    why: %s\n", plain_line(selected.bound->text).c_str());
      for (const std::string& each : selected.bound ? selected.bound->look_at : std::vector<std::string>())
        std::printf("    look at: %s\n", plain_line(each).c_str());
      if (!selected.why_no_bound.empty()) std::printf("    why: not known: %s\n", plain_line(selected.why_no_bound).c_str());
      if (!selected.profile_with.empty()) std::printf("    why: `%s` finds out\n", plain_line(selected.profile_with).c_str());
    }
  }
}

ExitCode select(Invocation& invocation, const engine::CompareSpec& spec, const SelectOptions& options) {
  const auto engine = invocation.engine();
  if (!engine.ok()) return fail(invocation, engine.error());
  say_what_was_taken(invocation, spec.subjects);
  const auto tables = engine.value()->compare(spec);
  if (!tables.ok()) return fail(invocation, tables.error());
  const SelectedModels chosen = select_all(*engine.value(), spec, tables.value(), options);
  const Status verdict = estimates_answer(chosen) ? Status() : verdict_on_stored(tables.value(), *engine.value(), spec);
  if (const std::string note = note_on_dtype(tables.value(), spec.dtype); !note.empty())
    std::fprintf(stderr, "fuselab: %s\n", plain_line(note).c_str());
  if (invocation.json)
    return print_document({{"schema", "fuselab.select/1"}, {"models", models_json(tables.value(), chosen)}}, problem_of(verdict));
  print_models(tables.value(), chosen);
  return verdict.ok() ? ExitCode::kOk : fail(invocation, verdict.error());
}

}  // namespace

void add_select_verb(CLI::App& command, Invocation& invocation) {
  const auto spec = std::make_shared<engine::CompareSpec>();
  spec->at_once = true;
  add_stored_options(command, *spec, "Choose among these devices (cpu:0) or backends (cpu) only; several: repeat");
  const auto options = std::make_shared<SelectOptions>();
  command.add_flag("--advice", options->advise,
                   "What would make each piece faster, with the numbers that show it, and what bounds it where that was profiled");
  command.add_flag("--from-host", options->from_host,
                   "Inputs and outputs lie on the host: count their copies to each device and back");
  show_examples(command, {"fuselab select", "fuselab select llama-layer --json", "fuselab select w3 --device cpu --advice"});
  command.callback([&invocation, spec, options] {
    invocation.action = [&invocation, spec, options] { return select(invocation, *spec, *options); };
  });
}

}  // namespace fuselab::cli
