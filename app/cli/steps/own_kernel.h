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
  bool dry_run = false;  // say what the file says
  bool asked() const { return dry_run || !new_file.empty(); }
};

// Adds `--new` and `--dry-run`; the returned options are filled once the line is parsed.
std::shared_ptr<OwnKernelOptions> add_own_kernel_options(CLI::App& verb);

// Does what they ask for. Nothing of the kernel is compiled or run.
ExitCode run_own_kernel(Invocation& invocation, const engine::JobSpec& job, const OwnKernelOptions& options);

}  // namespace fuselab::cli
