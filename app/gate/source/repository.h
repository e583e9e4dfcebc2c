// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/platform/processes/child_process.h"

// The user's git repository, through the program `git`.
namespace fuselab::engine {

// Whether it is as long as a commit's name: SHA-1 or SHA-256.
inline bool is_commit_name(std::string_view text) {
  return text.size() == 40 || text.size() == 64;
}

// The variables by which git tells whoever it starts (a hook, a filter) of one repository; who goes to another must not see them.
std::vector<std::string> repository_variables();

// `git -C folder arguments`: no hook of the repository, no program that its configuration has watch files and none that it has look
// at signatures runs, nothing is asked, none of those variables is passed on. What makes files what they are does run: filters,
// and in a partial clone the transport that fetches what is missing. kUnavailable where there is no git.
Result<platform::ChildOptions> git_command(const std::filesystem::path& folder, const std::vector<std::string>& arguments);

// What `git -C folder arguments` wrote, without the last line end; at most the last 4 KiB of it. kUnavailable where there is no
// git; where git refuses, with git's own words: kNotFound of `rev-parse`, which looks for a repository or a commit, and kIo of
// everything else, where disks fill up and objects are missing; kTimeout, kCancelled.
Result<std::string> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments, std::stop_token stop,
                            std::chrono::seconds limit = std::chrono::seconds(20));

// The commit that is checked out around the folder, 40 or 64 digits; empty where there is none.
std::string commit_of(const std::filesystem::path& folder);

// The digits of a commit as git names it in this folder: from here on nothing that somebody calls a branch is an option of git.
// kNotFound where it names none, kUnavailable without git or a repository.
Result<std::string> commit_named(const std::filesystem::path& folder, const std::string& name, std::stop_token stop = {});

}  // namespace fuselab::engine
