// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/triton/block_text.h"
#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/compiled_kernel.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::triton {

// A kernel's text without its head.
struct WrittenKernel {
  std::vector<std::string> parameters;
  std::string body;
  std::int64_t programs = 1;  // of the launch
};

// One way of writing kernels, with its tuning parameters; `warps` and `stages` among them are the compiler's. Pure.
struct TextFamily {
  std::string_view name;
  // Fails with kUnsupported and what does not fit.
  Result<WrittenKernel> (*write)(const Graph&, const LaunchConfig&);
  ParameterSpace (*space)(const Graph&, const Target&);
  std::vector<LaunchConfig> (*wishes)(const Graph&, const Target&);  // for the default, best first
};

TextFamily elements_family();
TextFamily rows_family();
TextFamily product_family();
TextFamily attention_family();

// Returns the family that takes the graph.
// Fails with the reason of the one that fits the graph's operators best.
Result<TextFamily> find_family(const Graph& graph, const Target& target);

// Checks what no family takes: symbols, types, empty tensors.
Status check_graph(const Graph& graph);
std::int64_t count_of(const Graph& graph, ValueId value);
// Returns the smallest power of two that is at least so large.
std::int64_t power_above(std::int64_t number);
// Returns what was written, or the refusal.
Result<WrittenKernel> finished(const BlockText& text, std::int64_t programs);

}  // namespace fuselab::triton
