// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace fuselab {

// What one block of trials is worth beside another block of the SAME plans on the same device, by the same metric and in the same
// environment. Its members are its order, the first that differs decides: the later of two blocks is the better one only where
// nothing else tells them apart. Blocks of different plans are not compared by it: see resources/docs/decisions, 16.
struct EvidenceStrength {
  bool paired = false;       // both plans were timed in it, in turns
  bool undisturbed = false;  // nothing else took its processor
  int processes = 0;         // fresh ones in which these plans were compared for its sake; 0: none
  bool retimed = false;      // a confirmation in a fresh process
  std::int64_t age = 0;      // ascending with insertion: only a tie-break

  auto operator<=>(const EvidenceStrength&) const = default;
};

}  // namespace fuselab
