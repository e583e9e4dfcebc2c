// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "app/cli/shell/command.h"
#include "app/cli/shell/terminal.h"
#include "app/engine/kernels/compile_only.h"

namespace fuselab::cli {

struct CompileOnlyOptions {
  bool asked = false;
  std::string target;
  std::string shelf;
};

// Adds `--compile-only`, `--target` and `--into` to `tune`; the returned options are filled once the line is parsed.
std::shared_ptr<CompileOnlyOptions> add_compile_only_options(CLI::App& verb);

// Returns the target for a common name of an x86-64 level; any other name is returned as it is.
std::string target_named(const std::string& name);

// Returns the backends that --device names, each once, in that order; none where it was not given.
std::vector<std::string> writing_backends(const engine::JobSpec& job);

// Runs `fuselab tune --compile-only`; subjects, shapes, type, level and number of configurations are the job's.
ExitCode run_compile_only(Invocation& invocation, const engine::JobSpec& job, const CompileOnlyOptions& options);

std::string compile_only_text(const engine::CompileOnlyReport& report, const Terminal& terminal);

}  // namespace fuselab::cli
