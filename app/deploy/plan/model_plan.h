// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "app/deploy/bundle/bundle_file.h"
#include "app/engine/execute/execution_graph.h"
#include "app/engine/execute/given/given_tensors.h"
#include "core/measure/plan.h"

namespace fuselab::deploy {

// One piece of a model as it goes out.
struct PlannedPiece {
  const Plan* plan = nullptr;
  std::vector<int> kernels;  // per step of the plan, index of BundleManifest::kernels
  int piece = 0;             // index of BundleManifest::pieces
};

// Takes a kernel into the bundle and returns what the manifest says of it, `configured` left open.
// Fails with kUnsupported for one that only a runtime of Fuselab's can call.
Result<BundleKernel> describe_kernel(const CompiledKernel& kernel, Bundle& bundle);

// Returns the model's plan: the steps in the order in which `exec` runs them, each value with its place, intermediates and scratch
// by the memory planner. Weights, from the model's file or else from the seed, are added to the bundle's. `pieces`: per piece of
// the graph.
Result<BundleModel> model_plan(const engine::ExecutionGraph& graph, const std::vector<PlannedPiece>& pieces,
                               const engine::WeightNumbers& weights, std::uint64_t seed, Bundle& bundle);

// Returns the plan of one piece by itself, which takes all its operands as inputs.
Result<BundleModel> piece_plan(const PlannedPiece& piece, Bundle& bundle);

}  // namespace fuselab::deploy
