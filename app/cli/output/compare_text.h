// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/cli/shell/terminal.h"
#include "app/views/snapshots.h"

namespace fuselab::cli {

// The printed comparison: its lines, the model's totals, then the recommended default per piece with its reason. Text from outside
// is made plain (core/base/plain_text.h). Cells not measured yet print "…", failed ones the reason,
// withheld ones their figure and that it is withheld.
enum class Detail {
  kUsual,  // a line per piece: its best device and how far that is ahead of the next; with one device, that device's figures
  kAll     // a line per piece and device, also with cold caches, compile time and first launch, and the best mix without fusion
};
std::string compare_text(const engine::CompareTable& table, Detail detail, const Terminal& terminal);

// The parts, for other renderings.
std::string title_text(const engine::CompareTable& table);          // "w3-residual-rmsnorm (rows=16), f32, O2"
std::string unchecked_text(const engine::CompareTable& table);      // one line with its end, or empty
std::string also_measured_text(const engine::CompareTable& table);  // likewise
std::vector<Column> compare_columns(const engine::CompareTable& table, Detail detail);
std::vector<std::vector<std::string>> compare_rows(const engine::CompareTable& table, Detail detail);
std::string total_text(const engine::ModelTotal& total);        // one line without its end
std::string whole_model_text(const engine::WholeModel& whole);  // likewise
// The mark beside each figure of a plan that loses NaN, and the line below a table that has such a mark, "" where `marked` is
// false.
inline constexpr const char* kDrawbackMark = "*";
std::string mark_of(PlanDrawbacks drawbacks);
std::string drawback_note(Drawbacks marked);
Drawbacks shown_drawbacks(const engine::CompareTable& table);
// Further lines below a table, each with its end, or empty: what its mark of disturbance means; where its gains come from; which
// figures are withheld.
std::string disturbed_note(const engine::CompareTable& table);
std::string gain_note(const engine::CompareTable& table);
std::string withheld_note(const engine::CompareTable& table);

// Returns the same content for programs; resources/schema/json/results/compare.schema.json describes it.
nlohmann::json questions_json(const std::vector<engine::Question>& questions);
nlohmann::json compare_json(const std::vector<engine::CompareTable>& tables);
// Returns why a search chose a configuration.
nlohmann::json tuning_json(const TuningDecision& decision);
// Adds "nan_loss", "precision_loss" or "winograd_error": "withheld" or "accepted"; adds nothing for a plan without a drawback.
void add_drawbacks(PlanDrawbacks drawbacks, nlohmann::json& object);

}  // namespace fuselab::cli
