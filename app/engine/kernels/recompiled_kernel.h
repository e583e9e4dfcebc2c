// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "app/engine/workers/worker_pool.h"

namespace fuselab::engine {

// Compiles a stored kernel again, as WorkerPool::recompile() does; the caller vouches for its text. A compiler that runs texts
// (RunsTexts) gets none of them: there the kernel of `graph_text`, which the stored one computes, is written and compiled anew,
// where text, call record and flags are the same. Fails with kUntrusted where they are not, and as the compiler does.
Result<CompiledKernel> recompiled_kernel(WorkerPool& workers, const wire::RecompileRequest& request, const std::string& graph_text,
                                         const std::stop_token& stop);

}  // namespace fuselab::engine
