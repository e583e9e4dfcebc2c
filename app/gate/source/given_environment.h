// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/platform/processes/child_process.h"

// Passes the user's environment through a program in between that changes it for its children: git puts its own folder first into
// PATH, adds its settings, and adds variables of its own. The environment given to the child is the user's, the same to the last
// variable.
namespace fuselab::engine {

// Returns this process's variables, without those by which git points to a repository, under names that nothing else uses; for the
// environment of the program in between.
std::vector<std::pair<std::string, std::string>> carried_environment();

// Gives a child exactly the environment that was carried to this process; where none was, this process's variables without those by
// which git points to a repository.
void give_environment(platform::ChildOptions& options);

}  // namespace fuselab::engine
