// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// NumPy's array files, as numpy.save writes them (versions 1.0 to 3.0 of the format, numpy.lib.format).

// What such a file says of its numbers before they come.
struct NpyHeader {
  TensorType type;  // concrete; the number of bytes that it takes does not overflow
  bool fortran_order = false;
  std::size_t size = 0;  // bytes before the numbers
};
// The most that a header takes which NumPy would write, and a little.
inline constexpr std::size_t kLongestNpyHeader = std::size_t{1} << 17;

// Reads the header from the beginning of a file, which kLongestNpyHeader bytes hold.
Result<NpyHeader> read_npy_header(std::span<const std::byte> beginning);

// Reads a whole file. It is untrusted: nothing is allocated beyond its own size, and whatever is wrong is one error. Arrays in
// Fortran's order are turned; those of big-endian numbers, records, strings or objects are refused.
Result<PackedTensor> read_npy(std::span<const std::byte> file);

// Returns such a file, version 1.0. Types that NumPy lacks fail: bf16 and those of 8 bits and fewer that are no integers of 8 bits.
Result<std::vector<std::byte>> write_npy(const TensorType& type, std::span<const std::byte> bytes);

}  // namespace fuselab
