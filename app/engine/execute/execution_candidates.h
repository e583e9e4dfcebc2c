// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/execute/runtime_executor.h"
#include "app/views/snapshots.h"
#include "core/select/selector.h"

namespace fuselab::engine {

// The devices in the order in which they are tried where nothing is known.
struct ExecutionDevices {
  std::vector<DeviceInfo> all;
  std::size_t asked = 0;      // the first so many are preferred
  bool by_name = false;       // since somebody named them or their backend
  bool config_given = false;  // for what is tried first: what is stored of it in other configurations is no reason against it
  bool is_asked(const std::string& device_id) const {
    for (std::size_t i = 0; i < asked; ++i) {
      if (all[i].id == device_id) return true;
    }
    return false;
  }
};

struct ExecutionChoice {
  std::vector<ExecutionCandidate> order;  // best first
  std::vector<Degradation> passed_over;   // what would have stood first, had it not failed when it was measured
};

// Of the devices that were asked for first what the selector says, then those that it knows nothing of; then the others likewise;
// each device's other plan comes after all of them, and last what failed when it was measured. A plan whose stored result is wrong
// is left out, but on a device that somebody named; one that loses NaN is left out unless that is accepted. `row`: what is stored
// of the piece; may be null. kUnavailable with the reasons where nothing is left.
Result<ExecutionChoice> candidates_for(const Piece& piece, const CompareRow* row, const ExecutionDevices& devices,
                                       const Selection& selection);

}  // namespace fuselab::engine
