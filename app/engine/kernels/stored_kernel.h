// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "app/engine/workers/worker_pool.h"
#include "core/backend/device_info.h"
#include "core/graph/graph.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// Returns the kernel as it was stored, perhaps without its binary: to be looked at, not run. `unvouched`: see
// ResultQueries::kernel().
Result<CompiledKernel> kept_kernel(ResultQueries& queries, const std::string& kernel_key, std::string* unvouched = nullptr);

// Returns the stored kernel of this graph to be run on the device: with its binary, or compiled again from its source. This is the
// only place where stored text becomes code that runs. It does so where a signature of somebody who is trusted vouches for it; else
// the graph's kernel is generated anew, and it is that one which runs, if the text, the call record and the flags are the same.
// Fails with kNotFound, with kUntrusted for a source that nobody vouches for and that comes out otherwise, and with kCorrupt for a
// kernel of another graph or backend.
Result<CompiledKernel> stored_kernel(ResultQueries& queries, WorkerPool& workers, const DeviceInfo& device, const Graph& graph,
                                     const std::string& kernel_key, std::stop_token stop);

}  // namespace fuselab::engine
