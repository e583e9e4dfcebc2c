// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernel/compiled_kernel.h"

namespace fuselab {

// Optional ability of a compiler whose texts are programs that compiling runs, as Python's are. A stored text, which may be
// foreign, is never given to it: Compiler::recompile() fails with kUntrusted.
class RunsTexts {
 public:
  virtual ~RunsTexts() = default;
};

// Returns true when a stored kernel has the text and the call record of one that was written just now. Shared memory does not
// count: some compilers decide how much a launch requests, and what is run has their new answer.
bool is_written_alike(const CompiledKernel& stored, const CompiledKernel& written);

}  // namespace fuselab
