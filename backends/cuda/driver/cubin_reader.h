// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backends/gpu/stream/binary_kernel.h"
#include "core/base/result.h"

namespace fuselab::cuda {

using CubinKernel = gpu::stream::BinaryKernel;

// Reads a cubin without the vendor's tools: an ELF file whose .nv.info sections hold records {u8 format, u8 attribute, u16 length
// or value, payload}. The bytes are untrusted.
// Fails with kCorrupt when they are inconsistent and with kNotFound when there is no such kernel.
Result<CubinKernel> read_cubin(std::span<const std::byte> bytes, std::string_view kernel);

}  // namespace fuselab::cuda
