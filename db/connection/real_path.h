// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace fuselab::db {

// Where a database lies once links are followed, also one that is not there yet: SQLite keeps its log there, and all who write it
// meet at one lock there, by whatever name they came. Hard links stay apart. The path itself where nothing can be found out.
std::filesystem::path real_path(const std::filesystem::path& database);

}  // namespace fuselab::db
