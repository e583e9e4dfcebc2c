// SPDX-License-Identifier: Apache-2.0
#include "app/gate/history/history_files.h"

#include <algorithm>
#include <string_view>

#include "app/reports/check_lines.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"
#include "core/platform/files/atomic_file.h"

namespace fuselab::engine {
namespace {

// Enough for ten thousand runs of a hundred cases without their samples, or a year of nightly runs with them.
constexpr Bytes kLargestFile{std::int64_t{1} << 30};

bool is_wanted(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

Error nothing_chosen(const std::vector<History>& histories, const HistoryChoice& choice) {
  if (histories.empty()) return {ErrorCode::kNotFound, "no run in these files has a case"};
  std::vector<std::string> names;
  for (const History& history : histories) {
    const std::string name = plain_line(history.name + " on " + history.device);
    if (std::find(names.begin(), names.end(), name) == names.end() && names.size() < 20) names.push_back(name);
  }
  std::string asked = "that device";
  if (!choice.cases.empty()) asked = "'" + plain_line(choice.cases.front()) + "'";
  return {ErrorCode::kNotFound, "no run has a case for " + asked + "; there are " + joined(names)};
}

}  // namespace

Result<std::vector<CheckReport>> read_check_files(const std::vector<std::string>& files) {
  std::vector<CheckReport> reports;
  for (const std::string& file : files) {
    const auto bytes = platform::read_file(file, kLargestFile);
    if (!bytes.ok()) return bytes.error();
    auto read = reports::read_check_lines({reinterpret_cast<const char*>(bytes.value().data()), bytes.value().size()});
    if (!read.ok()) return read.error().within(plain_line(file));
    for (CheckReport& report : read.value()) reports.push_back(std::move(report));
  }
  return reports;
}

Result<std::vector<JudgedHistory>> judged_histories(const std::vector<CheckReport>& reports, const HistoryChoice& choice) {
  const std::vector<History> histories = histories_of(reports);
  std::vector<JudgedHistory> chosen;
  for (const History& history : histories) {
    if (!is_wanted(choice.cases, history.name) || !is_wanted(choice.devices, history.device)) continue;
    FL_TRY(JudgedHistory each, judge_history(history));
    chosen.push_back(std::move(each));
  }
  if (chosen.empty()) return nothing_chosen(histories, choice);
  return chosen;
}

}  // namespace fuselab::engine
