// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/execute/execution_outputs.h"
#include "app/engine/execute/given/expectation.h"
#include "app/engine/execute/given/given_tensors.h"
#include "app/engine/execute/runtime_executor.h"
#include "app/engine/job/engine.h"
#include "app/engine/subject/file_check.h"
#include "core/reference/tolerance.h"

namespace fuselab::engine {

struct ExecuteSpec {
  std::string subject, binding;
  DeviceChoice devices;
  std::string dtype = "f32", level = "O2";
  std::string config;      // of the kernel of a subject of one piece, for the first candidate; empty: as measured, else the default
  std::uint64_t seed = 1;  // of inputs and weights that are not given and that no file holds
  GivenTensors given = {};
  int times = 1;          // runs, one after the other with the same kernels; see GivenTensors for what may differ between them
  int steady = 0;         // passes after each run over the same buffers, for the kernels' steady times
  bool fall_back = true;  // to devices that were not asked for
  bool check = false;     // against the float64 reference
  Accepted accepted = {};
  // Folder for the outputs; empty: they are not saved. A model with several extents gets a folder in it for each:
  // "batch=1,seq=128". Where runs differ, each has a folder in it, counted from 1: "run-07".
  std::filesystem::path save_to;
  // The same for outputs as NumPy's array files: "NAME.npy". Types that NumPy lacks stay packed.
  std::filesystem::path output_directory;
  Nanoseconds launch_timeout{10'000'000'000};
};

// What one run of several that differ gave.
struct ExecutedStep {
  std::vector<OutputSummary> outputs;
};

// The most memory that was resident so far, weights and everything else included: where a subject was run and before, since the
// processes live on. 0: unknown.
struct PeakMemory {
  Bytes here;                            // this process, which imports
  std::map<std::string, Bytes> workers;  // by device id: the process that runs its kernels
};

struct ExecutedSubject {
  std::string model, binding;
  std::vector<std::string> passed_over;  // preferred devices that cannot be used here, with their reasons
  std::vector<std::string> notes;        // what reading the model had to say
  std::string memory;                    // the least it needs, and what was free: "needs about 3 MiB of memory …"
  std::vector<ExecutionResult> runs;
  std::vector<OutputSummary> outputs;        // of the last run
  std::vector<ExecutedStep> steps;           // of each run, where they differ; else empty
  std::optional<Verification> verification;  // against the float64 reference; of all runs, where they differ
  std::optional<FileCheck> file_check;       // of a model's file, where a check was asked for
  std::vector<Expectation> expectations;
  PeakMemory peak;
  // How many of the inputs and weights came from where.
  int given = 0, from_file = 0, from_seed = 0;
  std::vector<std::string> invented;  // weights that the model's file declares and has no numbers for: random ones stood in
  std::map<std::string, BackendCounts> counts;
};

// Runs one subject in production: each piece where the selector puts it, then on every other usable device (see RuntimeExecutor).
// Inputs are as given; weights are those of the model's file; what is left is made from the seed as for measuring. Nothing is
// stored.
Result<std::vector<ExecutedSubject>> execute_subject(Engine& engine, const ExecuteSpec& spec, std::stop_token stop);

}  // namespace fuselab::engine
