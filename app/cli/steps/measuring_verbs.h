// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "app/cli/shell/command.h"
#include "app/cli/steps/compile_only.h"
#include "app/cli/steps/own_kernel.h"

namespace fuselab::cli {

// The options shared by run, bench and tune; each starts a job, follows it and shows its tables.
struct JobOptions {
  std::string name;  // of the verb
  engine::JobSpec spec;
  std::string config;
  std::string prior;
  bool wide = false;
  bool dry_run = false;
  std::shared_ptr<CompileOnlyOptions> compile_only;  // of tune
  std::shared_ptr<OwnKernelOptions> own_kernel;      // of tune
};

// Adds the options that all three take, and the callback that runs the job.
std::shared_ptr<JobOptions> add_job_options(CLI::App& command, Invocation& invocation, engine::JobSpec::Verb verb);
// Adds the options of the verbs that search launch configurations.
void add_search_options(CLI::App& command, JobOptions& options);

}  // namespace fuselab::cli
