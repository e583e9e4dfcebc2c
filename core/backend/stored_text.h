// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "core/backend/backend.h"

namespace fuselab {

// Optional ability of a compiler whose texts are programs that compiling runs, as Python's are. A stored text, which may be
// foreign, is never given to it.
class RunsTexts {
 public:
  virtual ~RunsTexts() = default;
};

// Returns true when a stored kernel has the text and the call record of one that was written just now. Shared memory does not
// count: some compilers decide how much a launch requests, and what is run has their new answer.
bool is_written_alike(const CompiledKernel& stored, const CompiledKernel& written);

// Compiles a stored kernel again, as recompile_kernel() in backend.h does. A compiler that runs texts gets the one that this
// backend writes for `graph`, which the kernel computes. Fails with kUntrusted where that is another text than the stored one; and
// as the compiler does.
Result<CompiledKernel> recompile_kernel(FusionBackend& backend, CompiledKernel kernel, const Graph& graph, const Target& target,
                                        const std::string& flags, std::stop_token stop);

}  // namespace fuselab
