// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/verdict.h"

#include <algorithm>
#include <filesystem>

#include "app/cli/output/shown_by.h"
#include "core/base/shell_word.h"
#include "core/base/words.h"
#include "core/fusion/match/fusion_types.h"
#include "core/measure/outcome.h"

namespace fuselab::cli {
namespace {

using engine::Cell;
using engine::CellState;
using engine::CompareCell;
using engine::CompareRow;
using engine::CompareTable;

// Reasons of failed cells begin with the plan and the outcome: "fused wrong-result: …".
bool ended_as(Outcome outcome, const Cell& cell) {
  const auto begins_with = [&](std::string_view plan) {
    return cell.reason.rfind(std::string(plan) + " " + std::string(name_of(outcome)) + ":", 0) == 0;
  };
  return cell.state == CellState::kFailed && (begins_with("fused") || begins_with("unfused") || begins_with("single"));
}

bool has_figure(const CompareRow& row) {
  return std::any_of(row.cells.begin(), row.cells.end(),
                     [](const CompareCell& cell) { return cell.fused.figure || cell.unfused.figure; });
}

bool any_row(const CompareRow& /*row*/) {
  return true;
}

bool lacks_figure(const CompareRow& row) {
  return !has_figure(row);
}

bool is_withheld(const Cell& cell) {
  return cell.state == CellState::kWithheld;
}

// The first figure that is missing for the plan's way to end, in words; the baseline counts like what is held against it. Only rows
// of which `counts` is true are looked at.
template <typename Ended>
std::optional<std::string> first_that(const Ended& ended, const std::vector<CompareTable>& tables,
                                      bool (*counts)(const CompareRow&) = any_row) {
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      if (!counts(row)) continue;
      for (const CompareCell& cell : row.cells) {
        const std::string where = row.name + " on " + cell.device_id;
        if (ended(cell.fused)) return where + " has no figure: " + cell.fused.reason;
        if (ended(cell.unfused)) return where + " has no baseline: " + cell.unfused.reason;
      }
    }
  }
  return std::nullopt;
}

// The first cell that was tried and has no figure, in words.
std::optional<std::string> first_failure(const std::vector<CompareTable>& tables) {
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      const auto failed = std::find_if(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) {
        return cell.fused.state == CellState::kFailed || is_withheld(cell.fused);
      });
      if (failed != row.cells.end()) return row.name + " on " + failed->device_id + " has no figure: " + failed->fused.reason;
    }
  }
  return std::nullopt;
}

bool any_figure(const std::vector<CompareTable>& tables) {
  return std::any_of(tables.begin(), tables.end(), has_figures);
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "cpu" is cpu:0 and every other device of that backend.
bool any_on(const std::vector<std::string>& devices, const std::string& asked) {
  return std::any_of(devices.begin(), devices.end(),
                     [&](const std::string& id) { return id == asked || id.rfind(asked + ":", 0) == 0; });
}

struct Lack {
  std::string what;     // "at level O0 (stored: O2)"
  std::string options;  // " --level O0"
};

// Returns the first filter that was asked for and of which nothing is stored.
std::optional<Lack> lack_of(const engine::CompareSpec& asked, const StoredTrials& stored) {
  const auto level = parse_optimization_level(asked.level);
  const std::string wanted = level.ok() ? std::string(name_of(level.value())) : asked.level;
  if (!asked.level.empty() && !stored.levels.empty() && !contains(stored.levels, wanted))
    return Lack{"at level " + wanted + " (stored: " + joined(stored.levels) + ")", " --level " + wanted};
  for (const std::string& device : asked.devices.only) {
    if (!stored.devices.empty() && !any_on(stored.devices, device))
      return Lack{"on " + device + " (stored: " + joined(stored.devices) + ")", " --device " + device};
  }
  if (!asked.dtype.empty() && !stored.dtypes.empty() && !contains(stored.dtypes, asked.dtype))
    return Lack{"of element type " + asked.dtype + " (stored: " + joined(stored.dtypes) + ")", " --dtype " + asked.dtype};
  return std::nullopt;
}

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (!word.empty() && !contains(words, word)) words.push_back(word);
}

}  // namespace

bool has_figures(const CompareTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(), has_figure);
}

Status verdict_on_job(const std::vector<CompareTable>& tables) {
  const auto ended_with = [](Outcome outcome) { return [outcome](const Cell& cell) { return ended_as(outcome, cell); }; };
  if (const auto wrong = first_that(ended_with(Outcome::kWrongResult), tables)) return Error{ErrorCode::kNumerics, *wrong};
  if (const auto withheld = first_that(is_withheld, tables, lacks_figure)) return Error{ErrorCode::kUntrusted, *withheld};
  if (any_figure(tables)) return {};
  if (const auto skipped = first_that(ended_with(Outcome::kSkipped), tables)) return Error{ErrorCode::kUnavailable, *skipped};
  const bool empty = std::all_of(tables.begin(), tables.end(), [](const CompareTable& table) { return table.rows.empty(); });
  return Error{ErrorCode::kNotFound, empty ? "there is nothing to measure: no operator computes anything"
                                           : "no piece could be measured; the reasons stand with the pieces"};
}

std::vector<std::string> withheld_figures(const std::vector<CompareTable>& tables) {
  std::vector<std::string> lines;
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      for (const CompareCell& cell : row.cells) {
        const std::string where = row.name + " on " + cell.device_id;
        const auto note = [&](const Cell& plan, const char* how) {
          if (plan.state == CellState::kWithheld && plan.reason.rfind("no pair:", 0) != 0)
            lines.push_back(where + how + ": " + plan.reason);
        };
        note(cell.fused, "");
        note(cell.cold_fused, ", cold caches");
        if (row.single_operator) continue;  // its only plan stands in both cells
        note(cell.unfused, "");
        note(cell.cold_unfused, ", cold caches");
      }
    }
  }
  return lines;
}

