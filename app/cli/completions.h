// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace fuselab::cli {

// Scripts that complete verbs, options, the values of options that have a closed list ("a|b" as their type name), subjects and
// files.
std::string bash_completions(const CLI::App& app);
std::string zsh_completions(const CLI::App& app);  // the same through zsh's bashcompinit
std::string fish_completions(const CLI::App& app);

}  // namespace fuselab::cli
