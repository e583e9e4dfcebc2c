// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/execute/runtime_executor.h"
#include "app/views/snapshots.h"
#include "core/select/selector.h"

namespace fuselab::engine {

// The devices, in the order in which they are tried where nothing is known of them.
struct ExecutionDevices {
  std::vector<DeviceInfo> all;
  std::size_t asked = 0;      // the first so many are preferred
  bool by_name = false;       // the preferred ones are preferred because somebody named them or their backend
  bool config_given = false;  // for the first candidate: results stored of it in other configurations do not count against it
  bool is_asked(const std::string& device_id) const {
    for (std::size_t i = 0; i < asked; ++i) {
      if (all[i].id == device_id) return true;
    }
    return false;
  }
};

struct ExecutionChoice {
  std::vector<ExecutionCandidate> order;  // best first
  std::vector<Degradation> passed_over;   // candidates that would have come first, had they not failed when measured
};

// Orders the candidates for a piece. The devices that were asked for come first: those the selector chose, then those it knows
// nothing of; the other devices follow likewise. Each device's other plan comes after all of these, and plans that failed when
// measured come last. A plan whose stored result is wrong is left out, except on a device that somebody named; one that loses NaN
// is left out unless that is accepted. `row`: what is stored of the piece; may be null.
// Fails with kUnavailable and the reasons where no candidate is left.
Result<ExecutionChoice> candidates_for(const Piece& piece, const CompareRow* row, const ExecutionDevices& devices,
                                       const Selection& selection);

}  // namespace fuselab::engine
