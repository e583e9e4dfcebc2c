// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::engine {

// What a vendor's own model says that a program costs. Nothing was timed: it is shown as what it is, never as a time, and nothing
// is compared by it.
struct VendorEstimate {
  std::string source;  // "libtpu's optimal_seconds"
  Nanoseconds time;
  double operations = 0, bytes = 0;  // 0: not told
};

// One configuration, whether it could be compiled or not.
struct CompiledConfig {
  LaunchConfig config;
  bool is_default = false;
  std::string failure;  // why it was not compiled; then the rest is empty
  std::string compiler;
  ResourceUsage resources;  // absent is unknown, never 0
  // By kernel, of a program whose compiler tells several apart: launches, registers, shared_bytes, spill_bytes, … by name.
  std::map<std::string, ResourceUsage> kernels = {};
  std::optional<double> occupancy;  // predict_launch(); unknown where there is no multiprocessor or registers are unknown
  std::string limited_by;           // LaunchPrediction::limited_by; empty where the occupancy is unknown
  bool launches = true;             // as predicted; if not, the problem says why
  std::string
      problem;  // what keeps it from running well or at all: "spills 128 bytes", "would not launch: a block needs 240 KiB …"
  Nanoseconds compile_time;
  std::optional<VendorEstimate> estimate;  // of compilers that have one
};

// Returns what a compiler of whole programs made of one, from its resources: "2 loop, 1 triton_gemm; calls 1 __cudnn$conv", or
// "2 kernels; calls 1 mm"; empty where it did not tell.
std::string fusion_words(const ResourceUsage& resources);
// Returns the calls of libraries among them: "1 addmm, 2 mm"; empty where there is none.
std::string call_words(const ResourceUsage& resources);
// Returns what such a program takes of a device's memory in all; nothing where it is not told.
std::optional<Bytes> program_memory(const ResourceUsage& resources);

// Fills in the row's occupancy, what limits it, whether it launches, and its problem, from the resources of its compiled kernel.
// `limited_by`: what limits the kernel with the least room, where the compiler has said it.
void predict(CompiledConfig& row, const KernelAbi& abi, const Target& target, const std::string& limited_by = {});

// Returns the row of a kernel that was compiled for the target, or of the failure to compile it.
CompiledConfig compiled_config(const LaunchConfig& config, const Result<CompiledKernel>& made, const Target& target);

}  // namespace fuselab::engine
