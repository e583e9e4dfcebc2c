// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace fuselab::db {

// Returns one zstd frame with content size and checksum. Empty input gives empty output.
std::vector<std::byte> compress(std::span<const std::byte> data);
// Fails with kCorrupt when the frame is damaged or does not hold exactly `expected` bytes.
Result<std::vector<std::byte>> decompress(std::span<const std::byte> frame, std::int64_t expected);

// Returns true when the bytes begin as a zstd frame does.
bool is_frame(std::span<const std::byte> bytes);
// Decompresses a frame of another program, which must state the size of its content.
// Fails with kCorrupt when it does not, or when the size exceeds `most` bytes.
Result<std::vector<std::byte>> decompress_whole(std::span<const std::byte> frame, std::int64_t most);

// Returns samples as little-endian float64, compressed.
std::vector<std::byte> pack_samples(std::span<const double> samples);
Result<std::vector<double>> unpack_samples(std::span<const std::byte> blob, std::int64_t count);

}  // namespace fuselab::db
