// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/job/engine.h"

namespace fuselab::engine {

// Returns the tables that Engine::compare() returns for everything that was ever measured, as the database has them: no backend is
// asked, so they are there in milliseconds, and each says that it was not checked (CompareTable::unchecked). A face shows them
// until the checked ones have come. `only_run`: the figures of the run with this id alone; empty: of every run.
Result<std::vector<CompareTable>> compare_as_stored(Engine& engine, const Protocol& protocol, const std::string& only_run = {});

}  // namespace fuselab::engine
