// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/runs/run_choice.h"

#include <algorithm>
#include <functional>

#include "core/base/plain_text.h"
#include "core/base/words.h"

namespace fuselab::engine {
namespace {

constexpr std::size_t kShortestBeginning = 4;  // of an id: fewer digits are a mistyped name

using Matches = std::function<bool(const ListedRun&)>;

std::vector<std::size_t> places_of(const std::vector<ListedRun>& runs, const Matches& matches) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < runs.size(); ++place) {
    if (matches(runs[place])) places.push_back(place);
  }
  return places;
}

Error several(const std::vector<ListedRun>& runs, const std::vector<std::size_t>& places, const std::string& text) {
  std::vector<std::string> ids;
  for (const std::size_t place : places) ids.push_back(runs[place].run.id);
  return invalid_argument("'" + plain_line(text) + "' means " + std::to_string(places.size()) + " runs: give the id of one, " +
                          plain_line(joined(ids)));
}

// Returns the command of the run without the option that does not change what is measured.
std::string question_of(const ListedRun& listed) {
  static const std::string option = " --remeasure";
  std::string command = listed.run.command;
  if (const auto at = command.find(option); at != std::string::npos) command.erase(at, option.size());
  return command;
}

}  // namespace

Result<std::size_t> find_run(const std::vector<ListedRun>& runs, const std::string& text) {
  if (text == kLatestRun) {
    const auto shown = std::find_if(runs.begin(), runs.end(), [](const ListedRun& listed) { return !listed.hidden; });
    if (shown != runs.end()) return static_cast<std::size_t>(shown - runs.begin());
    if (!runs.empty())
      return Error{ErrorCode::kNotFound, "every stored run is of scripted devices alone, which lists leave out; give its id"};
  }
  const Matches kinds[] = {
      [&](const ListedRun& listed) { return listed.run.id == text; },
      [&](const ListedRun& listed) { return !text.empty() && listed.run.marks.name == text; },
      [&](const ListedRun& listed) { return text.size() >= kShortestBeginning && listed.run.id.starts_with(text); }};
  for (const Matches& matches : kinds) {
    const auto places = places_of(runs, matches);
    if (places.size() > 1) return several(runs, places, text);
    if (places.size() == 1) return places.front();
  }
  return Error{ErrorCode::kNotFound, "no run with a trial has the id or the name '" + with_short_words(plain_line(text)) +
                                         "'; `fuselab runs` lists them"};
}

Result<std::string> run_id_of(const Config& config, const Catalog& catalog, const std::string& text) {
  const auto is_it = [&](const RunRecord& run) { return run.id == text; };
  if (text.empty() || std::any_of(catalog.runs.begin(), catalog.runs.end(), is_it)) return text;
  FL_TRY(const auto runs, list_runs(config, config.database, /*include_synthetic=*/true));
  FL_TRY(const std::size_t place, find_run(runs, text));
  return runs[place].run.id;
}

bool share_a_subject(const ListedRun& a, const ListedRun& b) {
  return std::any_of(a.subjects.begin(), a.subjects.end(), [&](const std::string& subject) {
    return std::find(b.subjects.begin(), b.subjects.end(), subject) != b.subjects.end();
  });
}

std::optional<std::size_t> usual_before(const std::vector<ListedRun>& runs, std::size_t after) {
  const ListedRun& later = runs[after];
  const auto first_from = [&](std::size_t start, const Matches& matches) -> std::optional<std::size_t> {
    for (std::size_t place = start; place < runs.size(); ++place) {
      if (place != after && matches(runs[place])) return place;
    }
    return std::nullopt;
  };
  const Matches same_models = [&](const ListedRun& other) { return other.subjects == later.subjects; };
  const Matches one_model = [&](const ListedRun& other) { return share_a_subject(other, later); };
  if (!later.run.marks.pinned) {
    for (const Matches& alike : {same_models, one_model}) {
      const auto pinned = first_from(0, [&](const ListedRun& other) { return other.run.marks.pinned && alike(other); });
      if (pinned) return pinned;
    }
  }
  const Matches same_command = [&](const ListedRun& other) { return question_of(other) == question_of(later); };
  for (const Matches& alike : {same_command, same_models, one_model}) {
    if (const auto earlier = first_from(after + 1, alike)) return earlier;
  }
  return first_from(after + 1, [](const ListedRun&) { return true; });
}

std::size_t usual_after(const std::vector<ListedRun>& runs) {
  for (std::size_t after = 0; after < runs.size(); ++after) {
    const auto before = usual_before(runs, after);
    if (before && share_a_subject(runs[*before], runs[after])) return after;
  }
  return 0;
}

}  // namespace fuselab::engine
