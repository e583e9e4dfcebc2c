// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/recompiled_kernel.h"

#include <utility>

#include "core/backend/stored_text.h"

namespace fuselab::engine {

Result<CompiledKernel> recompiled_kernel(WorkerPool& workers, const wire::RecompileRequest& request, const std::string& graph_text,
                                         const std::stop_token& stop) {
  auto made = workers.recompile(request, stop);
  if (made.ok() || made.error().code != ErrorCode::kUntrusted || graph_text.empty()) return made;
  const CompiledKernel& stored = request.kernel;
  for (const OptimizationLevel level :
       {OptimizationLevel::kO0, OptimizationLevel::kO1, OptimizationLevel::kO2, OptimizationLevel::kO3}) {
    FL_TRY(const CompiledKernel written,
           std::move(workers.generate({request.backend, request.target, graph_text, {stored.config}, level}, stop).front()));
    if (!is_written_alike(stored, written))
      return Error{ErrorCode::kUntrusted, "kernel " + stored.kernel_id().substr(0, 12) +
                                              ": its compiler runs texts, and this Fuselab " +
                                              "writes another for its graph. So its text is not compiled"};
    if (written.identity.flags == request.flags)
      return workers.compile({request.backend, request.target, graph_text, stored.config, level}, stop);
  }
  return Error{ErrorCode::kUnsupported, "this Fuselab compiles nothing for " + request.target.id + " with the recorded flags '" +
                                            request.flags.substr(0, 200) + "'"};
}

}  // namespace fuselab::engine
