// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab {

// The contents of a NumPy array file, as numpy.save writes it (versions 1.0 to 3.0 of the format, numpy.lib.format).
struct NpyArray {
  TensorType type;               // concrete
  std::vector<std::byte> bytes;  // packed, row-major, little-endian
};

// Reads such a file. It is untrusted: nothing is allocated beyond its own size, and whatever is wrong is one error. Arrays in
// Fortran's order are turned; those of big-endian numbers, records, strings or objects are refused.
Result<NpyArray> read_npy(std::span<const std::byte> file);

// Returns such a file, version 1.0. Types that NumPy lacks fail: bf16 and those of 8 bits and fewer that are no integers of 8 bits.
Result<std::vector<std::byte>> write_npy(const TensorType& type, std::span<const std::byte> bytes);

}  // namespace fuselab
