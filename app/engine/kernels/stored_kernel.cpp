// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/stored_kernel.h"

#include <utility>

#include "app/engine/kernels/recompiled_kernel.h"
#include "app/engine/own/own_given.h"
#include "core/backend/stored_text.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

// The kernel as today's generator writes it, without a binary.
Result<CompiledKernel> generated_anew(WorkerPool& workers, const std::string& backend, const Target& target, const Graph& graph,
                                      const CompiledKernel& stored, const std::string& unvouched, const std::stop_token& stop) {
  auto anew =
      std::move(workers.generate({backend, target, canonical_text(graph), {stored.config}, stored.metrics.level}, stop).front());
  if (!anew.ok() && anew.error().code == ErrorCode::kCancelled) return anew;
  const bool same = anew.ok() && is_written_alike(stored, anew.value()) && anew.value().identity.flags == stored.identity.flags;
  if (same) return anew;
  const std::string generated =
      anew.ok() ? "generates another kernel for its configuration" : "cannot generate it: " + anew.error().message;
  return Error{ErrorCode::kUntrusted, "kernel " + stored.kernel_id().substr(0, 12) + ": " + unvouched + ", and this Fuselab " +
                                          generated +
                                          ". So nothing of it is run; measure it again with `fuselab tune --remeasure SUBJECT`"};
}

}  // namespace

Result<CompiledKernel> kept_kernel(ResultQueries& queries, const std::string& kernel_key, std::string* unvouched) {
  FL_TRY(auto stored, queries.kernel(kernel_key, unvouched));
  if (!stored) return Error{ErrorCode::kNotFound, "kernel " + kernel_key.substr(0, 12) + " is not stored any more"};
  return std::move(*stored);
}

Result<CompiledKernel> stored_kernel(ResultQueries& queries, WorkerPool& workers, const DeviceInfo& device, const Graph& graph,
                                     const std::string& kernel_key, std::stop_token stop) {
  std::string unvouched;
  // A binary that is damaged or not trusted is an error here; the text beside it is no better then.
  FL_TRY(CompiledKernel kernel, kept_kernel(queries, kernel_key, &unvouched));
  if (kernel.identity.graph != graph_key(graph) || kernel.identity.backend != device.backend) {
    return Error{ErrorCode::kCorrupt,
                 "kernel " + kernel_key.substr(0, 12) +
                     " is of another graph or backend than the trial that names it: the database was edited or is damaged"};
  }
  if (!kernel.binary.data.empty()) return kernel;
  Target target = device.target;
  for (const Target& other : device.other_targets) {
    if (other.id == kernel.identity.target) target = other;
  }
  // A text of the user's own is generated alike by whoever has the graph: that says nothing of who wrote it.
  if (!unvouched.empty()) FL_TRY_VOID(check_given(canonical_text(graph)));
  if (!unvouched.empty()) {
    FL_TRY(kernel, generated_anew(workers, device.backend, target, graph, kernel, unvouched, stop));
  }
  const std::string flags = kernel.identity.flags;
  return recompiled_kernel(workers, {device.backend, target, std::move(kernel), flags}, canonical_text(graph), stop);
}

}  // namespace fuselab::engine
