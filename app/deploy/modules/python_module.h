// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/graph/graph.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::deploy {

// What a module says of the kernel that it holds.
struct ModuleFacts {
  std::string piece, model, binding;  // "Linear+Gelu", "bert-layer", "batch=1,seq=128"
  std::string target;                 // "sm_90a"
  std::string configured;             // "measured on triton:0: 12.3 us", "default: never measured"
};

// Returns a module of Python with the kernel's text, its launch configuration, and a function `launch` that checks what it is
// given. `graph`: the piece, with the names of the model. The same kernel and facts give the same text. Fails with kUnsupported for
// a kernel that is no text of Triton's.
Result<std::string> python_module(const CompiledKernel& kernel, const Graph& graph, const ModuleFacts& facts);

// Returns what a program needs to launch the binary without Python, as JSON: entry, grid, block, shared memory and parameters.
Result<std::string> launch_data(const CompiledKernel& kernel, const ModuleFacts& facts);

}  // namespace fuselab::deploy
