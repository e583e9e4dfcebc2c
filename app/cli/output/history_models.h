// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/cli/shell/exit_code.h"

namespace fuselab::cli {

// Tries find_change_points() on series whose truth is known, and prints how often it errs and how soon it finds a step: as a table,
// or as the document of `history --models --json`.
ExitCode try_history_models(int trials, std::uint64_t seed, bool json);

}  // namespace fuselab::cli
