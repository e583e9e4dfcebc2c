// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::engine {

// Reads a text that may be packed by gzip. The file is untrusted: no more than `limit` is allocated, whatever it expands to.
// Fails with kIo where it cannot be read, with kCorrupt where it was cut, and with kUnsupported where it is longer.
Result<std::string> read_maybe_gzip(const std::filesystem::path& file, Bytes limit);

}  // namespace fuselab::engine
