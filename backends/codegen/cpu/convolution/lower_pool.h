// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

struct PoolKernel {
  const Node* node = nullptr;
  Windows windows;
  std::int64_t planes = 1;  // batch · channels
  int input = 0;            // position among the graph's inputs
  RowProgram epilogue;
};

// Describes one MaxPool or AveragePool over a kernel input.
// Fails with kUnsupported and what does not fit.
Result<PoolKernel> make_pool(const Graph& graph);

// Writes a pool kernel. Each result row first folds the image rows of its window into one row of scratch with vector registers,
// between pads, then folds that row's windows: with registers, too, where that is less work, of which those are taken that begin at
// a stride. Reads vector, rows_per_task.
Function lower_pool(const Graph& graph, const PoolKernel& kernel, const LaunchConfig& config);

}  // namespace fuselab::codegen
