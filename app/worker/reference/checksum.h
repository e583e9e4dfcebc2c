// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuselab::worker {

// Returns a checksum of bytes in memory, at several GB/s. It detects accidental differences (missing one with probability 2^-64)
// and is no protection against forgery.
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace fuselab::worker
