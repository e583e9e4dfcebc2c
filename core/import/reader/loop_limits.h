// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fuselab::onnx {

// How much of loops is written out: several times what exporters leave as a Loop with a known number of trips (the steps of a
// sequence, the tiles of an image), and read and cut in about a second.
inline constexpr std::int64_t kMostTrips = 4096;                           // of one loop
inline constexpr std::int64_t kMostUnrolledNodes = 65536;                  // in all trips of all loops of a model
inline constexpr std::int64_t kMostUnrolledBytes = std::int64_t{1} << 28;  // what these take in the file, each trip counted

}  // namespace fuselab::onnx
