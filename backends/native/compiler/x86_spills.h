// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuselab::cpu {

// Returns the bytes of vector registers that this x86-64 code stores in its stack frame: each store counts once, however often it
// runs. Kernels keep no arrays on the stack, so that such a store means more values than registers. Instructions are recognised by
// their bytes, wherever those begin (Intel SDM, volume 2, chapter 2: VEX, EVEX, ModR/M, SIB); a pattern of five bytes or more that
// crosses instructions is rare enough not to matter to a number that is compared with a threshold.
std::int64_t x86_spill_bytes(std::span<const std::byte> code);

}  // namespace fuselab::cpu
