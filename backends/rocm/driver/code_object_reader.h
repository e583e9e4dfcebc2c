// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backends/gpu/stream/binary_kernel.h"
#include "core/base/result.h"

namespace fuselab::hip {

// Reads what a code object states about a kernel without the vendor's tools: an ELF file whose note NT_AMDGPU_METADATA is a map in
// MessagePack (LLVM, "User Guide for AMDGPU Backend", Code Object V3 and later). The bytes are untrusted.
// Fails with kCorrupt when they are inconsistent and with kNotFound when there is no such kernel.
Result<gpu::stream::BinaryKernel> read_code_object(std::span<const std::byte> bytes, std::string_view kernel);

}  // namespace fuselab::hip
