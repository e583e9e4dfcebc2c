// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace fuselab::cli {

// Return scripts that complete everything in the tree of commands: verbs, options, the values of options that have a closed list
// ("a|b" as their type name), and files; where a SUBJECT stands, these words.
std::string bash_completions(const CLI::App& app, const std::vector<std::string>& subjects);
std::string zsh_completions(const CLI::App& app, const std::vector<std::string>& subjects);  // through zsh's bashcompinit
std::string fish_completions(const CLI::App& app, const std::vector<std::string>& subjects);

}  // namespace fuselab::cli
