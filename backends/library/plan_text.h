// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/library/graph_library.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::library {

inline constexpr std::string_view kPlanFormat = "library-plan";  // of a kernel's binary

// The stored text of a kernel that a library provides: enough to have the same made again. Each field is one line; lines that
// begin with # are for people. A program stands last: as text in a source, and as the library compiled it in a binary.
struct PlanText {
  std::string backend;  // "mkl"
  std::string version;  // of the library: "2026.2"
  std::string build;
  std::string settings;  // "def-gnu"
  LaunchConfig config;
  Graph graph;
  std::vector<std::string> steps;  // written only
  std::string program;             // of a library that compiles text; others: empty
};

PlanText plan_for(const LibraryFacts& facts, const LaunchConfig& config, const Graph& graph, std::vector<std::string> steps,
                  std::string program = {});
std::string write_plan(const PlanText& plan);
// Reads a plan. The text is untrusted, and so is its program: it is returned as it stands.
// Fails with kCorrupt where it is no plan, and with kUnsupported where it is one for another library, version, build or setting
// than this.
Result<PlanText> read_plan(std::string_view text, const LibraryFacts& facts);
// Reads the plan that is a kernel's binary. Fails with kCorrupt as well where the plan takes other arguments than the kernel.
Result<PlanText> read_plan(const CompiledKernel& kernel, const LibraryFacts& facts);

}  // namespace fuselab::library
