// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuselab::worker {

// Of bytes in memory, at several GB/s: finds what differs by accident (with 2^-64 it does not), and is not meant against forgers.
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace fuselab::worker
