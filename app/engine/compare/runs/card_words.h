// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/store/run_card.h"
#include "core/store/trial_record.h"

namespace fuselab::engine {

// Returns the environment card of a run as lines for people, (name, value): the run, the machine, the software, what was timed and
// how quiet it was. What is not known is left out. The values are untrusted: a face shows them as plain text.
std::vector<std::pair<std::string, std::string>> card_lines(const RunRecord& run, const RunCard& card);

}  // namespace fuselab::engine
