// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace fuselab::db {

// One zstd frame with content size and checksum. Empty input gives empty output.
std::vector<std::byte> compress(std::span<const std::byte> data);
// kCorrupt when the frame is damaged or does not hold exactly `expected` bytes.
Result<std::vector<std::byte>> decompress(std::span<const std::byte> frame, std::int64_t expected);

// Whether the bytes begin as a zstd frame does.
bool is_frame(std::span<const std::byte> bytes);
// A frame of another program that says how long its content is, at most `most` bytes. kCorrupt else.
Result<std::vector<std::byte>> decompress_whole(std::span<const std::byte> frame, std::int64_t most);

// Samples as little-endian float64, compressed.
std::vector<std::byte> pack_samples(std::span<const double> samples);
Result<std::vector<double>> unpack_samples(std::span<const std::byte> blob, std::int64_t count);

}  // namespace fuselab::db
