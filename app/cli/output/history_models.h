// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "app/cli/shell/exit_code.h"

namespace fuselab::cli {

// How often find_change_points() errs on series whose truth is known, and how soon it finds a step: prints a table, or the document
// of `history --models --json`.
ExitCode try_history_models(int trials, std::uint64_t seed, bool json);

}  // namespace fuselab::cli
