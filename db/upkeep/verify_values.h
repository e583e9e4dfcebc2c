// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "db/connection/connection.h"

namespace fuselab::db {

// Returns a line for each row with a value that no program writes: a word outside its list, a size or time below 0, a name of a row
// that is not there. What a key was made of is checked elsewhere. Tables that an earlier schema lacks are passed over.
std::vector<std::string> impossible_values(Connection& connection);

}  // namespace fuselab::db
