// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fuselab::profile {

// Returns whether a processor's name in `llvm-mca --version` says which one it is: older versions call newer processors
// "(unknown)", and others "generic" or by the level of their instructions, and model something else in their place.
bool names_processor(std::string_view name);

// Returns the processors whose models may stand in for one that this llvm-mca does not know, the likeliest first. `device_name` is
// the processor's own ("AMD EPYC"); the tool itself says which of them it has, and which has the instructions of the probe.
std::vector<std::string> stand_in_processors(std::string_view device_name);

// Returns one instruction as assembly text that a model must know to be asked about this loop.
std::string probe_for(std::string_view mca_input);

}  // namespace fuselab::profile
