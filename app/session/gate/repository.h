// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"

// The user's git repository, through the program `git`.
namespace fuselab::session {

// Whether it is as long as a commit's name: SHA-1 or SHA-256.
inline bool is_commit_name(std::string_view text) {
  return text.size() == 40 || text.size() == 64;
}

// What `git -C folder arguments` wrote, without the last line end; at most 4 KiB of it. kUnavailable where there is no git,
// kNotFound where the folder is in no repository or git refuses, with git's own words; kTimeout, kCancelled.
Result<std::string> run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments, std::stop_token stop,
                            std::chrono::seconds limit = std::chrono::seconds(20));

// The commit that is checked out around the folder, 40 digits; empty where there is none.
std::string commit_of(const std::filesystem::path& folder);

}  // namespace fuselab::session
