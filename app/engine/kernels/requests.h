// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/wire/messages.h"
#include "core/backend/device_info.h"
#include "core/graph/graph.h"

namespace fuselab::engine {

// Make the requests for kernels, the same wherever they are asked for, so that identities agree. All of them carry the level, which
// decides the compiler's flags.
wire::DescribeRequest describe_request(const DeviceInfo& device, const std::string& level, const Graph& graph);
wire::CompileRequest compile_request(const DeviceInfo& device, const std::string& level, const Graph& graph,
                                     const LaunchConfig& config);
wire::GenerateRequest generate_request(const DeviceInfo& device, const std::string& level, const Graph& graph,
                                       std::vector<LaunchConfig> configs);

// Returns the key of everything besides a graph and a launch configuration that decides which kernel is made: backend, target,
// generator and compiler with their versions, flags, level, and the space that a search ranges over. Rows with another key are out
// of date.
std::string generation_key(const DeviceInfo& device, const std::string& level, const wire::DescribeReply& described);

// Returns the plan key of a plan whose kernels could not be made, from what was asked for and of whom.
std::string failed_plan_key(const std::string& piece_key, const std::string& config, const std::string& generation);

}  // namespace fuselab::engine
