// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "app/cli/shell/command.h"

namespace fuselab::cli {

// Options of `tune` for the file of a kernel that the user wrote.
struct OwnKernelOptions {
  std::string new_file;  // write an example there
};

// Adds `--new`; the returned options are filled once the line is parsed.
std::shared_ptr<OwnKernelOptions> add_own_kernel_options(CLI::App& verb);

// Writes the example, or says what the one file among the job's subjects says. Nothing of the kernel is compiled or run.
ExitCode run_own_kernel(Invocation& invocation, const engine::JobSpec& job, const OwnKernelOptions& options);

}  // namespace fuselab::cli
