// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace fuselab::db {

// Returns the path of a database with links followed, also for one that does not exist yet: SQLite keeps its log there, and all
// writers, whatever name they use, then meet at the same lock. Hard links are different paths. Returns the given path where it
// cannot be resolved.
std::filesystem::path real_path(const std::filesystem::path& database);

}  // namespace fuselab::db
