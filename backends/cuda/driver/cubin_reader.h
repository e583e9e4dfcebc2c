// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab::cuda {

// The facts that a cubin states about one of its kernels. Others are absent.
struct CubinKernel {
  std::optional<std::int64_t> registers;    // per thread
  std::optional<std::int64_t> stack_bytes;  // per thread, spills included
  std::optional<std::int64_t> max_threads;  // from __launch_bounds__
  std::int64_t shared_bytes = 0;            // static, without what the driver reserves
  std::int64_t code_bytes = 0;
  std::int64_t parameters = 0;
};

// Reads a cubin without the vendor's tools: an ELF file whose .nv.info sections hold records {u8 format, u8 attribute, u16 length
// or value, payload}. The bytes are untrusted.
// Fails with kCorrupt when they are inconsistent and with kNotFound when there is no such kernel.
Result<CubinKernel> read_cubin(std::span<const std::byte> bytes, std::string_view kernel);

}  // namespace fuselab::cuda
