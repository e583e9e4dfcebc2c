// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/platform/processes/child_process.h"

// Access to the user's git repository through the program `git`.
namespace fuselab::engine {

// Returns whether the text is as long as the full name of a commit: SHA-1 or SHA-256.
inline bool is_commit_name(std::string_view text) {
  return text.size() == 40 || text.size() == 64;
}

// Returns the variables by which git points a program that it starts (a hook, a filter) to one repository; a program that works on
// another repository must not see them.
std::vector<std::string> repository_variables();

// Returns the command `git -C folder arguments`. It runs no hook of the repository, no program that its configuration sets to watch
// files or to check signatures, asks nothing, and passes none of the variables above on. Programs that produce file contents do
// run: filters and, in a partial clone, the transport that fetches missing objects. Fails with kUnavailable where there is no git.
Result<platform::ChildOptions> git_command(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

// Returns the output of `git -C folder arguments` without the last line end, at most its last 4 KiB.
// Fails with kUnavailable where there is no git; where git refuses, with git's own words: kNotFound for `rev-parse`, which looks
// for a repository or a commit, and kIo for everything else, where disks fill up and objects are missing; with kTimeout; with
// kCancelled.
Result<std::string> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments, std::stop_token stop,
                            std::chrono::seconds limit = std::chrono::seconds(20));

// Returns the commit that is checked out around the folder, 40 or 64 digits; empty where there is none.
std::string commit_of(const std::filesystem::path& folder);

// Returns the full name of a commit as git resolves it in this folder. Using that name afterwards makes sure that no name of a
// branch is taken for an option of git. Fails with kNotFound where `name` is no commit, and with kUnavailable without git or a
// repository.
Result<std::string> commit_named(const std::filesystem::path& folder, const std::string& name, std::stop_token stop = {});

}  // namespace fuselab::engine
