// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::null {

// The fault of a synthetic kernel when it is compiled or launched.
enum class Fault { kNone, kCrash, kHang, kWrong, kOutOfMemory, kCompileError, kLaunchError };

struct FaultName {
  Fault fault;
  std::string_view name;  // the value of the launch parameter `fault`
};
std::span<const FaultName> faults();
std::optional<Fault> parse_fault(std::string_view name);

// A synthetic kernel: its source text and its binary are this script.
struct Script {
  Fault fault = Fault::kNone;
  double latency_ns = 0;         // for one launch, before noise
  double compile_ns = 0;         // time that compiling takes
  std::uint64_t noise_seed = 0;  // from the graph and the configuration: the n-th launch has the same noise in every process
  std::string graph_text;        // the graph that it computes, arguments in order

  std::string text() const;
  static Result<Script> parse(std::string_view text);
};

// Returns the script for a graph and a launch configuration {a, b, fault}. The latency is a bowl over (a, b) on top of the time
// that 100 GB/s and 1 TFLOP/s would allow. Its lowest point is derived from the graph's key, so that a search has something to find
// and a roofline something to judge by.
Result<Script> script_for(const Graph& graph, const LaunchConfig& config);

inline constexpr double kBytesPerSecond = 100e9;
inline constexpr double kFlopsPerSecond = 1e12;
inline constexpr double kLaunchNs = 2000;  // part of every latency

// Returns the latency of the n-th launch: up to 1 % above the script's, never below it.
double noisy_latency_ns(const Script& script, std::uint64_t launch);

}  // namespace fuselab::null
