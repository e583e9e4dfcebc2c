// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/runs/run_list.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "app/engine/subject/model_names.h"
#include "core/platform/system/clock.h"
#include "db/connection/writer_lease.h"
#include "db/database.h"

namespace fuselab::engine {
namespace {

constexpr std::size_t kToName = 2;

std::string few_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t index = 0; index < std::min(names.size(), kToName); ++index) text += (index == 0 ? "" : ", ") + names[index];
  if (names.size() > kToName) text += " and " + std::to_string(names.size() - kToName) + " more";
  return text;
}

// "cpu:0" → "cpu": the first device of a backend is mostly its only one.
std::string brief_device(const std::string& device_id) {
  return device_id.ends_with(":0") ? device_id.substr(0, device_id.size() - 2) : device_id;
}

void add_once(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
}

}  // namespace

std::string ListedRun::label() const {
  std::vector<std::string> on;
  for (const std::string& device : devices) on.push_back(brief_device(device));
  std::string text = subjects.empty() ? run.verb : few_of(subjects);
  for (std::size_t index = 0; index < on.size(); ++index) text += (index == 0 ? " · " : ", ") + on[index];
  return text + " · " + std::to_string(trials) + (trials == 1 ? " trial" : " trials");
}

std::string ListedRun::name() const {
  return run.marks.name.empty() ? label() : run.marks.name;
}

std::string ListedRun::called() const {
  constexpr std::size_t kToTheMinute = sizeof "2026-03-01 17:04" - 1;
  const std::string when = platform::local_time_text(run.started_unix_ms).substr(0, kToTheMinute);
  return (run.marks.name.empty() ? "" : run.marks.name + " · ") + label() + " · " + when;
}

Result<RunCard> run_card(const Config& config, const std::filesystem::path& database, const std::string& run_id) {
  FL_TRY(auto opened, db::Database::open(database, db::Access::kRead, std::make_shared<db::Trust>(config.key_directory)));
  return opened->run_card(run_id);
}

void mark_interrupted(std::vector<RunRecord>& newest_first, bool written) {
  for (RunRecord& run : newest_first) {
    const bool may_be_alive = written && &run == &newest_first.front();
    if (run.state == "running" && !may_be_alive) run.state = "interrupted";
  }
}

bool is_written(const std::filesystem::path& database) {
  std::error_code absent;
  return !std::filesystem::exists(database, absent) || !db::lease_holder(database).empty();
}

Result<std::vector<ListedRun>> list_runs(const Config& config, const std::filesystem::path& database, bool include_synthetic) {
  std::error_code absent;
  if (!std::filesystem::exists(database, absent)) return std::vector<ListedRun>();
  FL_TRY(auto opened, db::Database::open(database, db::Access::kRead, std::make_shared<db::Trust>(config.key_directory)));
  return runs_in(*opened, config, include_synthetic, is_written(database));
}

Result<std::vector<ListedRun>> runs_in(db::Database& opened, const Config& config, bool include_synthetic, bool written) {
  FL_TRY(Catalog catalog, opened.queries().catalog());
  FL_TRY(const auto counts, opened.run_trials(include_synthetic));
  mark_interrupted(catalog.runs, written);
  std::set<std::string> shown;
  if (include_synthetic && !config.synthetic) {
    FL_TRY(const auto of_lists, opened.run_trials(false));
    for (const db::RunTrials& count : of_lists) shown.insert(count.run_id);
  }
  std::map<std::string, ListedRun> found;
  for (const db::RunTrials& count : counts) {
    ListedRun& listed = found[count.run_id];
    listed.devices.push_back(count.device_id);
    listed.trials += count.trials;
  }
  const ModelNames names(catalog);
  for (const ModelPieceRecord& use : catalog.model_pieces) {
    const auto listed = found.find(use.run_id);
    if (listed == found.end()) continue;
    add_once(listed->second.subjects, names.shown(use.model) + (use.binding.empty() ? "" : " " + use.binding));
  }
  std::vector<ListedRun> runs;
  for (const RunRecord& run : catalog.runs) {
    const auto listed = found.find(run.id);
    if (listed == found.end()) continue;
    listed->second.run = run;
    listed->second.hidden = include_synthetic && !config.synthetic && !shown.contains(run.id);
    runs.push_back(std::move(listed->second));
  }
  return runs;
}

}  // namespace fuselab::engine