Status verdict_on_stored(const std::vector<CompareTable>& tables, const StoredTrials& stored, const engine::CompareSpec& asked) {
  if (any_figure(tables)) return {};
  if (!stored.no_database.empty())
    return Error{ErrorCode::kNotFound, stored.no_database +
                                           ": there is no such database, so nothing of this was measured yet; `fuselab run` "
                                           "measures the built-in models and makes it, `fuselab bench SUBJECT` does it for one of "
                                           "your own"};
  if (const auto failed = first_failure(tables)) return Error{ErrorCode::kNotFound, *failed};
  const bool scripted_too = stored.synthetic_shown || !asked.devices.only.empty();
  const std::int64_t trials = stored.measured + (scripted_too ? stored.synthetic : 0);
  if (const auto lack = lack_of(asked, stored); lack && trials > 0) {
    const std::string subject = asked.subjects.empty() ? "SUBJECT" : asked.subjects.front();
    return Error{ErrorCode::kNotFound, counted(trials, "trial") + " stored, none " + lack->what + "; `fuselab bench " + subject +
                                           lack->options + "` measures it"};
  }
  const std::string subject = asked.subjects.empty() ? "SUBJECT" : asked.subjects.front();
  const std::string of_this = asked.subjects.empty() ? "" : joined(asked.subjects) + ": ";
  if (!stored.shown_by.empty()) return Error{ErrorCode::kNotFound, of_this + stored.shown_by};
  if (stored.only_given) {
    return Error{ErrorCode::kNotFound, counted(stored.measured + stored.synthetic, "trial") +
                                           " stored, all of kernels that were given with --config: those are in no comparison, the "
                                           "desktop's Results page lists them; `fuselab bench " +
                                           shell_word(subject) + "` without --config measures what is compared"};
  }
  if (trials > 0) {
    return Error{ErrorCode::kNotFound, counted(trials, "trial") +
                                           " stored, none valid here: of another subject, environment or version of Fuselab; "
                                           "`fuselab bench " +
                                           shell_word(subject) + "` measures it here"};
  }
  if (stored.synthetic > 0)
    return Error{ErrorCode::kNotFound, "only scripted trials are stored (" + std::to_string(stored.synthetic) +
                                           "); --synthetic shows them, `fuselab run` measures on real devices"};
  return Error{ErrorCode::kNotFound,
               "nothing of this was measured yet; `fuselab run` measures the built-in models, `fuselab bench "
               "SUBJECT` one of your own"};
}

Status verdict_on_stored(const std::vector<CompareTable>& tables, engine::Engine& engine, const engine::CompareSpec& asked) {
  if (any_figure(tables)) return {};
  StoredTrials stored = stored_trials(engine);
  const auto backends = engine.devices_at_once();
  if (backends.ok() && stored.measured + stored.synthetic > 0) {
    std::vector<DeviceInfo> devices;
    for (const BackendReport& backend : backends.value())
      devices.insert(devices.end(), backend.devices.begin(), backend.devices.end());
    const auto compare = [&](const engine::CompareSpec& spec) { return engine.compare(spec); };
    stored.shown_by = shown_by(asked, tables, devices, engine.config().synthetic, compare);
  }
  return verdict_on_stored(tables, stored, asked);
}

StoredTrials stored_trials(engine::Engine& engine) {
  TrialFilter filter;
  const auto measured = engine.queries().count_trials(filter);
  filter.include_synthetic = true;
  const auto all = engine.queries().count_trials(filter);
  const auto catalog = engine.queries().catalog();
  if (!measured.ok() || !all.ok() || !catalog.ok()) return {};
  StoredTrials stored{measured.value(), all.value() - measured.value()};
  stored.synthetic_shown = engine.config().synthetic;
  stored.only_given = all.value() > 0 && catalog.value().model_pieces.empty();
  std::error_code failed;
  if (!std::filesystem::exists(engine.config().database, failed)) stored.no_database = engine.config().database.string();
  for (const ModelPieceRecord& piece : catalog.value().model_pieces) {
    add_once(stored.levels, piece.level);
    add_once(stored.dtypes, piece.dtype);
  }
  for (const DeviceInfo& device : catalog.value().devices) {
    filter.device_id = device.id;
    const auto here = engine.queries().count_trials(filter);
    if (here.ok() && here.value() > 0) add_once(stored.devices, device.id);
  }
  return stored;
}

std::string note_on_dtype(const std::vector<CompareTable>& tables, const std::string& dtype) {
  std::string models;
  for (const CompareTable& table : tables) {
    if (table.dtype.empty() && models.find(table.model) == std::string::npos) models += (models.empty() ? "" : ", ") + table.model;
  }
  if (dtype.empty() || models.empty()) return "";
  return "--dtype " + dtype + " changes nothing of " + models +
         ": models keep their own element types, built-in workloads take any";
}

ExitCode exit_code_of(const Status& verdict) {
  if (verdict.ok()) return ExitCode::kOk;
  return verdict.error().code == ErrorCode::kUntrusted ? ExitCode::kInconclusive : exit_code_for(verdict.error());
}

std::optional<Error> problem_of(const Status& status) {
  return status.ok() ? std::nullopt : std::optional(status.error());
}

}  // namespace fuselab::cli
