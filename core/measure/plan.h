// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/kernel/compiled_kernel.h"
#include "core/measure/ceilings/paired_ceiling.h"
#include "core/measure/outcome.h"
#include "core/measure/protocol.h"
#include "core/measure/timing.h"
#include "core/reference/tolerance.h"

namespace fuselab {

// One kernel of a plan. Argument k of the kernel is the plan's value arguments[k].
struct PlanStep {
  CompiledKernel kernel;
  std::vector<int> arguments;  // indices into Plan::values for inputs and outputs; the runner allocates scratch
};

// A way to compute one graph on one device: one step is fully fused, one step per operator is unfused.
struct Plan {
  std::string label;               // "fused vector=8,threads=2": for people and blame
  Graph graph;                     // concrete; its inputs and outputs are what is verified
  std::vector<TensorType> values;  // graph inputs first, then graph outputs, then intermediates
  std::vector<PlanStep> steps;
  // An artificial slowdown of known size, to test its detection: after the runs of a sample the processor is kept busy for this
  // share of the time that they took, which is added to it. It is a share of each sample, since one kernel takes 1.5 times as long
  // in one process as in another: a fixed time would be 1.2 % in one and 3 % in the other.
  double handicap = 0;
  // PlanResult::matched of this very plan on these inputs in another process. Outputs of the same bytes are not compared with the
  // reference again. When it is empty they are always compared.
  std::string matched;
};

// Builds the plan that runs `kernels[i]` for `operations[i]` (sub-graphs of `whole`, topological order, one per node group).
// `node_groups[i]` are the nodes of `whole` that kernel i covers, as given to extract().
Result<Plan> make_plan(std::string label, const Graph& whole, const std::vector<std::vector<NodeId>>& node_groups,
                       std::vector<CompiledKernel> kernels);

// Makes the plan of one kernel that covers a canonical graph. The kernel was made from the canonical text, so its arguments are the
// graph's inputs and outputs in order.
Plan whole_graph_plan(std::string label, const Graph& graph, CompiledKernel kernel);

// Returns what the plan's kernels state.
Drawbacks stated_drawbacks(const Plan& plan);

// The result of measuring one plan of a block. Samples are ns per run of the whole plan, in run order.
struct PlanResult {
  Outcome outcome = Outcome::kCancelled;
  std::string reason;  // empty when timed
  Verification verification;
  std::string matched;  // identifies the bytes of all outputs, which matched the reference; empty where it was not requested
  std::vector<double> samples;
  int inner_repetitions = 1;
  Nanoseconds first_launch;
  TimingSource source = TimingSource::kHostWall;
  Nanoseconds verifying;  // wall time of the reference (unless it was cached), the first launch and all comparing
  Nanoseconds timing;     // wall time of all timed launches, warming up and emptying caches included
  Nanoseconds overhead;   // time in the worker outside compile, verification and timing (bar: ≤ 2 ms)
};

// One request to a measure worker: plans that are interleaved on the same buffers.
struct Block {
  std::string device;
  std::vector<Plan> plans;
  Protocol protocol;
  bool comes_again = false;  // the block runs again in other processes, so PlanResult::matched is requested
  CeilingSpec ceiling = {};  // timed beside the plans; empty: none
};

}  // namespace fuselab
