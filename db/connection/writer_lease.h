// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/platform/files/file_lock.h"

namespace fuselab::db {

// The right to write one database: a lock on "<database>.lock", links followed, that the kernel releases when the process ends,
// however it ends. kBusy names the holder; kIo when the lock file cannot be made.
Result<platform::FileLock> acquire_writer_lease(const std::filesystem::path& database);

// Who holds the lease now ("fuselab (pid 4711) since …"); empty when nobody does. Leaves the lock file as it is.
std::string lease_holder(const std::filesystem::path& database);

}  // namespace fuselab::db
