// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace fuselab::deploy {

// The contents of a zip file, by name; the bytes stay the caller's.
using ZipEntries = std::map<std::string, std::span<const std::byte>>;

// The bytes of a zip file, in order. The entries' data stay the caller's.
struct StoredZip {
  std::vector<std::span<const std::byte>> parts;
  std::vector<std::vector<std::byte>> records;  // owns what lies between the data
};

// Makes a zip file whose entries are stored, in the order of their names, with the date 1980-01-01: the same entries always give
// the same bytes. The data of each entry begins at a multiple of 64 bytes, so that weights can be used where the file is mapped.
// Fails with kUnsupported beyond the 4 GiB and 65535 entries of a plain zip file.
Result<StoredZip> make_stored_zip(const ZipEntries& entries);
// Returns it in one block.
Result<std::vector<std::byte>> write_stored_zip(const ZipEntries& entries);

// Reads such a file and no other; the spans point into `file`.
// Fails with kCorrupt for a file that was cut, extended, or is written in another way.
Result<ZipEntries> read_stored_zip(std::span<const std::byte> file);

}  // namespace fuselab::deploy
