// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/backend/backend.h"

namespace fuselab::codegen {

// These implement a generator for kernels that the user wrote (core/ops/own_kernel.h). Nothing is generated but macros with the
// values of parameters before the text and, in C, a call behind it. A target takes one language: C on processors, OpenCL C, CUDA.

bool is_own_kernel(const Graph& graph);
Support own_support(const Graph& graph, const Target& target);
// The user's parameters; for C with tasks also `threads`, which share them.
ParameterSpace own_space(const Graph& graph, const Target& target);
LaunchConfig own_default_config(const Graph& graph, const Target& target);
// Fails with kInvalidArgument where a formula has no value in this configuration.
Result<SourceModule> own_module(const Graph& graph, const LaunchConfig& config, const Target& target, std::string_view generator,
                                std::string_view version);

}  // namespace fuselab::codegen
