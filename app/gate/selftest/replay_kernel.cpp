// SPDX-License-Identifier: Apache-2.0
#include "app/gate/selftest/replay_kernel.h"

#include "app/engine/kernels/requests.h"
#include "app/engine/subject/piece.h"

namespace fuselab::engine {

Result<ReplayKernel> replay_kernel(WorkerPool& workers, const DeviceInfo& device, const Subject& subject) {
  ReplayKernel made{subject.name, subject.binding, {}};
  FL_TRY(const FusedModel fused_model, keep_whole(subject, OptimizationLevel::kO2));
  const Graph& graph = fused_model.pieces.front().operation.graph;
  const std::string level = JobSpec().level;
  FL_TRY(const wire::DescribeReply described, workers.describe(describe_request(device, level, graph), {}));
  if (!described.support.yes) {
    return Error{ErrorCode::kUnsupported, subject.name + " on " + device.id + ": " + described.support.why_not};
  }
  FL_TRY(CompiledKernel kernel, workers.compile(compile_request(device, level, graph, described.default_config), {}));
  made.plan = whole_graph_plan(subject.name, graph, std::move(kernel));
  return made;
}

}  // namespace fuselab::engine
