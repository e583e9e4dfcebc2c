// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/job/engine.h"

namespace fuselab::engine {

// Returns the tables that Engine::compare() returns for everything that was ever measured, as the database has them: no backend is
// asked, so they are there in milliseconds, and each says that it was not checked (CompareTable::unchecked). A face shows them
// until the checked ones have come.
Result<std::vector<CompareTable>> compare_as_stored(Engine& engine, const Protocol& protocol);

}  // namespace fuselab::engine
