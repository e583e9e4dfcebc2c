// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace fuselab::cli {

// Scripts that complete what the tree of commands has: verbs, options, the values of options that have a closed list ("a|b" as
// their type name), files; and these words where a SUBJECT stands.
std::string bash_completions(const CLI::App& app, const std::vector<std::string>& subjects);
std::string zsh_completions(const CLI::App& app, const std::vector<std::string>& subjects);  // through zsh's bashcompinit
std::string fish_completions(const CLI::App& app, const std::vector<std::string>& subjects);

}  // namespace fuselab::cli
