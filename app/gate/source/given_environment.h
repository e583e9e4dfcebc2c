// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/platform/processes/child_process.h"

// The environment that a user gave, past a program in between that changes it for whom it starts: git puts its own folder first
// into PATH, adds its settings, and is given some of ours. Where it is given again it is the same to the last variable.
namespace fuselab::engine {

// This process's variables, but for those by which git tells of a repository, under names that nobody else sets: for the program
// in between.
std::vector<std::pair<std::string, std::string>> carried_environment();

// Gives a child exactly what was carried to this process; where nothing was, this process's variables but for those by which git
// tells of a repository.
void give_environment(platform::ChildOptions& options);

}  // namespace fuselab::engine
