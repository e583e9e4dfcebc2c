// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace fuselab::inductor {

// Reads what the helper says of a program for CUDA, as metadata of KernelBinary. The answer is untrusted.
//   resource.kernels                    Triton kernels
//   resource.kernel.NAME.FIELD          of each: launches, configs (that Inductor would time), warps, stages, code_bytes,
//   shared_bytes,
//                                       and where the assembler's tool told them registers and spill_bytes
//   resource.calls, resource.calls.NAME calls of libraries, in all and by function
//   resource.code_bytes, .spill_bytes   of all kernels
//   program.kernels                     a line each, as they lie one behind the other at the binary's end: name, bytes of its
//                                       source, bytes of its cubin
// Fails with kCorrupt where it is no such answer.
Result<std::map<std::string, std::string>> cuda_resources(const nlohmann::json& answer);

}  // namespace fuselab::inductor
