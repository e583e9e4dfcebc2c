// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace fuselab::cpu {

// Bytes of instructions in a 64-bit ELF file: its executable sections. A file's own size says little, it is padded to whole pages.
// Nothing when the bytes are no such file.
std::optional<std::int64_t> code_bytes_of(std::span<const std::byte> elf);

}  // namespace fuselab::cpu
