// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fuselab::cpu {

// Returns the bytes of instructions in a 64-bit ELF file, that is of its executable sections; the file's own size is padded to
// whole pages. Returns nothing when the bytes are no such file.
std::optional<std::int64_t> code_bytes_of(std::span<const std::byte> elf);

}  // namespace fuselab::cpu
