// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/shown_by.h"

#include <algorithm>
#include <array>

#include "app/cli/output/verdict.h"
#include "core/base/shell_word.h"

namespace fuselab::cli {
namespace {

using engine::CompareSpec;
using engine::CompareTable;
using engine::Question;

// One thing to ask otherwise. The first of each list is to leave it as it is.
struct Change {
  std::string where;   // "in mode cold"
  std::string option;  // "--mode cold"
  std::function<void(CompareSpec&)> apply = [](CompareSpec& /*spec*/) {};
};
using Changes = std::vector<Change>;

constexpr std::size_t kMostQuestions = 6;
constexpr std::size_t kMostTries = 24;  // each reads what the verb itself has read
constexpr const char* kScripted = "--synthetic";

Changes other_modes(const CompareSpec& asked) {
  Changes changes(1);
  for (const CacheMode mode : kCacheModes) {
    if (mode == asked.protocol.mode) continue;
    const std::string name(name_of(mode));
    changes.push_back({"in mode " + name, "--mode " + name, [mode](CompareSpec& spec) { spec.protocol.mode = mode; }});
  }
  return changes;
}

void add_words(std::string& text, const std::string& words) {
  text += (text.empty() || words.empty() ? "" : " ") + words;
}

// Adds the changes that lead from the shown question to another stored one.
void add_question(Changes& changes, const Question& shown, const Question& other) {
  Question different;
  if (other.binding != shown.binding) different.binding = other.binding;
  if (other.level != shown.level) different.level = other.level;
  if (other.dtype != shown.dtype) different.dtype = other.dtype;
  Change change;
  const auto ask = [&](const std::string& value, const char* where, const char* option) {
    if (value.empty()) return;
    add_words(change.where, where + value);
    add_words(change.option, option + shell_word(value));
  };
  ask(different.binding, "at shape ", "--shape ");
  ask(different.dtype, "of element type ", "--dtype ");
  ask(different.level, "at level ", "--level ");
  change.apply = [different](CompareSpec& spec) {
    if (!different.binding.empty()) spec.bindings = {different.binding};
    if (!different.level.empty()) spec.level = different.level;
    if (!different.dtype.empty()) spec.dtype = different.dtype;
  };
  const bool known = std::any_of(changes.begin(), changes.end(), [&](const Change& each) { return each.option == change.option; });
  if (!known && changes.size() <= kMostQuestions) changes.push_back(std::move(change));
}

// Returns the other questions measured of the same models, or of all models if the filters left none.
Changes other_questions(const CompareSpec& asked, const std::vector<CompareTable>& tables, const StoredTables& compare) {
  Changes changes(1);
  for (const CompareTable& table : tables) {
    for (const Question& other : table.also_measured) add_question(changes, table.question(), other);
  }
  if (!tables.empty()) return changes;
  CompareSpec unfiltered = asked;
  unfiltered.bindings.clear();
  unfiltered.level.clear();
  unfiltered.dtype.clear();
  unfiltered.every_question = true;
  const auto all = compare(unfiltered);
  if (!all.ok()) return changes;
  for (const CompareTable& table : all.value()) {
    Question shown = table.question();
    if (!asked.bindings.empty()) shown.binding = asked.bindings.front();
    if (!asked.level.empty()) shown.level = asked.level;
    if (!asked.dtype.empty()) shown.dtype = asked.dtype;
    add_question(changes, shown, table.question());
  }
  return changes;
}

Changes other_devices(const CompareSpec& asked, const std::vector<DeviceInfo>& devices, bool synthetic) {
  Changes changes(1);
  std::vector<std::string> scripted;
  for (const DeviceInfo& device : devices) {
    if (device.synthetic) scripted.push_back(device.id);
    const bool taken = preference_rank(asked.devices.only, device.id, device.backend) < asked.devices.only.size();
    if (asked.devices.only.empty() || taken) continue;
    changes.push_back(
        {"on " + device.id, "--device " + device.id, [id = device.id](CompareSpec& spec) { spec.devices.only = {id}; }});
  }
  if (asked.devices.only.empty() && !synthetic && !scripted.empty())
    changes.push_back({"on scripted devices", kScripted, [scripted](CompareSpec& spec) { spec.devices.only = scripted; }});
  return changes;
}

using Combination = std::array<const Change*, 3>;

// Every combination that changes something, those that change least first.
std::vector<Combination> combinations(const Changes& modes, const Changes& questions, const Changes& devices) {
  std::vector<Combination> all;
  for (const Change& device : devices) {
    for (const Change& question : questions) {
      for (const Change& mode : modes) all.push_back({&question, &mode, &device});
    }
  }
  const auto changed = [](const Combination& combination) {
    return std::count_if(combination.begin(), combination.end(), [](const Change* change) { return !change->option.empty(); });
  };
  std::stable_sort(all.begin(), all.end(), [&](const Combination& a, const Combination& b) { return changed(a) < changed(b); });
  all.erase(all.begin());  // what was asked
  return all;
}

std::string sentence(const Combination& combination) {
  std::string where, options;
  for (const Change* change : combination) {
    add_words(where, change->where);
    add_words(options, change->option);
  }
  if (options == kScripted) return std::string("only scripted trials of this are stored: `") + kScripted + "` shows them";
  return "measured " + where + ": `" + options + "` shows it";
}

}  // namespace

std::string shown_by(const CompareSpec& asked, const std::vector<CompareTable>& tables, const std::vector<DeviceInfo>& devices,
                     bool synthetic, const StoredTables& compare) {
  const Changes modes = other_modes(asked), questions = other_questions(asked, tables, compare);
  const Changes elsewhere = other_devices(asked, devices, synthetic);
  auto tries = combinations(modes, questions, elsewhere);
  tries.resize(std::min(tries.size(), kMostTries));
  for (const Combination& combination : tries) {
    CompareSpec spec = asked;
    for (const Change* change : combination) change->apply(spec);
    const auto found = compare(spec);
    if (found.ok() && std::any_of(found.value().begin(), found.value().end(), has_figures)) return sentence(combination);
  }
  return "";
}

}  // namespace fuselab::cli
