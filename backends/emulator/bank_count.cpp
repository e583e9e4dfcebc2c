// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/bank_count.h"

#include <algorithm>
#include <set>

namespace fuselab::simt {
namespace {

constexpr std::uintptr_t kWord = 4, kBanks = 32;
constexpr std::int64_t kPassBytes = 128, kLanesOfPass = 32;

}  // namespace

void PlainBanks::note(int warp, int lane, CodePlace place, std::uintptr_t address, std::int64_t bytes) {
  Place& here = warps_[static_cast<std::size_t>(warp)][place];
  const std::size_t turn = here.times[static_cast<std::size_t>(lane)]++;
  if (turn >= here.rows.size()) here.rows.resize(turn + 1);
  here.rows[turn].at[static_cast<std::size_t>(lane)] = address;
  here.rows[turn].bytes = bytes;
}

// Accesses of 8 or 16 bytes are served for half or a quarter of the lanes at once.
void PlainBanks::count(const Row& row, CodePlace place) {
  const auto together = static_cast<int>(std::clamp<std::int64_t>(kPassBytes / row.bytes, 8, kLanesOfPass));
  for (int first = 0; first < kLanes; first += together) {
    std::set<std::uintptr_t> words;
    for (int lane = first; lane < first + together; ++lane) {
      const std::uintptr_t at = row.at[static_cast<std::size_t>(lane)];
      if (at == 0) continue;
      for (std::uintptr_t word = at / kWord; word <= (at + static_cast<std::uintptr_t>(row.bytes) - 1) / kWord; ++word)
        words.insert(word);
    }
    if (words.empty()) continue;
    std::int64_t times[kBanks] = {};
    for (const std::uintptr_t word : words) ++times[word % kBanks];
    const std::int64_t more = *std::max_element(times, times + kBanks) - 1;
    count_.add({1, more});
    conflicts_[place] += more;
  }
}

void PlainBanks::settle(int warp) {
  for (auto& [place, here] : warps_[static_cast<std::size_t>(warp)]) {
    for (const Row& row : here.rows) count(row, place);
    here.rows.clear();
    here.times = {};
  }
}

CodePlace PlainBanks::worst() const {
  const auto most =
      std::max_element(conflicts_.begin(), conflicts_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == conflicts_.end() || most->second == 0 ? 0 : most->first;
}

}  // namespace fuselab::simt
