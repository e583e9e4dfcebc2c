// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/kernels/compiled_config.h"
#include "app/engine/subject/job_spec.h"

// Compiles for a target without a device of it, to see what the compiler says of each configuration before anything can run.
namespace fuselab::engine {

struct CompileOnlySpec {
  std::vector<std::string> subjects;  // as for a job
  std::vector<std::string> bindings;
  std::string dtype = "f32";
  std::string level = "O2";
  std::string target;                    // "sm_90"
  std::string backend = {};              // that writes for it: "triton"; empty: the target's own
  int trials = 64;                       // most configurations per piece
  std::vector<LaunchConfig> prior = {};  // compiled after the default, as in JobSpec
  // A kernel shelf to add the binaries to. With one, only the default configurations of this target are compiled, fused and
  // operator by operator: what a program without a compiler needs for `bench`.
  std::filesystem::path shelf;
};

// One piece with its configurations, best first: without a problem, most threads resident, fewest registers, least shared memory,
// smallest code. This order is a prediction; only measuring tells which is fastest.
struct RankedPiece {
  std::string model, binding;  // of the subject
  std::string key;             // of the piece
  std::string name;
  std::string pattern;
  std::int64_t space_size = 0;  // valid configurations; -1 when there are too many to count
  std::string not_compiled;     // why there is no configuration at all
  std::vector<CompiledConfig> configs;
};

struct CompileOnlyReport {
  Target target;
  std::string backend;
  std::vector<RankedPiece> pieces;
  int shelved = 0;  // kernels that the shelf holds now
};

// Compiles in compile workers and blocks until all is compiled. Nothing is measured, and nothing is stored except on the shelf.
Result<CompileOnlyReport> compile_only(const Config& config, const CompileOnlySpec& spec);

// Sorts the configurations, best first, as RankedPiece says; then those that spill, those that would not launch, and last those
// that were not compiled.
void rank(std::vector<CompiledConfig>& configs);

}  // namespace fuselab::engine
