// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "backends/emulator/finding.h"

namespace fuselab::simt {

// How often shared memory was asked, and how many passes that took beyond one each. Its 32 banks make 128 bytes: in one pass each
// bank gives four bytes, the same to whoever asks for them.
struct BankCount {
  std::int64_t passes = 0;     // at least
  std::int64_t conflicts = 0;  // passes more than that

  // Rows of 16 bytes, eight of which pass at once when they lie in eight different parts of the 128 bytes.
  void count_rows(const unsigned long long* rows, int count) {
    for (int first = 0; first < count; first += 8) {
      const std::set<unsigned long long> different(rows + first, rows + first + 8);
      int times[8] = {};
      for (const unsigned long long row : different) ++times[row / 16 % 8];
      ++passes;
      conflicts += *std::max_element(times, times + 8) - 1;
    }
  }
  void add(const BankCount& other) {
    passes += other.passes;
    conflicts += other.conflicts;
  }
};

// Counts conflicts of plain loads and stores of shared memory. Lanes run one after another here: those that a device would execute
// together are the n-th accesses of each lane at one place since the lanes last waited for each other.
class PlainBanks {
 public:
  static constexpr int kLanes = 64;  // of a warp at most

  void begin(std::size_t warps) { warps_.assign(warps, {}); }
  void note(int warp, int lane, CodePlace place, std::uintptr_t address, std::int64_t bytes);
  // All lanes of the warp have come to where they wait for each other.
  void settle(int warp);

  const BankCount& count() const { return count_; }
  CodePlace worst() const;  // where most conflicts were; 0: nowhere

 private:
  struct Row {
    std::array<std::uintptr_t, kLanes> at{};  // 0: the lane was not there
    std::int64_t bytes = 0;
  };
  struct Place {
    std::array<std::size_t, kLanes> times{};
    std::vector<Row> rows;
  };
  void count(const Row& row, CodePlace place);

  std::vector<std::unordered_map<CodePlace, Place>> warps_;
  std::unordered_map<CodePlace, std::int64_t> conflicts_;
  BankCount count_;
};

}  // namespace fuselab::simt
