// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/emulated_match.h"

namespace fuselab::engine {

EmulatedMatch match_emulated(WorkerPool& /*pool*/, const Graph& /*graph*/, const std::string& /*backend*/, const Target& /*target*/,
                             OptimizationLevel /*level*/) {
  return {EmulatedMatch::Kind::kNotTried, "not tried yet", ""};
}

}  // namespace fuselab::engine
