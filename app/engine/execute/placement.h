// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/engine/execute/execution_graph.h"
#include "core/select/selector.h"

namespace fuselab::engine {

// The measured cost of handing tensors over to a device's worker and back: a fixed part and a part for each byte in either
// direction. The device's own copies are included.
struct HandOverCost {
  double fixed_ns = 0;
  double ns_per_byte = 0;
  double ns(Bytes bytes) const { return fixed_ns + ns_per_byte * static_cast<double>(bytes.count); }
};
using HandOverCosts = std::map<std::string, HandOverCost>;  // by device id

// Returns whether the cost of handing over can change the choice: the selections name several devices, or one whose copies another
// would save.
bool handing_over_matters(const std::vector<Selection>& selections, const std::vector<std::string>& without_copies);

// Puts each piece of the graph on the device that makes the whole run shortest. Tensors stay with neighbours on one device and go
// through the host between devices (R174, R175, R180). A greedy pass, not an optimum: it starts from each piece's own choice and
// from all pieces on one device, takes the shortest of these, and moves one piece at a time while that shortens the run. A piece
// goes only to devices of `costs` that something is known of; what was not measured there counts at its worst. Changes `selections`
// (one per piece), whose reasons then say what was saved. Linear in the uses for each piece and device.
void place_together(const ExecutionGraph& graph, const HandOverCosts& costs, std::vector<Selection>& selections);

// Returns the time that the uses and the handing over take with these choices; pieces without a choice count nothing. For tests and
// messages.
double run_ns(const ExecutionGraph& graph, const HandOverCosts& costs, const std::vector<Selection>& selections);

}  // namespace fuselab::engine
