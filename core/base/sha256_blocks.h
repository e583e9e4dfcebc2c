// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fuselab {

// Takes whole blocks of 64 bytes into the state of a SHA-256, with the processor's own instructions where it has them.
void compress_blocks(std::array<std::uint32_t, 8>& state, const std::uint8_t* data, std::size_t blocks);

// The same without such instructions.
void compress_blocks_plainly(std::array<std::uint32_t, 8>& state, const std::uint8_t* data, std::size_t blocks);

}  // namespace fuselab
