// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::platform {

// Writes `bytes` to `path` so that every reader, now or after a crash, sees the old content or the new, never a part: they are
// written beside it, synced and renamed. Missing folders are made. On an error the old content stays.
Status write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes, unsigned mode = 0644);

// The same of bytes that lie in several places.
Status write_file_atomically(const std::filesystem::path& path, const std::vector<std::span<const std::byte>>& parts,
                             unsigned mode = 0644);

// Writes a file that another process reads at once and that is not needed after a crash: readable by this user alone, written in
// place, not synced.
Status write_passing_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

// Reads the whole file.
// Fails with kUnsupported when it is longer than `at_most`, and for a pipe, a folder or a device.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path, Bytes at_most);

}  // namespace fuselab::platform
