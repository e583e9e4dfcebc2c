// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recorded_counters.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace fuselab::test {

RecordedCounters::RecordedCounters(const std::filesystem::path& file) {
  std::ifstream lines(file);
  FL_ASSERT(lines.good());
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name, text;
    words >> kind;
    if (kind == "threads") words >> threads_;
    if (kind == "most") words >> most_;
    if (kind == "clock") words >> clock_.emplace();
    if (kind == "refused") refused_ = true;
    if (kind == "sample") words >> std::hex >> samples_.emplace_back();
    if (kind == "file") {
      words >> name;
      std::getline(words >> std::ws, text);
      files_[name] = text + "\n";
    }
    if (kind == "event") {
      words >> name;
      Counted& counted = events_[name];
      words >> counted.count;
      if (!(words >> counted.share)) counted.share = 1;
    }
  }
}

void RecordedCounters::launched(int times) {
  for (auto& [number, group] : groups_) group.launches += group.enabled ? times : 0;
}

Result<int> RecordedCounters::open(std::span<const profile::Event> group) {
  if (refused_) return Error{ErrorCode::kUnavailable, "Permission denied"};
  int general = 0;
  for (const profile::Event& event : group) {
    if (events_.count(event.name) == 0) return Error{ErrorCode::kUnsupported, "No such file or directory"};
    const bool fixed = event.type == PERF_TYPE_SOFTWARE || event.name == "slots" || event.name.starts_with("topdown-");
    general += fixed ? 0 : 1;
  }
  if (general > most_) return Error{ErrorCode::kUnsupported, "Invalid argument"};
  groups_[next_].events.assign(group.begin(), group.end());
  return next_++;
}

Status RecordedCounters::enable(int group) {
  groups_.at(group).enabled = true;
  groups_.at(group).launches = 0;
  return {};
}

Result<profile::GroupReading> RecordedCounters::disable(int number) {
  Group& group = groups_.at(number);
  group.enabled = false;
  profile::GroupReading reading;
  double share = 1;
  for (const profile::Event& event : group.events) share = std::min(share, events_.at(event.name).share);
  for (const profile::Event& event : group.events) reading.counts.push_back(events_.at(event.name).count * share * group.launches);
  reading.enabled_ns = 1000.0 * group.launches;
  reading.running_ns = share * reading.enabled_ns;
  return reading;
}

Status RecordedCounters::start_sampling(double) {
  if (refused_) return Error{ErrorCode::kUnavailable, "Permission denied"};
  return {};
}

std::optional<std::string> RecordedCounters::file(const std::string& path) {
  const auto known = files_.find(path);
  return known == files_.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace fuselab::test
