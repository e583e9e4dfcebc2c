// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fuselab::cpu {

// Returns the executable sections of a 64-bit ELF file, as parts of it; the file's own size is padded to whole pages. Returns
// nothing when the bytes are no such file.
std::optional<std::vector<std::span<const std::byte>>> code_of(std::span<const std::byte> elf);
// Returns whether the file holds code for x86-64.
bool is_x86(std::span<const std::byte> elf);

}  // namespace fuselab::cpu
